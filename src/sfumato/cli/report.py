"""``sfumato report``: one page for the steward and the officer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.audit import as_json
from sfumato.cli.options import Json, Seed
from sfumato.cli.output import emit, lines, progress_shown, verdict
from sfumato.release import ReleaseEvidence
from sfumato.report import write_report
from sfumato.views import estimates_of


def report(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    *,
    out: Annotated[Path | None, typer.Option(help="The HTML file; default: RELEASE.html beside the release.")] = None,
    private: Annotated[
        Path | None,
        typer.Option(help="The confidential record, or RELEASE.private: write the confidential edition."),
    ] = None,
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Write a report about a release as one HTML page; exit with 1 if a promise is broken."""
    with progress_shown() as progress:
        path, evidence = write_report(release, out, private=private, progress=progress)
    with verdict(satisfied=evidence.audit.holds):
        if json:
            emit(_as_json(path, evidence, private=private is not None))
        else:
            edition = "Confidential report" if private is not None else "Report"
            warning = ": do not publish." if private is not None else "."
            lines([evidence.audit.verdict, f"{edition} written to {path}{warning}"])


def _as_json(path: Path, evidence: ReleaseEvidence, *, private: bool) -> dict[str, Any]:
    return {
        "report": str(path),
        "edition": "private" if private else "public",
        **as_json(evidence.audit),
        "statistics": [estimate.summary() for estimate in estimates_of(evidence)],
    }
