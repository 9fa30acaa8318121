"""``sfumato compare``: several protections of one file, side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.options import File, Json, Seed, names, with_reading, with_settings
from sfumato.cli.output import console, emit, lines, one_table, picture_line, progress_shown, width_of
from sfumato.comparison import Compared, Comparison
from sfumato.errors import SettingError
from sfumato.microfile import read
from sfumato.views import comparison_notes, comparison_table

FIELDS = ("quasi", "sensitive", "weight", "household", "k", "sets", "shown", "levels")


@with_reading
@with_settings(Comparison, fields=FIELDS)
def compare(
    file: File,
    *,
    options: dict[str, Any],
    picture: Annotated[
        Path | None,
        typer.Option(help="Also draw risk against information loss: a file name ending in .png, .svg or .html."),
    ] = None,
    how: dict[str, Any],
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Protect a file by k-means, fuzzy c-means, Gustafson-Kessel and boxes, and measure the releases."""
    options |= {name: names(options.get(name)) for name in ("quasi", "sensitive")}
    if not options["quasi"]:
        raise SettingError("--quasi is missing", hint="sfumato profile FILE suggests columns", setting="quasi")
    comparison = Comparison(**options, **({} if seed is None else {"seed": seed}))
    if picture is not None:
        from sfumato.report import check_picture

        check_picture(picture)
    with progress_shown() as progress:
        compared = comparison.run(read(file, **how, progress=progress), progress=progress)
        if picture is not None:
            from sfumato.report import compare_chart, write_picture

            progress("drawing", 1.0)
            write_picture(compare_chart(compared), picture)
    if json:
        emit(compared.summary() | {"picture": None if picture is None else str(picture)})
    else:
        _show(compared)
        lines(picture_line(picture))


def _show(compared: Compared) -> None:
    view, out = comparison_table(compared), console()
    if width_of(one_table(view)) > out.width:
        # there is more room downwards
        cells = list(zip(view.columns, *view.rows, strict=True))
        view = replace(view, columns=cells[0], rows=tuple(cells[1:]))
    made = one_table(view)
    for column in made.columns[1:]:
        column.justify = "right"
    out.print(made)
    lines(comparison_notes(compared))
