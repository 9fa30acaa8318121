"""``sfumato audit``: whether a release keeps its promise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.options import Json, Seed
from sfumato.cli.show import console, emit, plain, progress_shown, verdict
from sfumato.errors import SettingError
from sfumato.groups.record import audit_with_record
from sfumato.release.audit import Audit, Opened, audit_files, open_files, require_release
from sfumato.release.certificate import read_private


def audit(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    *,
    private: Annotated[
        Path | None,
        typer.Option(help="The steward's record, or RELEASE.private: also checks that groups are hidden."),
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="With --private: draw each group's signal before and after.")
    ] = None,
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Re-measure what is on disk; exit 1 when a promise is broken."""
    _check(private, picture)
    with progress_shown() as progress:
        progress("auditing", 0.0)
        require_release(release)
        opened = open_files(release)
        record = None if private is None else _record(private, opened)
        found = audit_files(opened) if record is None else audit_with_record(opened, record)
        if record is not None and picture is not None:
            from sfumato.report import goal_chart, write_picture

            progress("drawing", 0.5)
            write_picture(goal_chart(record["groups"]), picture)
    with verdict(kept=found.holds):
        emit(as_json(found)) if json else show(found)


def _check(private: Path | None, picture: Path | None) -> None:
    """Refuse a picture that cannot be drawn before anything is read."""
    if picture is None:
        return
    if private is None:
        raise SettingError("--picture needs --private: a release does not tell which groups were hidden")
    from sfumato.report.pictures import check_picture

    check_picture(picture)


def _record(private: Path, opened: Opened) -> dict[str, Any]:
    """Read the steward's record."""
    record = read_private(private, opened.certificate)
    if not record.get("groups"):
        raise SettingError(
            f"private: {private} tells of no group", hint="it is written beside a release that hides one"
        )
    return record


def as_json(found: Audit) -> dict[str, Any]:
    """Return an audit as one JSON object."""
    return {
        "holds": found.holds,
        "findings": [{"about": f.about, "message": f.message} for f in found.findings],
        **found.measured,
        "why": [reason.summary() for reason in found.reasons],
    }


def show(found: Audit) -> None:
    """Print an audit for people."""
    out = console()
    out.print("[bold]The release holds.[/bold]" if found.holds else "[bold]The release does not hold.[/bold]")
    for finding in found.findings:
        out.print(f"  {finding.about}: {finding.message}", markup=False)
    m = found.measured
    if m and "k" not in m:
        out.print(f"{plain(m['records'])} records; nothing is promised about single people.", markup=False)
    elif m:
        told = f"{plain(m['records'])} records in {plain(m['blocks'])} blocks; k = {plain(m['k'])}"
        told += "".join(f", {name} = {plain(m[name])}" for name in ("l", "t") if m[name] is not None)
        out.print(f"{told}; {plain(m['risk']['expected'])} re-identifications expected", markup=False)
