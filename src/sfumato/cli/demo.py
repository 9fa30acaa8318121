"""``sfumato demo``: from a file to a release that can be defended, on a generated census."""

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

from sfumato.attacks.attack_record import attack_record
from sfumato.attacks.disclosure import Verdict
from sfumato.cli.audit import as_json, show
from sfumato.cli.options import Json, Seed
from sfumato.cli.output import console, emit, plain, progress_shown, verdict
from sfumato.datasets import census
from sfumato.errors import SettingError
from sfumato.measures.profile import Profile, profile
from sfumato.progress import Progress
from sfumato.recipe import Recipe
from sfumato.release.audit import audit_folder
from sfumato.release.audit_result import Audit
from sfumato.release.opened_release import certificate_of
from sfumato.release.release import Release
from sfumato.release.release_reader import open_release
from sfumato.release.steward_store import keep
from sfumato.report import disclosure_chart, write_picture, write_report
from sfumato.statistics.estimate import Estimate, Regression
from sfumato.views.group_attacks import rules_of

RECORDS = 50_000
YEARS = (2018, 2020)
RECIPE = "recipe.toml"
MADE = "what sfumato demo made"
"""The first words of a file by which a folder is known to be a demo's."""
NOTE = "README.txt"
CONTENTS = f"""{MADE}

census2018.parquet, census2020.parquet  generated censuses; nobody in them lives
recipe.toml                             what was done, to read and to change
release                                 what may be published
release.private                         what only the steward keeps
report.html                             the release explained, for everybody
report-private.html, attack.svg         for the steward alone: where the group is, and what attacks find
"""


@dataclass(frozen=True)
class Told:
    """What the demo did, to be told."""

    found: Profile
    release: Release
    audit: Audit
    estimates: list[Estimate | Regression]
    before: Verdict
    after: Verdict


def demo(
    *,
    out: Annotated[Path, typer.Option(help="The folder that everything is written to.")] = Path("demo"),
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier demo that is there.")] = False,
    json: Json = False,
    seed: Seed = 1,
) -> None:
    """Go the whole way on a generated census: profile, attack, protect, audit, estimate, report."""
    with progress_shown() as progress:
        _refuse(out, force=force)
        with _made(out) as work:
            told = _run(work, 1 if seed is None else seed, progress)
    kept = told.audit.holds and not told.after.disclosed
    with verdict(satisfied=kept):
        emit(_as_json(told, out)) if json else _tell(told, out)


def _refuse(folder: Path, *, force: bool) -> None:
    """Refuse a folder that is there, unless a demo made it and it may be replaced."""
    if not folder.exists():
        return
    if not force:
        raise SettingError(f"{folder} is there already", hint="choose another folder, or --force")
    note = folder / NOTE
    if not (note.is_file() and note.read_text(encoding="utf-8").startswith(MADE)):
        raise SettingError(f"{folder} was not made by a demo, so it is not replaced", hint="choose another folder")


@contextmanager
def _made(folder: Path) -> Iterator[Path]:
    """Give a folder to work in that becomes the demo's when all is done; after an interruption nothing is left."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError:
        raise SettingError(f"{folder} cannot be made", hint="choose another folder") from None
    try:
        (work / NOTE).write_text(CONTENTS, encoding="utf-8")
        yield work
        if folder.exists():
            shutil.rmtree(folder)
        work.chmod(0o755)
        work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _run(folder: Path, seed: int, progress: Progress) -> Told:
    for year in YEARS:
        progress(f"making the census of {year}", 0.0)
        census(RECORDS, seed=seed, year=year).frame.write_parquet(folder / f"census{year}.parquet")
    text = files("sfumato.cli").joinpath("demo.toml").read_text(encoding="utf-8")
    (folder / RECIPE).write_text(text.replace("seed = 1", f"seed = {seed}", 1))
    recipe = Recipe.from_toml(folder / RECIPE)
    people = recipe.read(progress)
    found = profile(people, progress=progress)
    attacks, steps = recipe.attacks(people, progress)
    before = recipe.judge(attacks, people, progress=progress)
    release = recipe.run(people, progress=progress)
    release.write(folder / "release", progress=progress)
    opened = open_release(folder / "release")
    after = recipe.judge(attacks, people, opened, progress=progress)
    estimates = [opened.estimate(one["statistic"]) for one in opened.settings["preserve"]]
    progress("writing the report", 0.0)
    attacked = {"unprotected": before, "released": after}
    write_picture(disclosure_chart(attacked), folder / "attack.svg", private=True)
    record = attack_record(attacked, third_party=[path for path, _ in steps])
    keep(folder / "release", certificate_of(folder / "release"), "attack", record)
    write_report(folder / "release", folder / "report.html")
    write_report(folder / "release", folder / "report-private.html", private=folder / "release.private")
    return Told(found, release, audit_folder(folder / "release"), estimates, before, after)


def _as_json(told: Told, folder: Path) -> dict[str, Any]:
    attacked = {"unprotected": told.before, "released": told.after}
    return {
        "folder": str(folder),
        "release": str(folder / "release"),
        "report": str(folder / "report.html"),
        "after": as_json(told.audit),
        "estimates": [one.summary() for one in told.estimates],
        "attacks": {when: [one.summary() for one in its.disclosures] for when, its in attacked.items()},
    }


def _tell(told: Told, folder: Path) -> None:
    screen = console()
    worst = told.found.combinations[-1]
    screen.print(f"[bold]A made-up census[/bold] of {RECORDS:,} people, in a file that an office has to publish.")
    screen.print("")
    screen.print("[bold]1. Single people.[/bold] Without their names they are not safe:", end=" ")
    screen.print(f"{', '.join(worst.names)} alone single out {worst.share:.0%} of them.", markup=False)
    first = told.before.worst
    screen.print(
        f"[bold]2. A group.[/bold] {plain(int(first.true.values.sum()))} people serve in the army, and at "
        f"{plain(len(first.standing_out))} of {plain(len(first.labels))} places of work they stand out."
    )
    rules = rules_of(told.before)
    screen.print(
        f"   If only the attribute is removed, whoever has the census of {YEARS[0]} learns soldiers' habits there, and "
        f"finds {plain(len(told.before.places))} of the places ({first.attack})."
    )
    if rules:
        screen.print(f"   One of {plain(len(rules))} rules: {rules[0].words}.", markup=False)
    group = told.release.private["groups"][0]
    screen.print(
        f"[bold]3. The recipe[/bold] {plain(folder / RECIPE)} lets {plain(group['changed_records'])} people exchange "
        f"their places of work, {group['against']['share_of_values']:.2%} of all values, and puts everybody into boxes "
        f"of at least {told.release.promise.k}."
    )
    screen.print(f"   The same attacks, learned anew, now find {plain(len(told.after.places))} of the places.")
    screen.print("[bold]4. The release[/bold] speaks for itself. Its audit, from the written files alone:")
    show(told.audit)
    screen.print("   What it still tells, with ranges in which the truth about these people must lie:")
    for one in told.estimates:
        screen.print(f"   {one}", markup=False)
    screen.print("")
    screen.print(f"[bold]Open[/bold] {plain(folder / 'report.html')} for what to show the officer,", end=" ")
    screen.print(f"and {folder / 'report-private.html'} for what only you may see.", markup=False)
    screen.print(
        f"Try: sfumato audit {folder / 'release'}, or change {folder / RECIPE} and run it again.", markup=False
    )
