"""How exact the preserved statistics are, beside the optimum that the formula promises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sfumato.arrays import Counts, Reals
from sfumato.boxes.axes import Axis
from sfumato.boxes.costs import Costs
from sfumato.boxes.edges import Edges
from sfumato.boxes.half_widths import asymptotic_uncertainty
from sfumato.kernels.algebra import dot

POINTS = 1_000
"""The density is estimated at about so many records."""
AMONG = 20_000
"""Neighbours are looked for among about so many records."""
NEIGHBOURS = 10


def uncertainty_of(
    axes: Sequence[Axis], costs: Costs, totals: Reals, edges: Mapping[str, Edges], kept: Counts, sizes: Counts, k: int
) -> dict[str, Any]:
    """Return the achieved uncertainty, the asymptotic optimum and their ratio.

    The uncertainty is XF13's q: the mean over the wanted statistics, by importance, of the half-width of the linear
    range in units of the wanted accuracy.

    Parameters
    ----------
    axes, costs
        The attributes and what widths cost.
    totals
        What a unit of width costs all records of a box, by axes and boxes.
    edges
        The released ends.
    kept
        The records of the release.
    sizes
        How many of them each box has; 0 for one that was left out.
    k
        The fewest records of a box.
    """
    spoken = np.flatnonzero(costs.spoken).tolist()
    if not spoken:
        return {}
    halves = {row: np.where(sizes > 0, 0.5 * edges[axes[row].name].widths, 0.0) for row in spoken}
    achieved = sum(dot(totals[row], half) for row, half in halves.items()) / kept.size
    told: dict[str, Any] = {"achieved": _rounded(achieved)}
    among = kept[:: -(-kept.size // AMONG)]
    among = among[~np.logical_or.reduce([axes[row].missing[among] for row in spoken])]
    if among.size < 2 * NEIGHBOURS:
        return told
    places = np.stack([axes[row].places[among] for row in spoken])
    some = slice(None, None, -(-among.size // POINTS))
    density = density_of(places, places[:, some], kept.size)
    thin = np.isfinite(density)
    caps = np.maximum(0.5 * np.ptp(places, axis=1), np.finfo(np.float64).tiny)
    if thin.any():
        found = asymptotic_uncertainty(costs.rows[np.ix_(spoken, among[some][thin])], density[thin], k=k, caps=caps)
        optimum = found * float(thin.mean())
        told |= {"optimum": _rounded(optimum), "ratio": _rounded(achieved / optimum)} if optimum > 0 else {}
    return told


def density_of(places: Reals, points: Reals, records: int, neighbours: int = NEIGHBOURS) -> Reals:
    """Return how many records there are per unit volume around some points.

    Parameters
    ----------
    places
        Attributes by records among which neighbours are looked for.
    points
        Attributes by points.
    records
        How many records those in ``places`` stand for.
    neighbours
        The cube around a point, in units of the attributes' deviations, that holds so many of them.
    """
    from scipy.spatial import cKDTree

    scales = places.std(axis=1)
    scales[scales <= 0] = 1.0
    count = min(neighbours, places.shape[1])
    tree = cKDTree((places / scales[:, None]).T)
    distance = np.asarray(tree.query((points / scales[:, None]).T, k=[count], p=np.inf)[0])[:, 0]
    volume = np.prod(scales) * (2.0 * distance) ** len(places)
    with np.errstate(divide="ignore"):
        density: Reals = count / volume * (records / places.shape[1])
    return density


def _rounded(number: float) -> float:
    return float(f"{number:.4g}")
