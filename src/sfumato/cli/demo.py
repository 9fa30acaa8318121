"""``sfumato demo``: from a file to a release that keeps its promise, on an embedded census."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.boxes import Boxes
from sfumato.cli.audit import as_json, show
from sfumato.cli.options import Json, Seed
from sfumato.cli.show import console, emit, plain, progress_shown
from sfumato.measures.profile import Combination, profile
from sfumato.measures.safety import measure
from sfumato.measures.summary import summarize
from sfumato.measures.utility import Utility, utility_of
from sfumato.microfile.census import census
from sfumato.release.audit import Audit, audit_folder
from sfumato.release.release import open_release
from sfumato.statistics.estimate import Estimate, Regression

RECORDS = 50_000
STATISTICS = ("mean(age)", "std(age)", "corr(age, income)")
BOXES = Boxes(
    quasi=("region", "sex", "age", "education"),
    sensitive=("illness", "income"),
    identifiers=("name", "household", "zip", "hours", "weight"),
    k=10,
    l=3,
    t=0.35,
    preserve=STATISTICS,
)


def demo(
    *,
    out: Annotated[Path, typer.Option(help="Where the release is written.")] = Path("demo-release"),
    force: Annotated[bool, typer.Option("--force", help="Replace a release that is there.")] = False,
    json: Json = False,
    seed: Seed = 1,
) -> None:
    """Profile, measure, protect, release, audit and estimate an embedded census."""
    with progress_shown() as progress:
        people = census(RECORDS, seed=seed or 0)
        found = profile(people, progress=progress)
        before = measure(people, quasi=BOXES.quasi, sensitive=BOXES.sensitive)
        release = BOXES.protect(people, progress=progress)
        forms = {name: entry.form for name, entry in release.codebook.attributes.items()}
        lost = utility_of(people, release.microfile, quasi=BOXES.quasi, forms=forms)
        release.write(out, force=force, seed=seed, progress=progress)
        after = audit_folder(out)
        opened = open_release(out)
        told = [opened.estimate(statistic) for statistic in STATISTICS]
    if json:
        content = {"before": summarize(before), "after": as_json(after), "lost": _lost(lost), "release": str(out)}
        emit(content | {"estimates": [one.summary() for one in told]})
    else:
        _tell(found.combinations, summarize(before), lost, after, told, out)


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
    screen.print(
        f"On {', '.join(BOXES.quasi)} the smallest block has {plain(before['k'])} record, and "
        f"{plain(round(before['risk']['expected']))} re-identifications are to be expected."
    )
    screen.print(
        f"So they were put into boxes of at least {BOXES.k} people and {BOXES.l:g} different illnesses and incomes, as "
        f"mixed as everybody's (t = {BOXES.t:g}), shaped to keep {', '.join(STATISTICS)} exact. Nobody was left out, "
        f"and it costs {lost.penalty:.1%} of the detail."
    )
    screen.print(f"The release lies in {out}; its audit, from the files alone:", markup=False)
    show(after)
    screen.print("What it still tells about the people in it, with ranges in which the truth must lie:")
    for one in told:
        screen.print(f"  {one}", markup=False)
    screen.print(f"Try: sfumato audit {out} --json, or change a cell of it and audit again.", markup=False)
