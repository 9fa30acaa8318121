"""Whether there are enough records to swap, and which place is short of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import maximum_flow

from sfumato.array_types import Codes, Counts
from sfumato.errors import UnattainableError


def check_attainable(
    places: Codes,
    swap_classes: Codes,
    vital: Counts,
    candidates: Counts,
    delta: Counts,
    labels: Sequence[str | None] | None,
) -> None:
    """Refuse changes that no swaps can bring about.

    Parameters
    ----------
    places, swap_classes
        One code per record.
    vital, candidates
        Record indices.
    delta
        The change of the number of vital records of each place.
    labels
        The names of places, None for those that must not be named; default: their codes.
    """
    if delta.sum() != 0:
        raise UnattainableError(
            f"swaps do not change the number of vital records, but all places would change by {int(delta.sum()):+,}",
            hint="let some places balance the others",
            setting="hide",
        )
    givers = np.bincount(places[vital], minlength=delta.size)
    takers = np.bincount(places[candidates], minlength=delta.size)
    for place in np.flatnonzero((-delta > givers) | (delta > takers)).tolist():
        _refuse_few(_name(place, labels), int(delta[place]), int(givers[place]), int(takers[place]))
    if np.unique(swap_classes[np.concatenate([vital, candidates])]).size > 1:
        _check_classes(places, swap_classes, vital, candidates, delta, labels)


def _name(place: int, labels: Sequence[str | None] | None) -> str:
    name = str(place) if labels is None else labels[place]
    return "a place" if name is None else f"place {name}"


def _refuse_few(name: str, change: int, givers: int, takers: int) -> None:
    if change < 0:
        raise UnattainableError(
            f"{name} must give {-change:,} vital records, but {givers:,} may leave it: {-change - givers:,} short",
            hint="let it retain more",
            setting="hide",
        )
    raise UnattainableError(
        f"{name} must get {change:,} vital records in exchange for others, but {takers:,} of these may leave it: "
        f"{change - takers:,} short",
        hint="let it get fewer",
        setting="hide",
    )


def _check_classes(
    places: Codes,
    swap_classes: Codes,
    vital: Counts,
    candidates: Counts,
    delta: Counts,
    labels: Sequence[str | None] | None,
) -> None:
    """Refuse if too few records agree in what must not change.

    Within each swap class, places give as many vital records as they take; the swap partners do not matter here. So a
    flow from shrinking places through classes to growing ones decides.
    """
    _, classes = np.unique(swap_classes, return_inverse=True)
    size = int(classes.max()) + 1
    # source, sink, places, classes
    first_place, first_class = 2, 2 + delta.size
    at, of = places + np.int64(first_place), classes + first_class
    giving, getting = np.flatnonzero(delta < 0), np.flatnonzero(delta > 0)
    starts = [np.zeros_like(giving), at[vital], of[candidates], getting + first_place]
    ends = [giving + first_place, of[vital], at[candidates], np.ones_like(getting)]
    capacity_one = np.ones(vital.size + candidates.size, dtype=np.int64)
    rooms = np.concatenate([-delta[giving], capacity_one, delta[getting]])
    nodes = first_class + size
    arcs = np.concatenate(starts), np.concatenate(ends)
    # records of the same place and class are added up here
    network = csr_array(coo_array((rooms, arcs), shape=(nodes, nodes)).astype(np.int32))
    maximum = maximum_flow(network, 0, 1)
    if maximum.flow_value == -delta[giving].sum():
        return
    flow = csr_array(maximum.flow)
    for place in giving.tolist():
        short = int(-delta[place] - flow[0, place + first_place])
        if short:
            raise UnattainableError(
                f"{_name(place, labels)} must give {int(-delta[place]):,} vital records: {short:,} short of records "
                "elsewhere that agree with them in what must not change",
                hint="let it retain more, or keep fewer attributes; universes and the other group are kept as well",
                setting="hide",
            )
