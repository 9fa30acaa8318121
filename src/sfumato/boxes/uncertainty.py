"""How exact the preserved statistics are, beside the optimum that the formula promises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.arrays import Flags, Reals
from sfumato.boxes.axes import Axis
from sfumato.boxes.edges import Edges
from sfumato.boxes.half_widths import asymptotic_uncertainty
from sfumato.boxes.subdivision import Subdivision
from sfumato.statistics.sensitivity import Wanted

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes

POINTS = 1_000
"""The density is estimated at about so many records."""
AMONG = 20_000
"""Neighbours are looked for among about so many records."""
NEIGHBOURS = 10


def uncertainty_of(
    axes: Sequence[Axis],
    sensitivities: Reals,
    wanted: Sequence[Wanted],
    edges: Mapping[str, Edges],
    boxes: Subdivision,
    stay: Flags,
    settings: Boxes,
) -> dict[str, Any]:
    """Return the achieved uncertainty, the asymptotic optimum and their ratio.

    The uncertainty is XF13's q: the mean over the wanted statistics, by importance, of the half-width of the linear
    range in units of the wanted accuracy.
    """
    spoken = [row for row, axis in enumerate(axes) if axis.kind == "numeric" and sensitivities[row].any()]
    if not spoken:
        return {}
    kept = np.repeat(stay, boxes.sizes)
    records = boxes.records[kept]
    achieved = 0.0
    for row in spoken:
        its = edges[axes[row].name]
        half = np.repeat(0.5 * (its.hi - its.lo)[stay], boxes.sizes[stay])
        achieved += float(sensitivities[row][records] @ half) / records.size
    places = np.stack([axes[row].places[records] for row in spoken])
    known = ~np.logical_or.reduce([axes[row].missing[records] for row in spoken])
    told: dict[str, Any] = {"achieved": _rounded(achieved)}
    optimum = _optimum(places[:, known], sensitivities[spoken][:, records[known]], settings.k)
    if optimum is not None and optimum > 0:
        told |= {"optimum": _rounded(optimum), "ratio": _rounded(achieved / optimum)}
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
    distance = tree.query((points / scales[:, None]).T, k=[count], p=np.inf)[0][:, 0]
    volume = np.prod(scales) * (2.0 * distance) ** len(places)
    with np.errstate(divide="ignore"):
        density: Reals = count / volume * (records / places.shape[1])
    return density


def _optimum(places: Reals, sensitivities: Reals, k: int) -> float | None:
    """Return n/N sum c(x) of XK13 and XF13, at a sample of the records."""
    records = places.shape[1]
    if records < 2 * NEIGHBOURS:
        return None
    among = places[:, :: -(-records // AMONG)]
    some = slice(None, None, -(-records // POINTS))
    density = density_of(among, places[:, some], records)
    thin = np.isfinite(density)
    caps = np.maximum(0.5 * np.ptp(places, axis=1), np.finfo(np.float64).tiny)
    if not thin.any():
        return None
    found = asymptotic_uncertainty(sensitivities[:, some][:, thin], density[thin], k=k, caps=caps)
    return found * float(thin.mean())


def _rounded(number: float) -> float:
    return float(f"{number:.4g}")
