"""What an audit found."""

from __future__ import annotations

from dataclasses import dataclass, field

from sfumato.measures import BrokenLimit, Compliance, Measured, RiskFacts
from sfumato.notebook_tables import table as html_table
from sfumato.release.finding import Finding

VERIFIED = "Verified: the files are intact, and re-measurement confirms every guarantee."
TABLE_VERIFIED = "Verified: re-measurement confirms every guarantee."
INTACT = "The files are intact, but they give no guarantee for individuals."
UNPROMISED = "The release gives no guarantee for individuals."
FAILED = "The release fails its audit: do not publish it, and do not rely on it."


@dataclass(frozen=True)
class Audit:
    """What an audit found."""

    findings: tuple[Finding, ...]
    """Everything that is wrong; empty if the release keeps its promise."""
    measured: Measured = field(default_factory=Measured)
    """All measures of the data; empty where they could not be taken."""
    reasons: tuple[BrokenLimit, ...] = ()
    """For each limit that is broken, why."""
    compliance: Compliance | None = field(default=None, repr=False, compare=False)
    """The blocks measured against the promise, if there is one that can be measured."""
    notes: tuple[str, ...] = ()
    """What could not be checked, and what no audit can check: the publisher's own words."""
    of_files: bool = field(default=False, repr=False, compare=False)
    """Whether the files of a written release were audited, and not only a table in memory."""

    @property
    def holds(self) -> bool:
        """Whether the release is intact and satisfies its promise."""
        return not self.findings

    @property
    def verdict(self) -> str:
        """Whether the release keeps its promise, in the sentence that every face shows."""
        if not self.holds:
            return FAILED
        if "k" in self.measured:
            return VERIFIED if self.of_files else TABLE_VERIFIED
        return INTACT if self.of_files else UNPROMISED

    @property
    def k(self) -> int | None:
        """The number of records in the smallest block."""
        return self.measured.get("k")

    @property
    def l(self) -> float | None:  # noqa: E743  # the field's own letter
        """The distinct l of the worst sensitive attribute."""
        return self.measured.get("l")

    @property
    def t(self) -> float | None:
        """The t of the worst sensitive attribute."""
        return self.measured.get("t")

    @property
    def risk(self) -> RiskFacts | None:
        """The risk of re-identification."""
        return self.measured.get("risk")

    def _repr_html_(self) -> str:
        measures: dict[str, object] = {
            "records": self.measured.get("records"),
            "blocks": self.measured.get("blocks"),
            "k": self.k,
            "l": self.l,
            "t": self.t,
            "expected re-identifications": None if self.risk is None else self.risk["expected"],
            "highest risk of a record": None if self.risk is None else self.risk["highest"],
        }
        rows = [(name, value) for name, value in measures.items() if value is not None]
        notes = [*(f"{finding.about}: {finding.message}" for finding in self.findings), *self.notes]
        return html_table(self.verdict, ("measure", "measured"), rows, notes=notes)
