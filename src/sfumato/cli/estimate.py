"""``sfumato estimate``: statistics of the original, with guaranteed ranges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from sfumato.cli.options import Json, Seed
from sfumato.cli.output import emit, lines, picture_line, progress_shown, tables
from sfumato.release import open_release
from sfumato.statistics import Dismiss, Estimate, Regression, dismissal_of, forms, parse
from sfumato.views import estimate_notes, estimate_tables, suppressed_note


def estimate(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    statistics: Annotated[list[str], typer.Argument(help=", ".join(forms()))],
    *,
    weight: Annotated[str | None, typer.Option(help="The column with the weights of the records.")] = None,
    dismiss: Annotated[
        str | None,
        typer.Option(
            help="Also estimate with rare, wide boxes left out (crisp) or weighted less (fuzzy), or neither (none); "
            "default: as the release says.",
            metavar="none|crisp|fuzzy",
        ),
    ] = None,
    calibrate: Annotated[
        bool | None,
        typer.Option(help="Preserve means, squares and products with these weights; default: as the release says."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw the estimates: a file name ending in .png, .svg or .html.")
    ] = None,
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Estimate statistics of the original from a release, with guaranteed ranges."""
    for statistic in statistics:
        parse(statistic)
    dismissal_of("none" if dismiss is None else dismiss, calibrate is not False)
    dismissal = cast("Dismiss | None", dismiss)
    if picture is not None:
        from sfumato.report import check_picture

        check_picture(picture, beside=release)
    with progress_shown() as progress:
        progress("opening", 0.0)
        opened = open_release(release)
        estimates = opened.estimate(
            statistics, weight=weight, dismiss=dismissal, calibrate=calibrate, progress=progress
        )
        if picture is not None:
            from sfumato.report import estimates_chart, write_picture

            progress("drawing", 1.0)
            write_picture(estimates_chart(estimates), picture)
    if json:
        content: dict[str, Any] = {"release": str(release), "estimates": [estimate.summary() for estimate in estimates]}
        emit(content | ({"picture": str(picture)} if picture else {}))
    else:
        show(estimates)
        lines(suppressed_note(opened.public))
        lines(picture_line(picture))


def show(estimates: Sequence[Estimate | Regression]) -> None:
    """Print estimates."""
    tables(*estimate_tables(estimates), unbroken=True)
    lines(estimate_notes(estimates))
