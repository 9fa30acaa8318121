"""No data that lie in the boxes leave the guaranteed range."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.errors import SettingError
from sfumato.statistics import range_of
from sfumato.statistics.parser import parse
from tests.statistics.problems import random_problem

PROBLEMS, PARTS = 2400, 8
STATISTICS = ("mean(x)", "var(x)", "std(x)", "cov(x, y)", "corr(x, y)", "regress(y ~ x)", "regress(z ~ x + y)")


def exactly(name: str, data: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Compute a statistic of many data sets by its definition, in extended precision."""
    values = data.astype(np.longdouble)
    means = (values * shares).sum(axis=-1)
    if name == "mean":
        return means[:, :1]
    centred = values - means[..., None]
    covariances = np.einsum("dan,dbn,n->dab", centred, centred, shares)
    if name in ("var", "std"):
        return covariances[:, 0] if name == "var" else np.sqrt(covariances[:, 0])
    if name == "cov":
        return covariances[:, 0, 1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        if name == "corr":
            scale = np.sqrt(covariances[:, 0, 0] * covariances[:, 1, 1])
            return np.clip(covariances[:, 0, 1:] / scale[:, None], -1.0, 1.0)
        outcome, slopes = covariances[:, -1, :-1], None
        if data.shape[1] == 2:
            slopes = outcome / covariances[:, 0, :1]
        else:
            (a, b), (_, d) = np.moveaxis(covariances[:, :2, :2], 0, -1)
            determinant = a * d - b * b
            # close to singular the reference itself is not exact
            determinant[determinant < 1e-6 * a * d] = np.nan
            slopes = np.stack([d * outcome[:, 0] - b * outcome[:, 1], a * outcome[:, 1] - b * outcome[:, 0]], axis=1)
            slopes = slopes / determinant[:, None]
        intercepts = means[:, -1:] - (slopes * means[:, :-1]).sum(axis=1, keepdims=True)
        return np.concatenate([intercepts, slopes], axis=1)


@pytest.mark.parametrize("part", range(PARTS))
def test_no_consistent_data_leave_the_guaranteed_range(part):
    rng = np.random.default_rng(part)
    checked, refused = dict.fromkeys(STATISTICS, 0), []
    for number in range(PROBLEMS // PARTS):
        problem = random_problem(rng)
        data = {attributes: problem.data(rng, attributes=attributes) for attributes in (1, 2, 3)}
        # two predictors take longer
        for text in STATISTICS if number % 3 == 0 else STATISTICS[:-1]:
            statistic = parse(text)
            try:
                found = range_of(text, *problem.arguments)
            except SettingError as error:
                refused.append(error.message)
                continue
            points = data[len(statistic.attributes)]
            # a regression's attributes are y, x or z, x, y
            values = exactly(statistic.name, points, problem.shares)
            size = float(abs(points).max())
            for target, estimate in enumerate(found.values() if statistic.name == "regress" else (found,)):
                reached = values[:, target]
                reached = reached[np.isfinite(reached)]
                low, high = estimate.attained
                assert estimate.lower <= low <= estimate.value <= high <= estimate.upper
                if not estimate.guaranteed:
                    assert (estimate.lower, estimate.upper) == (-math.inf, math.inf)
                    continue
                checked[text] += 1
                # exact attributes have a range without width, which is rounded as the statistic is
                rounding = 1e-12 * size * max(size, 1.0) if estimate.width == 0 else 1e-17 * size
                if statistic.name == "regress":
                    rounding += 1e-9 * float(abs(reached).max(initial=0.0))
                where = f"problem {number} of part {part}: {text}, target {target}"
                assert reached.min(initial=math.inf) >= estimate.lower - rounding, where
                assert reached.max(initial=-math.inf) <= estimate.upper + rounding, where
    assert all("undefined" in message or "singular" in message for message in refused)
    assert checked["mean(x)"] == checked["var(x)"] == PROBLEMS // PARTS
    assert checked["corr(x, y)"] > 0.7 * PROBLEMS // PARTS
    assert checked["regress(z ~ x + y)"] > 0.3 * PROBLEMS // PARTS // 3
