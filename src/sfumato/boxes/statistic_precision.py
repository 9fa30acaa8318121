"""How exact the preserved statistics are, compared with the optimum of the formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.boxes.axes import QuasiAxis
from sfumato.boxes.box_edges import Edges
from sfumato.boxes.optimal_half_widths import asymptotic_uncertainty
from sfumato.boxes.width_costs import WidthCosts
from sfumato.kernels.algebra import dot

POINTS = 1_000
"""The density is estimated at about this number of records."""
AMONG = 20_000
"""Neighbours are searched among about this number of records."""
NEIGHBOURS = 10


@dataclass(frozen=True)
class Uncertainty:
    """XF13's q of the preserved statistics; None where it is not defined.

    q is the mean over the statistics, by importance, of the half-width of the linear range in units of the requested
    accuracy.
    """

    achieved: float | None = None
    optimum: float | None = None
    """What boxes of the best shape around every record would achieve, asymptotically."""
    ratio: float | None = None
    """The achieved uncertainty divided by the optimum."""

    def as_record(self) -> dict[str, float]:
        """Return the entries of the confidential record."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def uncertainty_of(
    axes: Sequence[QuasiAxis],
    costs: WidthCosts,
    totals: Reals,
    edges: Mapping[str, Edges],
    records: Counts,
    sizes: Counts,
    k: int,
) -> Uncertainty:
    """Return the achieved uncertainty, the asymptotic optimum and their ratio.

    Parameters
    ----------
    axes, costs
        The attributes and what widths cost.
    totals
        What a unit of width costs all records of a box, by axes and boxes.
    edges
        The released ends.
    records
        The records of the release.
    sizes
        The number of them in each box; 0 for a suppressed box.
    k
        The minimum number of records in a box.
    """
    rows = np.flatnonzero(costs.spoken).tolist()
    if not rows:
        return Uncertainty()
    half_widths = {row: np.where(sizes > 0, 0.5 * edges[axes[row].name].widths, 0.0) for row in rows}
    achieved = sum(dot(totals[row], half_width) for row, half_width in half_widths.items()) / records.size
    sample = records[:: -(-records.size // AMONG)]
    sample = sample[~np.logical_or.reduce([axes[row].missing[sample] for row in rows])]
    if sample.size < 2 * NEIGHBOURS:
        return Uncertainty(_rounded(achieved))
    coordinates = np.stack([axes[row].coordinates[sample] for row in rows])
    points = slice(None, None, -(-sample.size // POINTS))
    density = density_of(coordinates, coordinates[:, points], records.size)
    is_finite = np.isfinite(density)
    if not is_finite.any():
        return Uncertainty(_rounded(achieved))
    caps = np.maximum(0.5 * np.ptp(coordinates, axis=1), np.finfo(np.float64).tiny)
    point_costs = costs.rows[np.ix_(rows, sample[points][is_finite])]
    optimum = asymptotic_uncertainty(point_costs, density[is_finite], k=k, caps=caps) * float(is_finite.mean())
    if not optimum > 0:
        return Uncertainty(_rounded(achieved))
    return Uncertainty(_rounded(achieved), _rounded(optimum), _rounded(achieved / optimum))


def density_of(coordinates: Reals, points: Reals, n_records: int, n_neighbours: int = NEIGHBOURS) -> Reals:
    """Return the number of records per unit volume around some points.

    Parameters
    ----------
    coordinates
        Attributes by records among which neighbours are searched.
    points
        Attributes by points.
    n_records
        The number of records that those in ``coordinates`` represent.
    n_neighbours
        The number of them in the cube around a point, in units of the attributes' deviations.
    """
    from scipy.spatial import cKDTree

    scales = coordinates.std(axis=1)
    scales[scales <= 0] = 1.0
    count = min(n_neighbours, coordinates.shape[1])
    tree = cKDTree((coordinates / scales[:, None]).T)
    distance = np.asarray(tree.query((points / scales[:, None]).T, k=[count], p=np.inf)[0])[:, 0]
    volume = np.prod(scales) * (2.0 * distance) ** len(coordinates)
    with np.errstate(divide="ignore"):
        density: Reals = count / volume * (n_records / coordinates.shape[1])
    return density


def _rounded(number: float) -> float:
    return float(f"{number:.4g}")
