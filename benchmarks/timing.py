"""Timing two ways of doing the same, in turns, so that both meet the same machine."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One comparison."""

    what: str
    ours: float
    peer: str
    theirs: float
    target: str
    met: bool
    unit: str = " s"

    @property
    def ratio(self) -> float:
        """How many times as long as the peer we take."""
        return self.ours / self.theirs

    def __str__(self) -> str:
        speed = f"{self.ratio:.5g} of it" if self.ratio > 0.01 else f"{1 / self.ratio:,.0f} times faster"
        verdict = "met" if self.met else "NOT MET"
        return (
            f"{self.what}\n    sfumato {self.ours:.5g}{self.unit}, {self.peer} {self.theirs:.5g}{self.unit}: {speed} "
            f"(target: {self.target}; {verdict})"
        )


def in_turns(*functions: Callable[[], object], rounds: int = 7) -> list[float]:
    """Return each function's best time; the first round only warms up."""
    best = [float("inf")] * len(functions)
    for number in range(rounds + 1):
        for place, function in enumerate(functions):
            gc.collect()
            start = time.perf_counter()
            function()
            taken = time.perf_counter() - start
            if number:
                best[place] = min(best[place], taken)
    return best
