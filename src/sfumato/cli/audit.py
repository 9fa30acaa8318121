"""``sfumato audit``: whether a release keeps its promise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.options import Json, Seed
from sfumato.cli.show import console, emit, plain, progress_shown, verdict
from sfumato.release.audit import Audit, audit_folder


def audit(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    *,
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Re-measure what is on disk; exit 1 when a promise is broken."""
    with progress_shown() as progress:
        progress("auditing", 0.0)
        found = audit_folder(release)
    with verdict(kept=found.holds):
        emit(as_json(found)) if json else show(found)


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
    if found.measured:
        m = found.measured
        told = f"{plain(m['records'])} records in {plain(m['blocks'])} blocks; k = {plain(m['k'])}"
        told += "".join(f", {name} = {plain(m[name])}" for name in ("l", "t") if m[name] is not None)
        out.print(f"{told}; {plain(m['risk']['expected'])} re-identifications expected", markup=False)
