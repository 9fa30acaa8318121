"""``sfumato demo``: the whole process on a synthetic census, from a profile to a report."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.attacks import Verdict, attack_record, keep_attack
from sfumato.cli.audit import as_json, show
from sfumato.cli.options import Json, Seed
from sfumato.cli.output import console, emit, plain, progress_shown, verdict
from sfumato.datasets import census
from sfumato.errors import SettingError
from sfumato.measures import Profile, profile
from sfumato.progress import Progress
from sfumato.recipe import Recipe
from sfumato.release import Audit, Release, audit_folder, certificate_of, open_release
from sfumato.report import disclosure_chart, write_picture, write_report
from sfumato.statistics import Estimate, Regression
from sfumato.views import rules_of

RECORDS = 50_000
YEARS = (2018, 2020)
RECIPE = "recipe.toml"
HEADING = "Results of sfumato demo"
"""The first words of the note by which a folder of a demo is recognised."""
NOTE = "README.txt"
CONTENTS = f"""{HEADING}

census2018.parquet, census2020.parquet  synthetic censuses; the people in them do not exist
recipe.toml                             the settings, to read and to change
release                                 what may be published
release.private                         the confidential record: do not publish
report.html                             the release explained, for everybody
report-private.html, attack.svg         confidential: where the group is, and what attacks find
"""


@dataclass(frozen=True)
class DemoResult:
    """The results of the steps of a demo."""

    profile: Profile
    release: Release
    audit: Audit
    estimates: list[Estimate | Regression]
    before: Verdict
    after: Verdict


def demo(
    *,
    out: Annotated[Path, typer.Option(help="The folder for all results.")] = Path("demo"),
    force: Annotated[bool, typer.Option("--force", help="Replace the results of an earlier demo.")] = False,
    json: Json = False,
    seed: Seed = 1,
) -> None:
    """Run the whole process on a synthetic census: profile, attack, protect, audit, estimate, report."""
    # whether a/../b exists is unknown before a does
    folder = out.resolve() if ".." in out.parts else out
    with progress_shown() as progress:
        _refuse(folder, force=force)
        with _atomic_folder(folder) as work:
            result = _run(work, 1 if seed is None else seed, progress)
    with verdict(satisfied=result.audit.holds and not result.after.disclosed):
        emit(_as_json(result, out)) if json else _show(result, out)


def _refuse(folder: Path, *, force: bool) -> None:
    """Refuse an existing folder, unless it is a demo's and may be replaced."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise SettingError(f"{folder} is a file, not a folder", hint="choose a folder that does not exist yet")
    if not force:
        raise SettingError(f"{folder} already exists", hint="choose another folder, or use --force")
    note = folder / NOTE
    if not (note.is_file() and note.read_text(encoding="utf-8").startswith(HEADING)):
        raise SettingError(f"{folder} does not contain a demo, so it is not replaced", hint="choose another folder")


@contextmanager
def _atomic_folder(folder: Path) -> Iterator[Path]:
    """Provide a temporary folder that takes the final name when all is done; an interruption leaves nothing behind."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError:
        raise SettingError(f"{folder} cannot be created", hint="choose another folder") from None
    try:
        (work / NOTE).write_text(CONTENTS, encoding="utf-8")
        yield work
        if folder.exists():
            shutil.rmtree(folder)
        work.chmod(0o755)
        work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _run(folder: Path, seed: int, progress: Progress) -> DemoResult:
    for year in YEARS:
        progress(f"generating the census of {year}", 0.0)
        census(RECORDS, seed=seed, year=year).frame.write_parquet(folder / f"census{year}.parquet")
    text = files("sfumato.cli").joinpath("demo.toml").read_text(encoding="utf-8")
    (folder / RECIPE).write_text(text.replace("seed = 1", f"seed = {seed}", 1))
    recipe = Recipe.from_toml(folder / RECIPE)
    people = recipe.read(progress)
    profiled = profile(people, progress=progress)
    attacks, steps = recipe.attacks(people, progress)
    before = recipe.judge(attacks, people, progress=progress)
    release = recipe.run(people, progress=progress)
    release.write(folder / "release", progress=progress)
    opened = open_release(folder / "release")
    after = recipe.judge(attacks, people, opened, progress=progress)
    estimates = [opened.estimate(preserved["statistic"]) for preserved in opened.settings["preserve"]]
    progress("writing the report", 0.0)
    verdicts = {"unprotected": before, "released": after}
    write_picture(disclosure_chart(verdicts), folder / "attack.svg", private=True)
    record = attack_record(verdicts, third_party=[path for path, _ in steps])
    keep_attack(folder / "release", certificate_of(folder / "release"), record)
    write_report(folder / "release", folder / "report.html")
    write_report(folder / "release", folder / "report-private.html", private=folder / "release.private")
    return DemoResult(profiled, release, audit_folder(folder / "release"), estimates, before, after)


def _as_json(result: DemoResult, folder: Path) -> dict[str, Any]:
    verdicts = {"unprotected": result.before, "released": result.after}
    return {
        "folder": str(folder),
        "release": str(folder / "release"),
        "report": str(folder / "report.html"),
        "after": as_json(result.audit),
        "estimates": [estimate.summary() for estimate in result.estimates],
        "attacks": {
            when: [disclosure.summary() for disclosure in verdict.disclosures] for when, verdict in verdicts.items()
        },
    }


def _show(result: DemoResult, folder: Path) -> None:
    screen = console()
    worst = result.profile.combinations[-1]
    screen.print(f"[bold]A synthetic census[/bold] of {RECORDS:,} people, which a statistics office has to publish.")
    screen.print("")
    screen.print("[bold]1. Individuals.[/bold] Removing names does not protect them:", end=" ")
    screen.print(f"{', '.join(worst.names)} together single out {worst.share:.0%} of them.", markup=False)
    first = result.before.worst
    screen.print(
        f"[bold]2. A group.[/bold] {plain(int(first.true.values.sum()))} people serve in the army. The group is an "
        f"outlier at {plain(len(first.standing_out))} of {plain(len(first.labels))} places of work."
    )
    rules = rules_of(result.before)
    screen.print(
        f"   If only the attribute is removed, an attacker with the census of {YEARS[0]} learns what is typical of "
        f"soldiers. All attacks together find {plain(len(result.before.places))} of these places, {first.attack} "
        f"alone {plain(len(first.disclosed))}."
    )
    if rules:
        screen.print(f"   One of {plain(len(rules))} rules: {rules[0].words}.", markup=False)
    group = result.release.private["groups"][0]
    screen.print(
        f"[bold]3. The recipe[/bold] {plain(folder / RECIPE)} swaps the places of work of "
        f"{plain(group['changed_records'])} people, {group['against']['share_of_values']:.2%} of all values, and "
        f"generalises all records to boxes of at least {result.release.promise.k}."
    )
    screen.print(f"   The same attacks, trained again, now find {plain(len(result.after.places))} of the places.")
    screen.print("[bold]4. The audit[/bold] of the release, from the written files alone:")
    show(result.audit)
    screen.print("[bold]5. Statistics[/bold] from the release, with ranges that are guaranteed to contain the truth:")
    for estimate in result.estimates:
        screen.print(f"   {estimate}", markup=False)
    screen.print("")
    screen.print(f"[bold]Open[/bold] {plain(folder / 'report.html')} to show the officer,", end=" ")
    screen.print(f"and {folder / 'report-private.html'} for yourself: it is confidential.", markup=False)
    screen.print(
        f"Next: sfumato audit {folder / 'release'}, or change {folder / RECIPE} and run it again.", markup=False
    )
