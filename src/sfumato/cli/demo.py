"""``sfumato demo``: from a file to a release that keeps its promise, on an embedded census."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from sfumato.cli.audit import as_json, show
from sfumato.cli.options import Json, Seed
from sfumato.cli.show import console, emit, plain, progress_shown
from sfumato.measures.kept import keeps
from sfumato.measures.profile import Combination, profile
from sfumato.measures.promise import Promise
from sfumato.measures.safety import measure
from sfumato.measures.summary import summarize
from sfumato.measures.utility import Utility, utility_of
from sfumato.microfile.census import census
from sfumato.microfile.forms import Exact, Form, Interval, Sets
from sfumato.microfile.hierarchy import Hierarchy
from sfumato.microfile.microfile import Microfile
from sfumato.release.audit import Audit, audit_folder
from sfumato.release.release import Release, open_release
from sfumato.statistics.estimate import Estimate, Regression

RECORDS = 50_000
YEARS = 20
LEFT_OUT = ("name", "household", "zip", "hours", "weight")
STATISTICS = ("mean(age)", "std(age)", "corr(age, income)")
PROMISE = Promise(quasi=("region", "sex", "age", "education"), sensitive=("illness", "income"), k=10, l=3, t=0.35)


def demo(
    *,
    out: Annotated[Path, typer.Option(help="Where the release is written.")] = Path("demo-release"),
    force: Annotated[bool, typer.Option("--force", help="Replace a release that is there.")] = False,
    json: Json = False,
    seed: Seed = 1,
) -> None:
    """Profile, measure, coarsen, release, audit and estimate an embedded census."""
    with progress_shown() as progress:
        people = census(RECORDS, seed=seed or 0)
        found = profile(people, progress=progress)
        before = measure(people, quasi=PROMISE.quasi, sensitive=PROMISE.sensitive)
        table, forms = _coarsened(people)
        table = _without_rare_blocks(table, forms)
        lost = utility_of(people, table, quasi=PROMISE.quasi, forms=forms)
        release = Release(
            table,
            promise=PROMISE,
            forms=forms,
            identifiers=LEFT_OUT,
            settings={"method": "intervals of 20 years, pairs of schools"},
            private={"original_records": people.records},
        )
        release.write(out, force=force, seed=seed, progress=progress)
        after = audit_folder(out)
        opened = open_release(out)
        told = [opened.estimate(statistic) for statistic in STATISTICS]
    if json:
        content = {"before": summarize(before), "after": as_json(after), "lost": _lost(lost), "release": str(out)}
        emit(content | {"estimates": [one.summary() for one in told]})
    else:
        _tell(found.combinations, summarize(before), lost, after, told, out)


def _coarsened(people: Microfile) -> tuple[Microfile, dict[str, Form]]:
    """Leave out what names people, put ages into intervals of 20 years and schools into sets of two."""
    low = people.series("age") // YEARS * YEARS
    schools = people.encoded("education").values.tolist()
    hierarchy = Hierarchy.automatic(people, "education")
    members: dict[str, list[str]] = {}
    for school in schools:
        path = hierarchy.path(school) or (hierarchy.fallback,)
        members.setdefault(path[0], []).append(school)
    table = people.with_columns(
        {
            "age.lo": low,
            "age.hi": low + YEARS - 1,
            "education": hierarchy.generalize(people, "education", level=1).labels,
        }
    )
    forms: dict[str, Form] = {
        "age": Interval(),
        "education": Sets(members={label: tuple(its) for label, its in members.items()}),
    }
    return table.select([name for name in table.names if name not in (*LEFT_OUT, "age")]), forms


def _without_rare_blocks(table: Microfile, forms: dict[str, Form]) -> Microfile:
    """Leave out the records of blocks that break a limit, until none does."""
    keys = [column for name in PROMISE.quasi for column in forms.get(name, Exact()).columns(name)]
    while (kept := keeps(table, PROMISE, keys=keys)).broken:
        broken = np.logical_or.reduce([limit.measure.breaking(limit.limit) for limit in kept.broken])
        table = table.filter(~broken[kept.safety.blocks.numbers])
    return table


def _lost(lost: Utility) -> dict[str, Any]:
    return {
        "penalty": round(lost.penalty, 6),
        "suppressed": lost.suppressed,
        "average_block": round(lost.average_block, 3),
        "mean_change": {name: round(change.difference, 6) for name, change in lost.means.items()},
    }


def _tell(
    combinations: tuple[Combination, ...],
    before: dict[str, Any],
    lost: Utility,
    after: Audit,
    told: Sequence[Estimate | Regression],
    out: Path,
) -> None:
    screen = console()
    worst = combinations[-1]
    screen.print(f"[bold]A made-up census[/bold] of {RECORDS:,} people, with names, households and illnesses.")
    screen.print(
        f"Without their names they are not safe: {', '.join(worst.names)} alone single out {worst.share:.0%} of them."
    )
    quasi = ", ".join(PROMISE.quasi)
    screen.print(
        f"On {quasi} the smallest block has {plain(before['k'])} record, and "
        f"{plain(round(before['risk']['expected']))} re-identifications are to be expected."
    )
    screen.print(
        f"So ages and schools were coarsened and {plain(lost.suppressed)} records of rare blocks left out, which "
        f"costs {lost.penalty:.0%} of the detail, to promise k = {PROMISE.k}, l = {PROMISE.l:g}, t = {PROMISE.t:g}."
    )
    screen.print(f"The release lies in {out}; its audit, from the files alone:", markup=False)
    show(after)
    screen.print("What it still tells about the people in it, with ranges in which the truth must lie:")
    for one in told:
        screen.print(f"  {one}", markup=False)
    screen.print(f"Try: sfumato audit {out} --json, or change a cell of it and audit again.", markup=False)
