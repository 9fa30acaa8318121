"""``sfumato compare``: several protections of one file, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import File, Json, Seed, names, with_reading, with_settings
from sfumato.cli.show import console, emit, one_table, plain, progress_shown, width_of
from sfumato.comparison import LEVEL, Compared, Comparison, Found, Outcome
from sfumato.errors import SettingError
from sfumato.microfile.reading import read

if TYPE_CHECKING:
    from rich.table import Table

FIELDS = ("quasi", "sensitive", "weight", "household", "k", "sets", "shown", "levels")
COLUMNS = ("k", "fuzzy k", "sigma k", "Q", "l", "fuzzy l", "t", "fuzzy t", "risk", "highest", "loss")


@with_reading
@with_settings(Comparison, fields=FIELDS)
def compare(
    file: File,
    *,
    given: dict[str, Any],
    picture: Annotated[
        Path | None,
        typer.Option(help="Also draw risk against information loss: a file that ends with .png, .svg or .html."),
    ] = None,
    how: dict[str, Any],
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Protect a file by k-means, fuzzy c-means, Gustafson-Kessel and boxes, and measure the releases alike."""
    given |= {name: names(given.get(name)) for name in ("quasi", "sensitive")}
    if not given["quasi"]:
        raise SettingError("--quasi is missing", hint="sfumato profile FILE suggests columns")
    asked = Comparison(**given, **({} if seed is None else {"seed": seed}))
    if picture is not None:
        from sfumato.report.pictures import check_picture

        check_picture(picture)
    with progress_shown() as progress:
        compared = asked.run(read(file, **how, progress=progress), progress=progress)
        if picture is not None:
            from sfumato.report import compare_chart, write_picture

            progress("drawing", 1.0)
            write_picture(compare_chart(compared), picture)
    if json:
        emit(compared.summary() | {"picture": None if picture is None else str(picture)})
    else:
        _show(compared, picture)


def _show(compared: Compared, picture: Path | None) -> None:
    out = console()
    title = f"{plain(compared.records)} records, k = {plain(compared.k)} of {', '.join(compared.quasi)}"
    rows = [("method", *COLUMNS), *(_row(one) for one in compared.outcomes)]
    made = _table(title, rows)
    if width_of(made) > out.width:
        # there is more room downwards
        made = _table(title, list(zip(*rows, strict=True)))
    out.print(made)
    for name, refusal in compared.refused.items():
        out.print(f"{name} makes no release: {refusal.message}.", markup=False)
        if refusal.hint:
            out.print(f"  What would help: {refusal.hint}.", markup=False)
    for line in _notes(compared):
        out.print(line, markup=False)
    if picture is not None:
        out.print(f"The picture lies in {picture}.", markup=False)


def _table(title: str, rows: list[tuple[str, ...]]) -> Table:
    made = one_table(title, rows[0], rows[1:])
    for column in made.columns[1:]:
        column.justify = "right"
    return made


def _row(one: Outcome) -> tuple[str, ...]:
    if not isinstance(one.result, Found):
        return one.name, "not kept", *["-"] * (len(COLUMNS) - 1)
    its = one.result
    sigma = None if its.sigma_k is None else round(its.sigma_k)
    counts = (plain(count) for count in (its.k, its.fuzzy_k, sigma, its.q, its.l, its.fuzzy_l))
    distances = ("-" if distance is None else f"{distance:.3f}" for distance in (its.t, its.fuzzy_t))
    risks = (f"{100 * risk:.3g}%" for risk in (its.rate, its.highest))
    return one.name, *counts, *distances, *risks, f"{its.loss.mean:.4f}"


def _notes(compared: Compared) -> list[str]:
    """Say what the columns are."""
    told = [
        "k: records released alike, at least. fuzzy k, sigma k: records of a fuzzy set, by QADM14 (2) and by the "
        f"sigma-count. Q: what is possible to {LEVEL:g}. A box is a crisp set: its fuzzy measures are the crisp ones.",
        "risk: the share of records expected to be re-identified. highest: the risk of a single record.",
        "loss: squared differences between values and what is told of them (middles of boxes, centres of sets weighted "
        "by grades), over those from the mean.",
    ]
    if compared.sensitive:
        worst = compared.sensitive[0] if len(compared.sensitive) == 1 else "the worst of the sensitive attributes"
        told.insert(1, f"l, t: distinct values and distance from the table, of {worst}.")
    if compared.shown == "words":
        told.append("Words of fuzzy sets are counted as equal grades.")
    return told
