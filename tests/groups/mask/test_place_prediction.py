"""The model of the place against a twin that counts record by record."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.groups.mask import place_prediction
from sfumato.groups.mask.place_prediction import SHRINKAGE, PlaceModel


def example() -> tuple[np.ndarray, list[np.ndarray]]:
    rng = np.random.default_rng(6)
    places = rng.integers(0, 4, 60)
    return places, [rng.integers(0, 5, 60).astype(np.int32), ((places + rng.integers(0, 2, 60)) % 4).astype(np.int32)]


def share(value: int, place: int, codes: np.ndarray, places: np.ndarray, without: int | None) -> float:
    """Return how many times as frequent a value is at a place as anywhere, but for one record."""
    there = places == place
    if without is not None:
        there = there & (np.arange(places.size) != without)
    anywhere = SHRINKAGE * float((codes == value).mean())
    return (int((there & (codes == value)).sum()) + anywhere) / (anywhere * (int(there.sum()) + SHRINKAGE))


def test_margins_are_those_of_counting() -> None:
    places, columns = example()
    margins, others = PlaceModel(places, columns).margins()
    for record in range(places.size):
        fits = []
        for place in range(4):
            own = record if place == places[record] else None
            here = int((places == place).sum()) - (own is not None)
            fits.append(
                math.log(here) + sum(math.log(share(codes[record], place, codes, places, own)) for codes in columns)
            )
        best = max((place for place in range(4) if place != places[record]), key=lambda place: fits[place])
        assert others[record] == best
        assert margins[record] == pytest.approx(fits[places[record]] - fits[best])


def test_chunks_do_not_change_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    places, columns = example()
    whole = PlaceModel(places, columns).margins()
    monkeypatch.setattr(place_prediction, "CHUNK", 28)
    parts = PlaceModel(places, columns).margins()
    assert [its.tolist() for its in whole] == [its.tolist() for its in parts]


def test_what_tells_the_place_contributes_most() -> None:
    rng = np.random.default_rng(6)
    places = rng.integers(0, 4, 800)
    told = np.where(rng.random(800) < 0.9, places, rng.integers(0, 4, 800)).astype(np.int32)
    model = PlaceModel(places, [rng.integers(0, 5, 800).astype(np.int32), told])
    margins, others = model.margins()
    contributions = model.contributions(np.flatnonzero(margins < 0), others)
    assert contributions[1] > 2 > contributions[0]
