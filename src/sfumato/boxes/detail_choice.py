"""How much the detail of attributes that no preserved statistic names may count, so that those that are stay exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.boxes.axes import QuasiAxis
from sfumato.boxes.width_costs import WidthCosts

LADDER = (1.0, 0.3, 0.1, 0.03, 0.01)
"""What is tried, one after the other."""
TRIAL = "in trial boxes, before refining them and rounding their edges"
"""Why these figures differ from the error of the release."""
WORTH = 0.8
"""A step down the ladder is worth its price if it lowers the uncertainty to this share, or less."""


@dataclass(frozen=True)
class Trial:
    """A subdivision with some detail."""

    uncertainty: float
    """The mean over the preserved statistics of the half-width of the linear range over the requested accuracy."""
    coarseness: float
    """The mean share of its span that a box covers of an attribute that no preserved statistic names."""


def choose_detail(
    axes: Sequence[QuasiAxis], costs: WidthCosts, tried: Callable[[float], Trial]
) -> tuple[float, tuple[str, ...]]:
    """Return the largest detail with which the requested accuracy is met, and what that costs, in sentences.

    Where none meets it, the last step down the ladder that lowers the uncertainty much.

    Parameters
    ----------
    axes, costs
        The attributes, and which of them statistics name.
    tried
        Divides with some detail, without swapping records.
    """
    unused = [axis.name for axis, spoken in zip(axes, costs.spoken, strict=True) if not spoken]
    if not unused or not costs.spoken.any():
        return LADDER[0], ()
    first = best = tried(LADDER[0])
    chosen = LADDER[0]
    for detail in LADDER[1:]:
        if best.uncertainty <= 1.0:
            break
        trial = tried(detail)
        if trial.uncertainty > max(1.0, WORTH * best.uncertainty):
            break
        chosen, best = detail, trial
    return chosen, _told(unused, chosen, best, first)


def _told(unused: Sequence[str], detail: float, best: Trial, first: Trial) -> tuple[str, ...]:
    met = best.uncertainty <= 1.0
    if detail == LADDER[0]:
        if met:
            return ()
        return (
            f"The average error of the preserved statistics was {best.uncertainty:.2g} times their target {TRIAL}; "
            f"counting the detail of {', '.join(unused)} less would not help much.",
        )
    goal = "so that the target is met" if met else "which does not meet the target, but comes nearer"
    return (
        f"detail = {detail:g} was chosen, {goal}: {TRIAL}, the average error of the preserved statistics was "
        f"{best.uncertainty:.2g} times their target, and with detail = 1 {first.uncertainty:.2g} times.",
        f"The price: a block covers {best.coarseness:.0%} of the span of {', '.join(unused)} on average, and with "
        f"detail = 1 {first.coarseness:.0%}.",
    )


def with_detail(costs: WidthCosts, detail: float) -> WidthCosts:
    """Return what widths cost if the detail of what no statistic names counts more or less than 1."""
    factors = np.where(costs.spoken, 1.0, detail)
    return WidthCosts(costs.rows * factors[:, None], costs.spoken, costs.preserved)
