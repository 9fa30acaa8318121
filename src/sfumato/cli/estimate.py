"""``sfumato estimate``: statistics of a release, with the ranges they are sure to lie in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from sfumato.cli.options import Json, Seed
from sfumato.cli.show import console, emit, progress_shown, table
from sfumato.release.release import open_release
from sfumato.report.page import counted
from sfumato.statistics.dismissal import Dismiss, dismissal_of
from sfumato.statistics.estimate import Estimate, Regression
from sfumato.statistics.language import parse
from sfumato.statistics.wording import few

COLUMNS = ("value", "surely in", "reached", "sampling error")
WEIGHTED = ("value", "in", "shift", "width saved", "calibrated")


def estimate(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    statistics: Annotated[
        list[str], typer.Argument(help="mean(x), var(x), std(x), cov(x, y), corr(x, y), regress(y ~ x1 + x2)")
    ],
    *,
    weight: Annotated[str | None, typer.Option(help="The column that weights the records.")] = None,
    dismiss: Annotated[
        str | None,
        typer.Option(
            help="Also with rare, wide boxes left out (crisp) or counted less (fuzzy), or none; "
            "default: what the release says.",
            metavar="none|crisp|fuzzy",
        ),
    ] = None,
    calibrate: Annotated[
        bool | None,
        typer.Option(help="Keep means, squares and products with these weights; default: what the release says."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw them: a file that ends with .png, .svg or .html.")
    ] = None,
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Estimate statistics of the original from a release, with the ranges they are sure to lie in."""
    for statistic in statistics:
        parse(statistic)
    dismissal_of("none" if dismiss is None else dismiss, calibrate is not False)
    wanted = cast("Dismiss | None", dismiss)
    if picture is not None:
        from sfumato.report.pictures import check_picture

        check_picture(picture, beside=release)
    with progress_shown() as progress:
        progress("opening", 0.0)
        opened = open_release(release)
        found = opened.estimate(statistics, weight=weight, dismiss=wanted, calibrate=calibrate, progress=progress)
        if picture is not None:
            from sfumato.report import estimates_chart, write_picture

            progress("drawing", 1.0)
            write_picture(estimates_chart(found), picture)
    if json:
        content: dict[str, Any] = {"release": str(release), "estimates": [one.summary() for one in found]}
        emit(content | ({"picture": str(picture)} if picture else {}))
    else:
        show(found, picture)
        suppress = opened.settings.get("suppress")
        if isinstance(suppress, int | float) and suppress:
            console().print(f"Up to {suppress:.1%} of the records may have been left out; they have no part in this.")


def show(found: list[Estimate | Regression], picture: Path | None) -> None:
    """Print estimates for people."""
    out = console()
    single = [(one.statistic, one) for one in found if isinstance(one, Estimate)]
    tables = [("Estimates", "statistic", single)] if single else []
    tables += [(one.statistic, "coefficient", list(one.items())) for one in found if isinstance(one, Regression)]
    for title, first, rows in tables:
        out.print(table(title, (first, *COLUMNS), [_row(name, one) for name, one in rows], whole=True))
    weighted = False
    for title, first, rows in tables:
        some = [(name, one.weighted) for name, one in rows if one.weighted]
        if some:
            weighted = True
            cells = [(name, *its.told, its.calibrated) for name, its in some]
            out.print(table(f"{title}, {some[0][1].dismiss} weights", (first, *WEIGHTED), cells, whole=True))
    for one in found:
        told = f"{one.statistic}: {counted(one.records, 'record')}" + (
            f", weighted by {one.weight}" if one.weight else ""
        )
        told += f"; {counted(one.left_out, 'lacks', 'lack')} a value" if one.left_out else ""
        told += "" if one.guaranteed else "; the boxes are too wide to prove a range"
        out.print(f"{told}.", markup=False)
    if weighted:
        out.print("With these weights it is another statistic: only the first ranges are sure to hold the truth.")
    if picture is not None:
        out.print(f"The picture lies in {picture}.", markup=False)


def _row(name: str, one: Estimate) -> tuple[str, ...]:
    low, high = (few(end, 4) for end in one.attained)
    reached = low if one.width == 0 else f"{low} to {high}"
    return name, *one.told, reached, few(one.sampling_error, 3)
