"""``sfumato protect``: run a recipe and write the release."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from sfumato.cli.estimate import show as show_estimates
from sfumato.cli.options import Json, ReleaseSeed, names
from sfumato.cli.output import console, emit, lines, picture_line, plain, progress_shown, tables, verdict
from sfumato.errors import SettingError, SfumatoWarning
from sfumato.k_sweep import check_others
from sfumato.progress import whole
from sfumato.recipe import Recipe
from sfumato.release import (
    Format,
    Release,
    ReleaseEvidence,
    check_folder,
    evidence_of,
    fuzzy_forms,
    named,
    release_to_repeat,
)
from sfumato.views import (
    DIFFERENT,
    REPEATED,
    UNPROTECTED,
    KAlternative,
    alternatives_notes,
    alternatives_table,
    estimates_of,
    finding_lines,
    individual_sentences,
    limits_table,
    method_sentences,
    printed_statistics,
    set_tables,
    size_sentence,
    warnings_of,
    written_sentence,
)


def protect(
    recipe: Annotated[Path, typer.Argument(help="The recipe, a TOML file.")],
    *,
    out: Annotated[
        Path | None, typer.Option(help="The folder of the release; default: RECIPE-release beside the recipe.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing release.")] = False,
    format: Annotated[
        str | None, typer.Option(help="File format of the data; default: parquet.", metavar="parquet|csv")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw the boxes: a file name ending in .png, .svg or .html.")
    ] = None,
    axes: Annotated[
        str | None, typer.Option(help="The two attributes to draw; default: the first two that are numbers or dates.")
    ] = None,
    alternatives: Annotated[
        str | None,
        typer.Option(
            help="Also compute what other values of k would have cost, such as 3,5,20. Confidential.",
            metavar="K,...",
        ),
    ] = None,
    again: Annotated[
        Path | None,
        typer.Option(
            help="Repeat the release of this confidential record (a file, or the folder with it).", metavar="PRIVATE"
        ),
    ] = None,
    json: Json = False,
    seed: ReleaseSeed = None,
) -> None:
    """Run the protections of a recipe in order and write the release."""
    if again is not None and seed is not None:
        raise SettingError(
            "--again uses the secret of the record, so --seed has no effect", hint="omit one of them", setting="seed"
        )
    earlier = None if again is None else release_to_repeat(again)
    if earlier is not None:
        seed, format = earlier.secret.seed, format or earlier.format
    format = format or "parquet"
    settings, other_k = Recipe.from_toml(recipe, seed=seed), _other_k(alternatives)
    target = named(out or recipe.parent / f"{recipe.stem}-release")
    folder = check_folder(target, force=force)
    drawn_attributes = _axes(axes, picture)
    if format not in ("parquet", "csv"):
        raise SettingError(f"unknown format {format!r}; allowed: parquet, csv", setting="format")
    if picture is not None:
        from sfumato.report import check_picture

        check_picture(picture, beside=folder)
    secret = None if earlier is None else earlier.secret
    with progress_shown() as display, whole(display) as progress:
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always", SfumatoWarning)
            release = settings.run(alternatives=other_k, progress=progress, secret=secret)
        chart = None
        if picture is not None and release.settings["method"] == "exchange":
            raise SettingError(
                "--picture draws boxes, but this release has none",
                hint="sfumato audit --private --picture draws the signals of groups",
                setting="picture",
            )
        if picture is not None:
            from sfumato.report import boxes_chart

            chart = boxes_chart(release, *drawn_attributes)
        release.write(folder, format=cast("Format", format), force=force, progress=progress)
        if picture is not None and chart is not None:
            from sfumato.report import write_picture

            progress("drawing", 0.0)
            write_picture(chart, picture)
        written = evidence_of(folder, progress=progress)
    repeated = None if earlier is None or written.certificate is None else written.certificate.seal == earlier.seal
    with verdict(satisfied=written.audit.holds and repeated is not False):
        if json:
            content = as_json(settings, release, written)
            content |= {"release": str(target), "picture": None if picture is None else str(picture)}
            emit(content | ({} if repeated is None else {"again": repeated}))
        else:
            _show(settings, release, written, [str(warning.message) for warning in raised])
            lines([written_sentence(target), *picture_line(picture)])
            lines([] if repeated is None else [REPEATED if repeated else DIFFERENT])


def _axes(text: str | None, picture: Path | None) -> tuple[str, ...]:
    if text is None:
        return ()
    if picture is None:
        raise SettingError("--axes needs --picture", setting="axes")
    attributes = names([text])
    if len(attributes) != 2:
        raise SettingError(f"--axes needs two attributes (given: {text!r})", hint="--axes age,income", setting="axes")
    return attributes


def _other_k(text: str | None) -> tuple[int, ...]:
    """Read the other values of k."""
    numbers = names([] if text is None else [text])
    if not all(number.isdecimal() for number in numbers):
        raise SettingError(
            f"--alternatives needs whole numbers (given: {text!r})",
            hint="--alternatives 3,5,20",
            setting="alternatives",
        )
    return check_others(map(int, numbers))


def as_json(recipe: Recipe, release: Release, written: ReleaseEvidence) -> dict[str, Any]:
    """Return the result as one JSON object."""
    settings, audit = release.settings, written.audit
    return {
        "recipe": str(recipe.path),
        "method": settings["method"],
        "records": release.microfile.records,
        "left_out": release.private.get("left_out", 0),
        "promised": release.promise.model_dump(mode="json", exclude_none=True),
        "apart": settings.get("apart"),
        "households": settings.get("households"),
        "holds": audit.holds,
        "measured": audit.measured,
        **_boxes_as_json(release),
        "notes": list(release.notes),
        "statistics": [estimate.summary() for estimate in estimates_of(written)],
        "sets": {name: form.sets for name, form in fuzzy_forms(release.codebook).items()},
        "exchanged": settings.get("exchanged"),
        "groups": [_group_as_json(group) for group in release.private.get("groups", [])],
        "alternatives": release.private.get("alternatives", []),
    }


def _group_as_json(record: dict[str, Any]) -> dict[str, Any]:
    """Return what hiding a group cost, without anything that could disclose it."""
    content = {
        name: record[name] for name in ("cost", "optimal", "moved", "at_least", "proven", "changed_records", "tables")
    }
    content |= {"outliers": {when: len(labels) for when, labels in record["outliers"].items()}}
    if against := record.get("against"):
        attacks = [
            {"name": attack["name"], "before": len(attack["found_before"]), "after": len(attack["found_after"])}
            for attack in against["attacks"]
        ]
        content["against"] = {**against, "attacks": attacks}
    return content


def _boxes_as_json(release: Release) -> dict[str, Any]:
    settings, private = release.settings, release.private
    if settings["method"] != "boxes":
        return {}
    edges = {"kind": settings["edges"], "grids": settings["grids"], "shown": private["shown"]}
    return {"uncertainty": private["uncertainty"], "edges": edges}


def _show(recipe: Recipe, release: Release, written: ReleaseEvidence, raised: Sequence[str]) -> None:
    console().print(f"[bold]{plain(recipe.source.describe())}[/bold]: {size_sentence(release, written)}")
    lines([written.audit.verdict], style="bold")
    lines(f"  {finding}" for finding in finding_lines(written.audit))
    lines(warnings_of(recipe, release, written, raised), style="bold")
    limits = limits_table(written)
    tables(limits)
    lines([UNPROTECTED] if limits is None else individual_sentences(release, written))
    if estimates := estimates_of(written):
        show_estimates(estimates)
    lines(method_sentences(recipe, release, written))
    tables(*set_tables(release.codebook))
    alternatives = [KAlternative.model_validate(entry) for entry in release.private.get("alternatives", [])]
    if alternatives:
        statistics = printed_statistics(alternatives)
        tables(alternatives_table(alternatives, statistics=statistics), unbroken=True)
        lines(alternatives_notes(alternatives, statistics=statistics))
    lines(release.notes)
