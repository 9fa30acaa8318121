"""``sfumato attack``: what somebody else's file gives away about a group."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from sfumato.attacks.disclosure import COLUMNS, Disclosure, Verdict
from sfumato.attacks.model import FuzzyModel, Rule
from sfumato.attacks.notes import notes_on
from sfumato.attacks.record import attack_record
from sfumato.cli.options import Json, Seed
from sfumato.cli.show import console, emit, plain, progress_shown, table, verdict
from sfumato.errors import ReleaseError, SettingError, SfumatoWarning
from sfumato.harmonising import Done, harmonise
from sfumato.microfile.microfile import Microfile
from sfumato.recipe import Recipe, read_recipe
from sfumato.release.audit import certificate_of, require_release
from sfumato.release.certificate import Certificate
from sfumato.release.private import keep
from sfumato.release.release import Release, open_release

SHOWN = 30
"""So many of the places that stand out or are found are printed, those with most members; JSON tells all."""
RULES = 5
"""So many rules are printed, the best supported."""


def attack(
    recipe: Annotated[Path, typer.Argument(help=r"The recipe, a TOML file with \[attack].")],
    *,
    release: Annotated[
        Path | None,
        typer.Option(help="A release that was written; default: what the recipe's protections make, if it has any."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Draw what was found: a file that ends with .png, .svg or .html.")
    ] = None,
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Attack as an adversary would, and say what is disclosed; exit 1 when the group is.

    What is printed tells where the group is: it is for the steward alone. Of a written release it is also kept in
    RELEASE.private, for the private edition of its report.
    """
    asked = read_recipe(recipe, seed=seed)
    if asked.plan is None:
        raise SettingError(f"{recipe} has no [attack]", hint="say there which file an adversary has")
    if picture is not None:
        from sfumato.report.pictures import check_picture

        check_picture(picture, beside=release)
    with progress_shown() as progress, warnings.catch_warnings():
        # told as a note
        warnings.simplefilter("ignore", SfumatoWarning)
        people = asked.read(progress)
        attacks, steps = asked.attacks(people, progress)
        own = harmonise(people, asked.plan.harmonise).steps
        found = {"unprotected": asked.judge(attacks, people, progress=progress)}
        given = certificate = None
        if release is not None:
            require_release(release)
            certificate, given = certificate_of(release), open_release(release)
        elif asked.protections:
            given = asked.run(people, progress=progress)
        if given is not None:
            found["released"] = asked.judge(attacks, people, given, progress=progress)
        notes = (*notes_on(attacks, people), *_other_file(given, people))
        record = attack_record(found, third_party=[path for path, _ in steps], notes=notes)
        if release is not None and certificate is not None:
            notes += _keep(release, certificate, record)
        if picture is not None:
            from sfumato.report import disclosure_chart, write_picture

            progress("drawing", 1.0)
            write_picture(disclosure_chart(found), picture, private=True)
    with verdict(kept=not _last(found).disclosed):
        if json:
            told = as_json(asked, found, steps, record) | {"harmonised": _steps(own), "notes": list(notes)}
            emit(told | ({"picture": str(picture)} if picture else {}))
        else:
            _show(asked, found, [(asked.source.path, own), *steps], notes, picture)


def _keep(release: Path, certificate: Certificate, record: dict[str, Any]) -> tuple[str, ...]:
    """Keep what was found with the steward's record of the release, for the private report; say if that cannot be."""
    try:
        keep(release, certificate, "attack", record)
    except ReleaseError as error:
        return (f"the verdict is not kept beside the release: {error.message}",)
    return ()


def _other_file(release: Release | None, people: Microfile) -> tuple[str, ...]:
    """Say whether a release seems to be of another file."""
    if release is None:
        return ()
    records, most = release.microfile.records, people.records
    suppress = release.settings.get("suppress")
    if records == most or (isinstance(suppress, int | float) and (1 - suppress) * most <= records < most):
        return ()
    return (f"release: it tells of {records:,} records, the file has {most:,}; is it of this file?",)


def _last(found: dict[str, Verdict]) -> Verdict:
    """Return the verdict on what would be published."""
    return found.get("released", found["unprotected"])


def as_json(
    recipe: Recipe, found: dict[str, Verdict], steps: list[tuple[str, tuple[Done, ...]]], record: dict[str, Any]
) -> dict[str, Any]:
    """Return what was found as one JSON object."""
    last = _last(found)
    return {
        "recipe": str(recipe.path),
        "disclosed": last.disclosed,
        "places": list(last.places),
        "worst": last.worst.attack,
        "attacks": record["attacks"],
        "rules": [
            {
                "rule": rule.words,
                "support": rule.support,
                "discriminative_factor": rule.discriminative_factor,
                "confidence_ratio": _finite(rule.confidence_ratio),
            }
            for rule in rules_of(found["unprotected"])
        ],
        "third_party": [{"path": path, "steps": _steps(its)} for path, its in steps],
    }


def _steps(done: tuple[Done, ...]) -> list[dict[str, Any]]:
    return [{"step": one.step, "removed": one.removed} for one in done]


def _finite(number: float) -> float | None:
    return number if number < float("inf") else None


def rules_of(found: Verdict) -> tuple[Rule, ...]:
    """Return the rules of the first attack that has some."""
    models = [one.model for one in found.disclosures if isinstance(one.model, FuzzyModel)]
    return models[0].rules if models else ()


def _show(
    recipe: Recipe,
    found: dict[str, Verdict],
    steps: list[tuple[str, tuple[Done, ...]]],
    notes: tuple[str, ...],
    picture: Path | None,
) -> None:
    out = console()
    last, first = _last(found), found["unprotected"].disclosures[0]
    out.print(
        f"[bold]{plain(recipe.source.path)}[/bold]: {plain(int(first.true.values.sum()))} members at "
        f"{plain(len(first.labels))} places. At {plain(len(first.standing_out))} they stand out, which is to be hidden."
    )
    for number, (path, done) in enumerate(steps):
        if number:
            out.print(f"Learned from {path}.", markup=False)
        for one in done:
            if one.removed:
                out.print(f"  {one}", markup=False)
    for when, its in found.items():
        title = "What attacks find if only the vital attributes are removed"
        title = title if when == "unprotected" else "What attacks find in the release"
        out.print(table(title, COLUMNS, [one.row for one in its.disclosures]))
    rules = rules_of(found["unprotected"])
    if rules:
        out.print("1 rule:" if len(rules) == 1 else f"{plain(len(rules))} rules, the best supported first:")
        for rule in rules[:RULES]:
            out.print(f"  {rule.words} (support {rule.support:.1%}, ratio {rule.confidence_ratio:.2f})", markup=False)
    _show_places(last.worst)
    for note in notes:
        out.print(f"Note: {note}.", markup=False)
    if last.places:
        said = f"The group is disclosed: {plain(len(last.places))} of {plain(len(first.standing_out))} places are found"
        out.print(f"{said} ({', '.join(last.places[:12])}).", style="bold", markup=False)
    elif last.disclosed:
        seen = max(last.disclosures, key=lambda one: one.correlation - one.chance_correlation)
        out.print(
            f"The group is disclosed: no place is found by itself, but what {seen.attack} sees goes with the true "
            f"signal (correlation {seen.correlation:.2f}, by chance up to {seen.chance_correlation:.2f}).",
            style="bold",
            markup=False,
        )
    else:
        out.print(
            "The group is not disclosed: no technique finds a place where it stands out, and neither ranks nor "
            "correlation tell more than chance.",
            style="bold",
        )
    if picture is not None:
        out.print(f"The picture lies in {picture}; like all this it is for the steward alone.", markup=False)


def _show_places(one: Disclosure) -> None:
    """Print the places that are found, stand out or are known, and how many members others have at most."""
    members = one.true.values
    told = {*one.standing_out, *one.found, *one.known}
    order = np.argsort(-members, kind="stable").tolist()
    asked, others = [place for place in order if place in told], [place for place in order if place not in told]
    shown, out = asked[:SHOWN], console()
    if shown:
        columns = ("place", *(("region",) if one.regions else ()), "members", "taken for members", "truth", "attack")
        rows = [
            (
                one.labels[place],
                *((one.regions[place],) if one.regions else ()),
                int(members[place]),
                float(one.auxiliary.values[place]),
                "stands out" if place in one.standing_out else "known" if place in one.known else "",
                "found" if place in one.found else "",
            )
            for place in shown
        ]
        out.print(table("Where, by the worst of the attacks", columns, rows))
    if len(asked) > len(shown):
        out.print(f"{plain(len(asked) - len(shown))} more places stand out or are found; --json tells all.")
    if others:
        most = plain(int(members[others[0]]))
        out.print(f"{plain(len(others))} places neither stand out nor are found; they have up to {most} members.")
