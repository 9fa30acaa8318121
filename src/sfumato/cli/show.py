"""What every verb shares: JSON or text on standard output, progress and errors on standard error."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sfumato.characters import printable
from sfumato.html import as_text
from sfumato.progress import Progress

if TYPE_CHECKING:
    from types import FrameType

    from rich.console import Console, RenderableType
    from rich.table import Table


def console() -> Console:
    """Return where text for people goes."""
    from rich.console import Console

    class Cleaning(Console):
        """Prints no character that a file may have brought and a terminal would obey."""

        def print(self, *objects: Any, **how: Any) -> None:
            super().print(*(printable(one) if isinstance(one, str) else one for one in objects), **how)

    return Cleaning(soft_wrap=True, highlight=False)


def emit(content: Mapping[str, Any]) -> None:
    """Write one JSON object, and nothing else, on standard output."""
    sys.stdout.write(json.dumps(content, indent=2, allow_nan=False) + "\n")


@contextmanager
def verdict(*, kept: bool) -> Iterator[None]:
    """Exit with 1 after the block if a promise is not kept, even if nobody reads what the block shows."""
    import typer

    try:
        yield
    finally:
        if not kept:
            raise typer.Exit(1)


FIRST = 16
"""The first column of a table has room for so many signs."""
ENDLESS = 10_000
"""Wider than any screen."""


def table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, whole: bool = False
) -> RenderableType:
    """Make a table; numbers are set to the right. Where it is too wide, the last columns follow below the first.

    Parameters
    ----------
    title, columns, rows
        What it shows.
    whole
        Whether cells are kept on one line as far as there is room; the first column always keeps some.
    """
    from rich.console import Group

    out, made = console(), one_table(title, columns, rows, whole=whole)
    if width_of(made) <= out.width:
        return made
    if width_of(made, broken=True) <= out.width:
        # cells are broken where there is a space; rich forgets the signs at the ends of lines
        made.width = out.width - 2
        return made
    parts, first = [], 1
    while first < len(columns):
        last = len(columns)
        while True:
            chosen = [0, *range(first, last)]
            some = [[row[place] for place in chosen] for row in rows]
            part = one_table(title if first == 1 else "", [columns[place] for place in chosen], some, whole=whole)
            if last == first + 1 or width_of(part) <= out.width:
                break
            last -= 1
        parts.append(part)
        first = last
    return Group(*parts)


def width_of(made: Table, *, broken: bool = False) -> int:
    """Return how wide a table would be if there were room, or how wide it must be if cells are broken."""
    out = console()
    needed = out.measure(made, options=out.options.update_width(ENDLESS))
    return needed.minimum if broken else needed.maximum


def one_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, whole: bool = False) -> Table:
    """Make a table, however wide it is."""
    from rich import box
    from rich.table import Table

    made = Table(title=plain(title) or None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for place, name in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[place], int | float | None) for row in rows)
        made.add_column(
            plain(name),
            justify="right" if numeric else "left",
            overflow="fold",
            min_width=FIRST if whole and place == 0 else None,
        )
    for row in rows:
        made.add_row(*(plain(cell) for cell in row))
    return made


def plain(cell: object) -> str:
    r"""Write a number as people read it, and a text so that the console takes no part of it for markup.

    >>> plain(1234567), plain("[bold]")
    ('1,234,567', '\\[bold]')
    """
    if cell is None or isinstance(cell, int | float):
        return as_text(cell)
    from rich.markup import escape

    return escape(printable(as_text(cell)))


@contextmanager
def progress_shown() -> Iterator[Progress]:
    """Show progress on standard error while the block runs, if somebody watches."""
    with _interruptions() as stop_if_interrupted:
        if not sys.stderr.isatty():
            yield lambda description, share: stop_if_interrupted()
            return
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=1.0)

            def shown(description: str, share: float) -> None:
                stop_if_interrupted()
                bar.update(task, description=printable(description), completed=share)

            yield shown


@contextmanager
def _interruptions() -> Iterator[Callable[[], None]]:
    """Remember an interruption: one that comes while a kernel is compiled is lost in a callback of the compiler."""
    arrived = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal arrived
        arrived = True
        signal.default_int_handler(number, frame)

    def stop_if_interrupted() -> None:
        if arrived:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        # only the main thread is told of signals
        yield stop_if_interrupted
        return
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop_if_interrupted
    finally:
        signal.signal(signal.SIGINT, before)
