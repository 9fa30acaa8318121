from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import polars as pl
import pytest

from sfumato.cli import app
from sfumato.cli.interruption import Interruption
from tests.recipes import GOOD, people

IN_TIME = 60.0
"""Seconds on a machine that is busy with much else; by itself it takes two at most."""

SPIN = """
import os
import threading
import time
import numba
import numpy as np
from sfumato.cli.interruption import answered

@numba.njit(nogil=True)
def spin(flags):
    flags[1] = 1
    while flags[0] == 0:
        flags[2] += 1

def tell():
    while flags[1] == 0:
        time.sleep(0.01)
    print("ready", flush=True)

spin(np.ones(3))
flags = np.zeros(3)
threading.Thread(target=tell).start()
with answered(lambda: os._exit(130)):
    spin(flags)
"""


def test_a_kernel_that_never_ends_is_left():
    with subprocess.Popen(
        [sys.executable, "-c", SPIN], stdout=subprocess.PIPE, env={"PYTHONPATH": ":".join(sys.path)}
    ) as process:
        try:
            assert process.stdout.readline() == b"ready\n"
            process.send_signal(signal.SIGINT)
            assert process.wait(IN_TIME) == 130
        finally:
            process.kill()


ORDERING = """
import itertools
import sys
import numpy as np
import polars as pl
from sfumato.cli import main
from sfumato.release import release_writer
from sfumato.release.data_file import reordered

rng = np.random.default_rng(0)
large = pl.DataFrame({"age": rng.integers(0, 90, 3_000_000), "income": rng.normal(size=3_000_000)})

def ordering(frame, secret):
    for turn in itertools.count():
        reordered(large, secret)
        if turn == 0:
            print("ready", file=sys.__stdout__, flush=True)

release_writer.reordered = ordering
main(sys.argv[1:])
"""
"""Orders three million records until it is interrupted, in the place of the few that the recipe has."""


def test_an_interruption_while_records_are_ordered(folder, recipe):
    path = recipe(GOOD)
    before = sorted(entry.name for entry in folder.iterdir())
    with subprocess.Popen(
        [sys.executable, "-c", ORDERING, "protect", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=IN_TIME)
        finally:
            process.kill()
    assert process.returncode == app.INTERRUPTED
    assert app.STOPPED in told
    assert sorted(entry.name for entry in folder.iterdir()) == before


@pytest.mark.parametrize("error", [SystemError("returned a result with an exception set"), RuntimeError("callback")])
def test_an_interruption_that_a_kernel_turns_into_another_error(monkeypatch, capsys, error):
    def interrupted(verb):
        raise error

    monkeypatch.setattr(app, "_app", interrupted)
    interruption = Interruption()
    assert app._run(["protect"], interruption) == app.BUG
    interruption.arrived = True
    capsys.readouterr()
    assert app._run(["protect"], interruption) == app.INTERRUPTED
    assert app.STOPPED in capsys.readouterr().err


def test_interruptions_at_random_moments(folder, recipe):
    pl.concat([people(5_000).sample(fraction=1, seed=seed) for seed in range(8)]).write_csv(
        folder / "people.csv", separator=";"
    )
    path = recipe(GOOD)
    command = [sys.executable, "-m", "sfumato", "protect", str(path), "--force"]
    start = time.monotonic()
    assert subprocess.run(command, capture_output=True).returncode == 0
    whole = time.monotonic() - start
    expected = sorted(entry.name for entry in folder.iterdir())
    rng = random.Random(0)
    ends = []
    for _ in range(4):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(rng.uniform(0.3, 1.0) * whole)
            process.send_signal(signal.SIGINT)
            try:
                _, told = process.communicate(timeout=IN_TIME)
            finally:
                process.kill()
        ends.append(process.returncode)
        if process.returncode == 130:
            assert app.STOPPED in told
    # Python itself is killed where it has not begun, or is done; and some runs end before
    assert set(ends) <= {130, -signal.SIGINT, 0}
    assert 130 in ends
    assert subprocess.run(command, capture_output=True).returncode == 0
    assert sorted(entry.name for entry in folder.iterdir()) == expected
