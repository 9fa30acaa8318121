"""``sfumato report``: one page for the steward and the officer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.audit import as_json
from sfumato.cli.options import Json, Seed
from sfumato.cli.show import console, emit, progress_shown, verdict
from sfumato.report.evidence import Evidence
from sfumato.report.promised import verdict_of
from sfumato.report.writing import write_report


def report(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    *,
    out: Annotated[Path | None, typer.Option(help="The page; default: RELEASE.html beside the release.")] = None,
    private: Annotated[
        Path | None,
        typer.Option(help="The steward's record, or RELEASE.private: writes the private edition."),
    ] = None,
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Write one HTML page for the steward and the officer; exit 1 when a promise is broken."""
    with progress_shown() as progress:
        path, evidence = write_report(release, out, private=private, progress=progress)
    with verdict(kept=evidence.audit.holds):
        if json:
            emit(_as_json(path, evidence, private=private is not None))
        else:
            lines = console()
            lines.print(verdict_of(evidence), markup=False)
            edition = "private edition, for you only," if private is not None else "report"
            lines.print(f"The {edition} lies in {path}.", markup=False)


def _as_json(path: Path, evidence: Evidence, *, private: bool) -> dict[str, Any]:
    told = [one.found.summary() for one in evidence.told if one.found is not None]
    return {
        "report": str(path),
        "edition": "private" if private else "public",
        **as_json(evidence.audit),
        "statistics": told,
    }
