"""``sfumato audit``: check whether a release keeps its promise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.attacks import Linkage
from sfumato.cli.options import Json, Seed, names, with_reading, with_settings
from sfumato.cli.output import emit, lines, progress_shown, tables, verdict
from sfumato.errors import SettingError
from sfumato.groups import HiddenGroupsCheck
from sfumato.microfile import read
from sfumato.release import (
    Audit,
    AuditCheck,
    OpenedRelease,
    audit_files,
    broken_limit_facts,
    open_files,
    read_private,
    require_release,
)
from sfumato.views import finding_lines, linkage_notes, linkage_table, measured_sentences, note_lines

LINKAGE = ("on", "truth", "methods", "overlap", "certainty")


@with_reading
@with_settings(Linkage, fields=LINKAGE)
def audit(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    *,
    private: Annotated[
        Path | None,
        typer.Option(help="The confidential record, or RELEASE.private: also check that groups are hidden."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="With --private: draw the signal of each group before and after.")
    ] = None,
    outside: Annotated[
        str | None,
        typer.Option(help="A file that others may have: also measure whom it could re-identify.", metavar="FILE"),
    ] = None,
    options: dict[str, Any],
    missing_as: Annotated[
        str | None,
        typer.Option(help="How linking treats a missing value: equal to 'any' value, or as a value of its 'own'."),
    ] = None,
    how: dict[str, Any],
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Measure the files of a release again; exit with 1 if a promise is broken."""
    _check(private, picture)
    linkage = _linkage(outside, options | ({} if missing_as is None else {"missing": missing_as}), how, seed)
    with progress_shown() as progress:
        progress("reading", 0.0)
        require_release(release)
        opened = open_files(release)
        progress("auditing", 0.3)
        record = None if private is None else _record(private, opened)
        checks: list[AuditCheck] = [] if record is None else [HiddenGroupsCheck(record)]
        if outside is not None:
            from sfumato.attacks import LinkageCheck

            checks.append(LinkageCheck(read(outside, **how, progress=progress), linkage, progress))
        result = audit_files(opened, checks=checks)
        if record is not None and picture is not None:
            from sfumato.report import goal_chart, write_picture

            progress("drawing", 0.5)
            write_picture(goal_chart(record["groups"]), picture, private=True)
    with verdict(satisfied=result.holds):
        emit(as_json(result)) if json else show(result)


def _check(private: Path | None, picture: Path | None) -> None:
    """Refuse a picture that cannot be drawn, before anything is read."""
    if picture is None:
        return
    if private is None:
        raise SettingError(
            "--picture needs --private: a release does not show which groups were hidden", setting="picture"
        )
    from sfumato.report import check_picture

    check_picture(picture)


def _record(private: Path, opened: OpenedRelease) -> dict[str, Any]:
    """Read the confidential record."""
    record = read_private(private, opened.certificate)
    if not record.get("groups"):
        raise SettingError(
            f"{private} contains no group record",
            hint="such a record is written with a release that hides a group",
            setting="private",
        )
    return record


def _linkage(outside: str | None, options: dict[str, Any], how: dict[str, Any], seed: int | None) -> Linkage:
    """Read how to link, and refuse options that would have no effect."""
    if outside is None and (options or any(how.values())):
        raise SettingError(
            "options of an outside file need --outside", hint="name the file that others may have", setting="outside"
        )
    listed = {name: names(options[name]) for name in ("on", "methods") if name in options}
    return Linkage(**(options | listed | ({} if seed is None else {"seed": seed})))


def as_json(result: Audit) -> dict[str, Any]:
    """Return an audit as one JSON object."""
    return {
        "holds": result.holds,
        "findings": [{"about": finding.about, "message": finding.message} for finding in result.findings],
        **result.measured,
        "notes": list(result.notes),
        "why": [broken_limit_facts(reason) for reason in result.reasons],
    }


def show(result: Audit) -> None:
    """Print an audit."""
    lines([result.verdict], style="bold")
    lines(f"  {finding}" for finding in finding_lines(result))
    lines([*measured_sentences(result), *note_lines(result)])
    if linkage := result.measured.get("linkage"):
        tables(linkage_table(linkage))
        lines(linkage_notes(linkage))
