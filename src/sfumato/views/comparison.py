"""Several protections of one file, compared in one table."""

from __future__ import annotations

from sfumato.comparison import LEVEL, Compared, ComparedRelease, Outcome
from sfumato.formatting import cell, counted, share
from sfumato.views.model import Table

COLUMNS = ("k", "fuzzy k", "sigma k", "Q", "l", "fuzzy l", "t", "fuzzy t", "risk", "highest", "loss")


def comparison_table(compared: Compared) -> Table:
    """Show how safe and how exact the release of each method is."""
    quasi = ", ".join(compared.quasi)
    caption = f"{counted(compared.records, 'record')}, k = {compared.k:,} for {quasi}"
    return Table(caption, ("method", *COLUMNS), tuple(_row(outcome) for outcome in compared.outcomes))


def _row(outcome: Outcome) -> tuple[str, ...]:
    result = outcome.result
    if not isinstance(result, ComparedRelease):
        return outcome.name, "unattainable", *["-"] * (len(COLUMNS) - 1)
    sigma = None if result.sigma_k is None else round(result.sigma_k)
    counts = map(cell, (result.k, result.fuzzy_k, sigma, result.q, result.l, result.fuzzy_l))
    distances = ("-" if distance is None else f"{distance:.3f}" for distance in (result.t, result.fuzzy_t))
    return outcome.name, *counts, *distances, share(result.rate), share(result.highest), f"{result.loss.mean:.4f}"


def comparison_notes(compared: Compared) -> list[str]:
    """Say which methods cannot make a release, and explain the columns."""
    notes = []
    for name, refusal in compared.refused.items():
        notes.append(f"No release by {name}: {refusal.message}.")
        if refusal.hint:
            notes.append(f"  Hint: {refusal.hint}.")
    notes.append(
        "k: records in the smallest block. fuzzy k, sigma k: records in the smallest fuzzy set, by QADM14 (2) and by "
        f"the sigma-count. Q: the largest Q whose possibility is at least {LEVEL:g}. A box is a crisp set, so its "
        "fuzzy measures equal the crisp ones."
    )
    if compared.sensitive:
        worst = compared.sensitive[0] if len(compared.sensitive) == 1 else "the worst sensitive attribute"
        notes.append(f"l, t: different values in a block, and distance from the whole file, for {worst}.")
    notes += [
        "risk: share of records expected to be re-identified. highest: the highest risk of a single record.",
        "loss: squared differences between the values and what is released of them (midpoints of boxes, or centres of "
        "sets weighted by grades), relative to those from the mean.",
    ]
    if compared.shown == "words":
        notes.append("The words of fuzzy sets are counted as equal grades.")
    return notes
