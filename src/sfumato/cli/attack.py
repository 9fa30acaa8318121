"""``sfumato attack``: what an attacker with another file learns about a group."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.attacks import Verdict, attack_record, caveats_of, keep_attack
from sfumato.cli.options import Json, Seed
from sfumato.cli.output import console, emit, lines, picture_line, plain, progress_shown, tables, verdict
from sfumato.errors import ReleaseError, SettingError, SfumatoWarning
from sfumato.harmonising import Done, harmonise
from sfumato.microfile import Microfile
from sfumato.recipe import Recipe
from sfumato.release import Certificate, Release, certificate_of, open_release, require_release
from sfumato.views import (
    LEGEND,
    disclosure_sentence,
    group_sentence,
    last_verdict,
    place_table,
    preparation,
    rule_lines,
    rules_of,
    verdict_tables,
)


def attack(
    recipe: Annotated[Path, typer.Argument(help=r"The recipe, a TOML file with \[attack].")],
    *,
    release: Annotated[
        Path | None,
        typer.Option(help="A written release; default: the result of the recipe's protections, if it has any."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw the result: a file name ending in .png, .svg or .html.")
    ] = None,
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Attack a group as an attacker with another file would; exit with 1 if the group is disclosed.

    The output shows where the group is: keep it confidential. With --release it is also stored in RELEASE.private, for
    the confidential edition of the report.
    """
    settings = Recipe.from_toml(recipe, seed=seed)
    if settings.plan is None:
        raise SettingError(
            f"{recipe} has no [attack]", hint="add an [attack] table that names the attacker's file", setting="attack"
        )
    if picture is not None:
        from sfumato.report import check_picture

        check_picture(picture, beside=release)
    with progress_shown() as progress, warnings.catch_warnings():
        # reported as notes
        warnings.simplefilter("ignore", SfumatoWarning)
        people = settings.read(progress)
        attacks, steps = settings.attacks(people, progress)
        own_steps = harmonise(people, settings.plan.harmonise).steps
        verdicts = {"unprotected": settings.judge(attacks, people, progress=progress)}
        target = certificate = None
        if release is not None:
            require_release(release)
            certificate, target = certificate_of(release), open_release(release)
        elif settings.protections:
            target = settings.run(people, progress=progress)
        if target is not None:
            verdicts["released"] = settings.judge(attacks, people, target, progress=progress)
        notes = (*caveats_of(attacks, people), *_other_file(target, people))
        record = attack_record(verdicts, third_party=[path for path, _ in steps], notes=notes)
        if release is not None and certificate is not None:
            notes += _keep(release, certificate, record)
        if picture is not None:
            from sfumato.report import disclosure_chart, write_picture

            progress("drawing", 1.0)
            write_picture(disclosure_chart(verdicts), picture, private=True)
    with verdict(satisfied=not last_verdict(verdicts).disclosed):
        if json:
            content = as_json(settings, verdicts, steps, record) | {
                "harmonised": _steps(own_steps),
                "notes": list(notes),
            }
            emit(content | ({"picture": str(picture)} if picture else {}))
        else:
            _show(settings, verdicts, [(settings.source.describe(), own_steps), *steps], notes, picture)


def _keep(release: Path, certificate: Certificate, record: dict[str, Any]) -> tuple[str, ...]:
    """Store the result in the confidential record of the release; return a note if that fails, or one is worse."""
    try:
        stored_is_worse = keep_attack(release, certificate, record)
    except ReleaseError as error:
        return (f"the result could not be stored beside the release: {error.message}",)
    return ("an earlier attack disclosed the group in this release: see the confidential report",) * stored_is_worse


def _other_file(release: Release | None, people: Microfile) -> tuple[str, ...]:
    """Say whether a release seems to belong to another file."""
    if release is None:
        return ()
    n_released, n_records = release.microfile.records, people.records
    if (1 - release.public.suppress) * n_records <= n_released <= n_records:
        return ()
    return (f"the release has {n_released:,} records, but the file has {n_records:,}: do they belong together?",)


def as_json(
    recipe: Recipe, verdicts: dict[str, Verdict], steps: list[tuple[str, tuple[Done, ...]]], record: dict[str, Any]
) -> dict[str, Any]:
    """Return the result as one JSON object."""
    last = last_verdict(verdicts)
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
            for rule in rules_of(verdicts["unprotected"])
        ],
        "third_party": [{"path": path, "steps": _steps(done)} for path, done in steps],
    }


def _steps(done: tuple[Done, ...]) -> list[dict[str, Any]]:
    return [{"step": step.step, "removed": step.removed} for step in done]


def _finite(number: float) -> float | None:
    return number if number < float("inf") else None


def _show(
    recipe: Recipe,
    verdicts: dict[str, Verdict],
    steps: list[tuple[str, tuple[Done, ...]]],
    notes: tuple[str, ...],
    picture: Path | None,
) -> None:
    console().print(f"[bold]{plain(recipe.source.describe())}[/bold]: {group_sentence(verdicts)}")
    lines(preparation(steps))
    tables(*verdict_tables(verdicts))
    lines([LEGEND])
    lines(rule_lines(rules_of(verdicts["unprotected"])))
    places, remarks = place_table(last_verdict(verdicts).worst)
    tables(places)
    lines([*remarks, *(f"Note: {note}." for note in notes)])
    lines([disclosure_sentence(verdicts, [path for path, _ in steps[1:]])], style="bold")
    lines(picture_line(picture, confidential=True))
