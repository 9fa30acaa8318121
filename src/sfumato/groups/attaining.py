"""Whether there are records enough to swap, and which place is short of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import maximum_flow

from sfumato.arrays import Codes, Counts
from sfumato.errors import UnattainableError


def check_attainable(
    places: Codes, kept: Codes, vital: Counts, candidates: Counts, delta: Counts, labels: Sequence[str | None] | None
) -> None:
    """Refuse changes that no swaps bring about.

    Parameters
    ----------
    places, kept
        One code a record.
    vital, candidates
        Numbers of records.
    delta
        By how many the vital records of each place shall change.
    labels
        What places are called, None of those that must not be named; default: their codes.
    """
    if delta.sum() != 0:
        raise UnattainableError(
            f"swaps keep the number of vital records, but all places together would change by {int(delta.sum()):+,}",
            hint="let some places balance the others",
        )
    givers = np.bincount(places[vital], minlength=delta.size)
    takers = np.bincount(places[candidates], minlength=delta.size)
    for place in np.flatnonzero((-delta > givers) | (delta > takers)).tolist():
        _refuse_few(_name(place, labels), int(delta[place]), int(givers[place]), int(takers[place]))
    if np.unique(kept[np.concatenate([vital, candidates])]).size > 1:
        _check_kept(places, kept, vital, candidates, delta, labels)


def _name(place: int, labels: Sequence[str | None] | None) -> str:
    name = str(place) if labels is None else labels[place]
    return "a place" if name is None else f"place {name}"


def _refuse_few(name: str, change: int, givers: int, takers: int) -> None:
    if change < 0:
        raise UnattainableError(
            f"{name} shall give {-change:,} vital records, and {givers:,} may leave it: {-change - givers:,} short",
            hint="let it keep more",
        )
    raise UnattainableError(
        f"{name} shall get {change:,} vital records in exchange for others, of whom {takers:,} may leave it: "
        f"{change - takers:,} short",
        hint="let it get fewer",
    )


def _check_kept(
    places: Codes, kept: Codes, vital: Counts, candidates: Counts, delta: Counts, labels: Sequence[str | None] | None
) -> None:
    """Refuse if records that agree in what must not change are too few.

    Of every kept code, places give and take as many vital records; whom they swap with does not matter here. So a flow
    from shrinking places over codes to growing ones tells.
    """
    _, classes = np.unique(kept, return_inverse=True)
    size = int(classes.max()) + 1
    # source, sink, places, codes
    first_place, first_class = 2, 2 + delta.size
    at, of = places + np.int64(first_place), classes + first_class
    given, gets = np.flatnonzero(delta < 0), np.flatnonzero(delta > 0)
    starts = [np.zeros_like(given), at[vital], of[candidates], gets + first_place]
    ends = [given + first_place, of[vital], at[candidates], np.ones_like(gets)]
    ones = np.ones(vital.size + candidates.size, dtype=np.int64)
    rooms = np.concatenate([-delta[given], ones, delta[gets]])
    nodes = first_class + size
    arcs = np.concatenate(starts), np.concatenate(ends)
    # records of the same place and code are added up here
    network = csr_array(coo_array((rooms, arcs), shape=(nodes, nodes)).astype(np.int32))
    found = maximum_flow(network, 0, 1)
    if found.flow_value == -delta[given].sum():
        return
    flow = csr_array(found.flow)
    for place in given.tolist():
        short = int(-delta[place] - flow[0, place + first_place])
        if short:
            raise UnattainableError(
                f"{_name(place, labels)} shall give {int(-delta[place]):,} vital records: {short:,} short of records "
                "elsewhere that agree with them in what must not change",
                hint="let it keep more, or keep fewer attributes; a universe, and another group, are kept as well",
            )
