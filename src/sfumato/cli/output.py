"""What all commands share: JSON or text on standard output, progress and errors on standard error."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sfumato.formatting import cell
from sfumato.invisible_characters import printable
from sfumato.kernels.compilation_notices import watched
from sfumato.progress import Progress

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

    from rich.console import Console, RenderableType
    from rich.table import Table as RichTable

    from sfumato.views import Table


def console() -> Console:
    """Return the console for human-readable output."""
    from rich.console import Console

    class Cleaning(Console):
        """A console that escapes control characters, which a terminal would obey."""

        def print(self, *objects: Any, **options: Any) -> None:
            super().print(*(printable(item) if isinstance(item, str) else item for item in objects), **options)

    return Cleaning(soft_wrap=True, highlight=False)


def emit(content: Mapping[str, Any]) -> None:
    """Write one JSON object, and nothing else, on standard output."""
    sys.stdout.write(json.dumps(content, indent=2, allow_nan=False) + "\n")


@contextmanager
def verdict(*, satisfied: bool) -> Iterator[None]:
    """Exit with 1 after the block if a promise is broken, even if nobody reads the output of the block."""
    import typer

    try:
        yield
    finally:
        if not satisfied:
            raise typer.Exit(1)


FIRST_COLUMN = 16
"""The minimal width of a table's first column, in characters."""
ENDLESS = 10_000
"""Wider than any screen."""


def lines(texts: Iterable[str], *, style: str | None = None) -> None:
    """Print sentences, one per line."""
    out = console()
    for text in texts:
        out.print(text, style=style, markup=False)


def picture_line(path: Path | None, *, confidential: bool = False) -> list[str]:
    """Say where a picture was written."""
    return [] if path is None else [f"Picture written to {path}{': do not publish.' if confidential else '.'}"]


def tables(*views: Table | None, unbroken: bool = False) -> None:
    """Print tables; a table that is too wide is continued below with its first column repeated.

    Parameters
    ----------
    views
        What to print; None is skipped.
    unbroken
        Whether cells stay on one line as long as there is room; the first column always keeps some width.
    """
    out = console()
    for view in views:
        if view is not None:
            out.print(rendered(view, out, unbroken=unbroken))


def rendered(view: Table, out: Console, *, unbroken: bool = False) -> RenderableType:
    """Lay out a table for a console."""
    from rich.console import Group

    whole_table = one_table(view, unbroken=unbroken)
    if width_of(whole_table) <= out.width:
        return whole_table
    if width_of(whole_table, broken=True) <= out.width:
        # cells are broken at spaces; rich does not count the characters at the ends of lines
        whole_table.width = out.width - 2
        return whole_table
    pieces, first = [], 1
    while first < len(view.columns):
        last = len(view.columns)
        while True:
            piece = one_table(_columns(view, [0, *range(first, last)], titled=first == 1), unbroken=unbroken)
            if last == first + 1 or width_of(piece) <= out.width:
                break
            last -= 1
        pieces.append(piece)
        first = last
    return Group(*pieces)


def _columns(view: Table, columns: Sequence[int], *, titled: bool) -> Table:
    """Return some columns of a table."""
    return replace(
        view,
        caption=view.caption if titled else "",
        columns=tuple(view.columns[column] for column in columns),
        rows=tuple(tuple(row[column] for column in columns) for row in view.rows),
    )


def width_of(made: RichTable, *, broken: bool = False) -> int:
    """Return the width of a table if there were room, or its least width if cells are broken."""
    out = console()
    needed = out.measure(made, options=out.options.update_width(ENDLESS))
    return needed.minimum if broken else needed.maximum


def one_table(view: Table, *, unbroken: bool = False) -> RichTable:
    """Make a table, however wide it is; numbers are aligned to the right."""
    from rich import box
    from rich.table import Table as RichTable

    made = RichTable(title=plain(view.caption) or None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for index, name in enumerate(view.columns):
        made.add_column(
            plain(name),
            justify="right" if view.is_numeric(index) else "left",
            overflow="fold",
            min_width=FIRST_COLUMN if unbroken and index == 0 else None,
        )
    for row in view.rows:
        made.add_row(*map(plain, row))
    return made


def plain(value: object) -> str:
    r"""Write a value so that the console takes no part of it for markup.

    >>> plain(1234567), plain("[bold]")
    ('1,234,567', '\\[bold]')
    """
    from rich.markup import escape

    return escape(printable(cell(value)))


@contextmanager
def progress_shown() -> Iterator[Progress]:
    """Show progress on standard error while the block runs, if standard error is a terminal."""
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

            def show(description: str, share: float) -> None:
                stop_if_interrupted()
                bar.update(task, description=printable(description), completed=share)

            def compiling(n_compiled: int) -> None:
                bar.update(task, description=f"compiling, for the first run only: {n_compiled} kernels done")

            with watched(compiling):
                yield show


@contextmanager
def _interruptions() -> Iterator[Callable[[], None]]:
    """Remember an interruption: one that arrives while a kernel is being compiled gets lost in the compiler."""
    arrived = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal arrived
        arrived = True
        signal.default_int_handler(number, frame)

    def stop_if_interrupted() -> None:
        if arrived:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        # only the main thread receives signals
        yield stop_if_interrupted
        return
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop_if_interrupted
    finally:
        signal.signal(signal.SIGINT, before)
