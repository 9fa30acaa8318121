"""``sfumato audit``: whether a release keeps its promise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.attacks.linkage import Linkage
from sfumato.cli.options import Json, Seed, names, with_reading, with_settings
from sfumato.cli.show import console, emit, plain, progress_shown, table, verdict
from sfumato.errors import SettingError
from sfumato.groups.record import audit_with_record
from sfumato.measures.summary import cautions
from sfumato.microfile.reading import read
from sfumato.release.audit import Audit, Opened, audit_files, open_files, require_release
from sfumato.release.certificate import read_private
from sfumato.report.promised import told_together

LINKAGE = ("on", "truth", "methods", "overlap", "certainty")


@with_reading
@with_settings(Linkage, fields=LINKAGE)
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
    outside: Annotated[
        str | None,
        typer.Option(help="A file that others may have: also tells whom it could recognise.", metavar="FILE"),
    ] = None,
    given: dict[str, Any],
    missing_as: Annotated[
        str | None, typer.Option(help="What a missing value is when linking: 'any' value, or its 'own'.")
    ] = None,
    how: dict[str, Any],
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Re-measure what is on disk; exit 1 when a promise is broken."""
    _check(private, picture)
    linkage = _linkage(outside, given | ({} if missing_as is None else {"missing": missing_as}), how, seed)
    with progress_shown() as progress:
        progress("reading", 0.0)
        require_release(release)
        opened = open_files(release)
        progress("auditing", 0.3)
        record = None if private is None else _record(private, opened)
        found = audit_files(opened) if record is None else audit_with_record(opened, record)
        if outside is not None:
            from sfumato.attacks.outside import audit_with_outside

            people = read(outside, **how, progress=progress)
            found = audit_with_outside(found, opened, people, settings=linkage, progress=progress)
        if record is not None and picture is not None:
            from sfumato.report import goal_chart, write_picture

            progress("drawing", 0.5)
            write_picture(goal_chart(record["groups"]), picture, private=True)
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


def _linkage(outside: str | None, given: dict[str, Any], how: dict[str, Any], seed: int | None) -> Linkage:
    """Read how to link, refusing what would have no effect."""
    if outside is None and (given or any(how.values())):
        raise SettingError("options of an outside file need --outside", hint="say which file others may have")
    listed = {name: names(given[name]) for name in ("on", "methods") if name in given}
    return Linkage(**(given | listed | ({} if seed is None else {"seed": seed})))


def as_json(found: Audit) -> dict[str, Any]:
    """Return an audit as one JSON object."""
    return {
        "holds": found.holds,
        "findings": [{"about": f.about, "message": f.message} for f in found.findings],
        **found.measured,
        "notes": list(found.notes),
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
        for line in (*told_together(m), *(() if found.kept is None else cautions(m, found.kept.promise))):
            out.print(line, markup=False)
    for note in found.notes:
        out.print(f"Note: {note}.", markup=False)
    if "linkage" in m:
        _show_linkage(m["linkage"])


def _show_linkage(told: dict[str, Any]) -> None:
    out = console()
    title = f"{plain(told['tried'])} outside records linked on {', '.join(told['on'])}"
    shares = ("reached", "unique", "right", "precision", "expected", "covered")
    columns = ("method", *shares, "candidates", "fewest")
    rows = [
        (name, *(_percent(its[share]) for share in shares), its["candidates"], its["fewest"])
        for name, its in told["methods"].items()
    ]
    out.print(table(title, columns, rows))
    if told["truth"] is None:
        out.print("It is not known who is who, so that nobody can say which links are right.")
    for note in told["notes"]:
        out.print(f"  {note}", markup=False)


def _percent(share: float | None) -> str:
    return plain(None) if share is None else f"{share:.2%}"
