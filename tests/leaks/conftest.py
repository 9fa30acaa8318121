"""Figures of attacks, printed as one table at the end of a run of ``pytest tests/leaks``."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Figure = Callable[..., None]
KEY = "leak figures"


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Figure:
    """Note an attack's success beside its baseline.

    ``figure(attack, now=..., baseline=..., before=...)``: what the attack achieves on a release of today, what somebody
    achieves without it, and what it achieved before the leak was closed.
    """

    def note(attack: str, *, now: float, baseline: float, before: float) -> None:
        record_property(KEY, (attack, f"{before:.4g}", f"{now:.4g}", f"{baseline:.4g}"))

    return note


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for key in ("passed", "failed") for report in terminalreporter.stats.get(key, [])]
    rows = [value for report in reports for key, value in report.user_properties if key == KEY]
    if rows:
        terminalreporter.section("attacks on releases")
        for attack, before, now, baseline in [("attack", "before", "now", "baseline"), *sorted(map(tuple, rows))]:
            terminalreporter.write_line(f"{attack:<72}{before:>12}{now:>12}{baseline:>12}")
