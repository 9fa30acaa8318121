"""Answers Ctrl-C in time, whatever the main thread is doing.

Python delivers a signal to the main thread only between two of its own instructions, so a kernel, a sort or a write of
many seconds would have to finish first. A second thread notices the signal at once, waits for the main thread to stop
in good order, and ends the process if it does not. The effect is that of a crash, after which every release is intact.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 0.5
"""How many seconds the main thread has to stop on its own, of the two within which Ctrl-C is answered.

The second thread may have to wait before and after: drawing one chart keeps every other thread from running for 0.6
seconds of processor time, the longest such stretch measured with 3 million records.
"""


class Interruption:
    """Whether Ctrl-C was pressed."""

    def __init__(self) -> None:
        self.arrived = False
        self.settled = threading.Event()
        """Set when nothing is left that would have to be stopped."""


@contextmanager
def answered(give_up: Callable[[], None], *, patience: float = PATIENCE) -> Iterator[Interruption]:
    """Call a function from another thread if the block does not end in time after Ctrl-C.

    Parameters
    ----------
    give_up
        What to do then: it should end the process.
    patience
        How many seconds to wait.
    """
    interruption = Interruption()
    if threading.current_thread() is not threading.main_thread():
        # only the main thread receives signals
        yield interruption
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)

    def watch() -> None:
        with os.fdopen(reading, "rb", buffering=0) as signals:
            while number := signals.read(1):
                if number[0] == signal.SIGINT:
                    interruption.arrived = True
                    if not interruption.settled.wait(patience):
                        give_up()

    threading.Thread(target=watch, name="interruption", daemon=True).start()
    try:
        yield interruption
    finally:
        interruption.settled.set()
        signal.set_wakeup_fd(before)
        os.close(writing)
