"""``sfumato protect``: from a recipe to a written release."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from sfumato.alternatives import check_others
from sfumato.boxes import Boxes
from sfumato.boxes.drowning import drowned
from sfumato.cli.estimate import show as show_estimates
from sfumato.cli.options import Json, ReleaseSeed, names
from sfumato.cli.show import console, emit, plain, progress_shown, table, verdict
from sfumato.errors import SettingError, SfumatoWarning
from sfumato.measures.summary import cautions
from sfumato.progress import whole
from sfumato.randomness import Secret
from sfumato.recipe import Recipe, read_recipe
from sfumato.release.audit import Audit
from sfumato.release.folder import beside, named
from sfumato.release.fuzziness import fuzzy_forms
from sfumato.release.private import record_to_repeat
from sfumato.release.release import Format, Release, check_folder
from sfumato.report.evidence import Evidence, evidence_of
from sfumato.report.page import counted
from sfumato.report.promised import apart, limits_table, naming, told_together, withheld_households
from sfumato.report.protected import exactness, shown_edges

SAME = "It is the release of the private record, byte by byte."
OTHER = (
    "It is not the release of the private record: the file, the recipe, the options or the software are not the same."
)

STATISTICS = 4
"""Of so many statistics widths are printed; JSON tells all."""


def protect(
    recipe: Annotated[Path, typer.Argument(help="The recipe, a TOML file.")],
    *,
    out: Annotated[
        Path | None, typer.Option(help="Where the release is written; default: RECIPE-release beside the recipe.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a release that is there.")] = False,
    format: Annotated[str | None, typer.Option(help="Of the data; default: parquet.", metavar="parquet|csv")] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw the boxes: a file that ends with .png, .svg or .html.")
    ] = None,
    axes: Annotated[
        str | None, typer.Option(help="Of which two attributes; default: the first two of numbers or dates.")
    ] = None,
    alternatives: Annotated[
        str | None,
        typer.Option(help="Also tell what other k's would have cost, as 3,5,20; kept for you alone.", metavar="K,..."),
    ] = None,
    again: Annotated[
        Path | None,
        typer.Option(help="Make the release of this private record (or folder with one) again.", metavar="PRIVATE"),
    ] = None,
    json: Json = False,
    seed: ReleaseSeed = None,
) -> None:
    """Run the recipe's protections in order and write the release."""
    if again is not None and seed is not None:
        raise SettingError("--again takes the secret of a record, so that --seed has no meaning", hint="leave one out")
    record = None if again is None else record_to_repeat(again)
    if record is not None:
        seed, format = record.get("seed"), format or record.get("format")
    format = format or "parquet"
    asked, others = read_recipe(recipe, seed=seed), _others(alternatives)
    told = named(out or recipe.parent / f"{recipe.stem}-release")
    folder = check_folder(told, force=force)
    across = _axes(axes, picture)
    if format not in ("parquet", "csv"):
        raise SettingError(f"format {format!r} is not known; allowed: parquet, csv")
    if picture is not None:
        from sfumato.report.pictures import check_picture

        check_picture(picture, beside=folder)
    secret = None if record is None else Secret.from_record(record)
    with progress_shown() as shown, whole(shown) as progress:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", SfumatoWarning)
            release = asked.run(alternatives=others, progress=progress, secret=secret)
        chart = None
        if picture is not None and release.settings["method"] == "exchange":
            raise SettingError(
                "--picture draws boxes, and there are none", hint="sfumato audit --private draws signals"
            )
        if picture is not None:
            from sfumato.report import boxes_chart

            chart = boxes_chart(release, *across)
        release.write(folder, format=cast("Format", format), force=force, progress=progress)
        if picture is not None and chart is not None:
            from sfumato.report import write_picture

            progress("drawing", 0.0)
            write_picture(chart, picture)
        written = evidence_of(folder, progress=progress)
    same = None if record is None or written.certificate is None else written.certificate.seal == record.get("seal")
    with verdict(kept=written.audit.holds and same is not False):
        if json:
            content = as_json(asked, release, written)
            content |= {"release": str(told), "picture": None if picture is None else str(picture)}
            emit(content | ({} if same is None else {"again": same}))
        else:
            _show(asked, release, written, told, picture, [str(one.message) for one in warned])
            if same is not None:
                console().print(SAME if same else OTHER)


def _axes(given: str | None, picture: Path | None) -> tuple[str, ...]:
    if given is None:
        return ()
    if picture is None:
        raise SettingError("--axes needs --picture")
    found = names([given])
    if len(found) != 2:
        raise SettingError(f"--axes needs two attributes (given: {given!r})", hint="--axes age,income")
    return found


def _others(given: str | None) -> tuple[int, ...]:
    """Read other k's."""
    try:
        return check_others(int(one) for one in names([given])) if given is not None else ()
    except ValueError:
        raise SettingError(
            f"--alternatives takes whole numbers (given: {given!r})", hint="--alternatives 3,5,20"
        ) from None


def as_json(recipe: Recipe, release: Release, written: Evidence) -> dict[str, Any]:
    """Return what was done as one JSON object."""
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
        "statistics": [one.found.summary() for one in written.told if one.found is not None],
        "sets": {name: form.sets for name, form in fuzzy_forms(release.codebook).items()},
        "exchanged": settings.get("exchanged"),
        "groups": [_group_as_json(one) for one in release.private.get("groups", [])],
        "alternatives": release.private.get("alternatives", []),
    }


def _group_as_json(record: dict[str, Any]) -> dict[str, Any]:
    """Return what hiding a group has cost, without what could give it away."""
    told = {
        name: record[name] for name in ("cost", "optimal", "moved", "at_least", "proven", "changed_records", "tables")
    }
    told |= {"outliers": {when: len(labels) for when, labels in record["outliers"].items()}}
    if against := record.get("against"):
        found = [
            {"name": one["name"], "before": len(one["found_before"]), "after": len(one["found_after"])}
            for one in against["attacks"]
        ]
        told["against"] = {**against, "attacks": found}
    return told


def _boxes_as_json(release: Release) -> dict[str, Any]:
    settings, private = release.settings, release.private
    if settings["method"] != "boxes":
        return {}
    edges = {"kind": settings["edges"], "grids": settings["grids"], "shown": private["shown"]}
    return {"uncertainty": private["uncertainty"], "edges": edges}


def _show(
    recipe: Recipe, release: Release, written: Evidence, folder: Path, picture: Path | None, warned: Sequence[str]
) -> None:
    out = console()
    settings, audit, measured = release.settings, written.audit, written.audit.measured
    out.print(f"[bold]{plain(recipe.source.path)}[/bold]: {_counted(release, audit)}.")
    out.print("The release holds." if audit.holds else "The release does not hold.", style="bold")
    for finding in audit.findings:
        out.print(f"  {finding.about}: {finding.message}", markup=False)
    drowned_ones = _drowned(recipe, release) if settings["method"] == "boxes" else []
    for line in dict.fromkeys((*naming(written), *warned)):
        if line not in drowned_ones:
            out.print(line, style="bold", markup=False)
    if (limits := limits_table(written)) is not None:
        out.print(table("What every block keeps", limits.columns, limits.rows))
        together = (*apart(written), *withheld_households(written), *told_together(measured))
        for line in (*together, *cautions(measured, release.promise)):
            out.print(line, markup=False)
        risk, expected = measured["risk"], plain(measured["risk"]["expected"])
        out.print(f"Risk: {expected} re-identifications expected, at most {plain(risk['highest'])} for a record.")
    else:
        out.print("Single people are not protected: a group mask hides groups. Add a protection after it.")
    if told := [one.found for one in written.told if one.found is not None]:
        show_estimates(told, None)
    boxes = (
        (*exactness(release.private["uncertainty"]), *drowned_ones, *_edges(release))
        if settings["method"] == "boxes"
        else ()
    )
    for line in (*_groups(release), *boxes, *_sets(release, measured)):
        out.print(line, markup=False)
    _show_others(release.private.get("alternatives", []))
    for line in release.notes:
        out.print(line, markup=False)
    out.print(f"The release lies in {folder}; what only you may keep in {beside(folder, '.private')}.", markup=False)
    if picture is not None:
        out.print(f"The picture lies in {picture}.", markup=False)


def _show_others(told: list[dict[str, Any]]) -> None:
    """Print what each k would have cost."""
    if not told:
        return
    out, kept = console(), [one for one in told if one["refused"] is None]
    statistics = list(kept[0]["widths"])[:STATISTICS]
    columns = ("k", "risk", "highest", "detail gone", "loss", *statistics)
    rows = [
        (
            f"{one['k']:,}{' (released)' if one['released'] else ''}",
            *(f"{100 * one[name]:.3g}%" for name in ("rate", "highest", "detail")),
            "-" if one["information_loss"] is None else f"{one['information_loss']:.4f}",
            *(one["widths"].get(name) for name in statistics),
        )
        for one in kept
    ]
    out.print(table("What another k would have cost; for you alone", columns, rows, whole=True))
    out.print("loss: information loss of numbers, 0 if all is told, 1 if no more than the mean.")
    if statistics:
        out.print("Statistics are told by the width of the range in which each surely lies.")
    for one in told:
        if one["refused"] is not None:
            out.print(f"k = {one['k']:,} makes no release: {one['refused']['message']}.", markup=False)


def _counted(release: Release, audit: Audit) -> str:
    left_out = release.private.get("left_out", 0)
    told = f"{plain(release.microfile.records)} records"
    if "blocks" in audit.measured:
        told += f" in {plain(audit.measured['blocks'])} blocks"
    return f"{told}, {plain(left_out)} left out" if left_out else f"{told}, none left out"


def _groups(release: Release) -> list[str]:
    """Say what hiding groups has cost; which they are, and where, stands in the steward's record alone."""
    lines = []
    for number, one in enumerate(release.private.get("groups", []), start=1):
        proved = ", and no exchange with this outcome costs less" if one["optimal"] else ""
        lines.append(
            f"Group {number}: {counted(one['moved'], 'member')} moved{_fewest(one)}, "
            f"{counted(one['changed_records'], 'record')} exchanged; "
            f"distortion {plain(one['cost'])}{proved}.{_standing_out(one)}"
        )
        lines += _against(one)
        if weighted := one.get("weighted"):
            lines.append(f"  Counted with weights, {_places(weighted['outliers'])}")
    if lines:
        exchanged = release.settings["exchanged"]
        lines.append(
            f"The release says that values of {', '.join(exchanged['attributes'])} may have been exchanged between "
            "records, and no more."
        )
    return lines


def _standing_out(group: dict[str, Any]) -> str:
    """Say at how many places the group stands out, if the release tells who belongs to it."""
    if not group.get("against", {}).get("vital_released", True):
        return ""
    return f" {_places(group['outliers'])}"


def _places(outliers: dict[str, Any]) -> str:
    before, after = (len(outliers[when]) for when in ("before", "after"))
    return f"{counted(before, 'place')} stood out, {counted(after, 'does', 'do')} now."


def _against(group: dict[str, Any]) -> list[str]:
    """Say what attacks found before and find now, and what it cost."""
    told = group.get("against")
    if told is None:
        return []
    lines = [
        f"  {one['name'].capitalize()} found {plain(len(one['found_before']))} of {plain(len(group['hidden']))} hidden "
        f"places before, {plain(len(one['found_after']))} now."
        for one in told["attacks"]
    ]
    return [
        *lines,
        f"  It took {plain(told['looks'])} looks; {told['share_of_values']:.4%} of all values were changed.",
    ]


def _fewest(group: dict[str, Any]) -> str:
    """Say whether fewer members could have been moved, as far as it is known."""
    if group["at_least"] is None:
        return ""
    return " (no fewer would do)" if group["proven"] else f" (at least {plain(group['at_least'])} have to be)"


def _drowned(recipe: Recipe, release: Release) -> list[str]:
    """Say whether preserved statistics may be inexact because of attributes that none of them names."""
    asked = recipe.protections[-1]
    return drowned(asked, release.private["uncertainty"]) if isinstance(asked, Boxes) else []


def _edges(release: Release) -> list[str]:
    """Say where edges lie and what they show."""
    settings = release.settings
    where = {"tight": "are tight", "tiling": "lie at the cuts, and the boxes cover the whole space"}
    grids = [f"{name} {step if isinstance(step, str) else f'{step:g}'}" for name, step in settings["grids"].items()]
    if settings["edges"] in where:
        lines = [f"Edges {where[settings['edges']]}."]
    else:
        lines = [f"Edges lie on grids: {', '.join(grids)}."] if grids else []
    return [*lines, shown_edges(release.private["shown"], release.promise.k)] if lines else []


def _sets(release: Release, measured: dict[str, Any]) -> list[str]:
    """Say what fuzzy sets mean, and what can be inferred from the words or grades of a record."""
    lines = []
    for name, form in fuzzy_forms(release.codebook).items():
        lines.append(f"{name} is released as {form.shown} of {len(form.sets)} sets:")
        lines += [f"  {word}: {meaning}" for word, meaning in form.sets.items()]
    for name, its in measured.get("fuzzy", {}).get("inversion", {}).items():
        lines.append(
            f"Inverting the words or grades of a record, all other attributes known, leaves at least "
            f"{its['narrowest']:.3g} of {name} on average, and at most {its['hundredth']:.3g} for one record in 100; "
            f"{name} extends over {its['extent']:.3g}."
        )
    return lines
