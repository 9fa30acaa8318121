"""A model of the place over all attributes together: naive Bayes, each record judged by all others.

Attributes of which none, and no pair, says much about the place may do so together. Whoever has the release can learn
from it how values and places go together; records whose place is far less likely than another are then suspected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Codes, Counts, Reals
from sfumato.kernels.elementary import logarithms

SHRINKAGE = 5.0
"""At each place so many records are added that have the values of everybody, so that rare values are no evidence."""
CHUNK = 2_000_000
"""So many numbers are held at a time: records times places."""


@dataclass(frozen=True)
class PlaceModel:
    """How values go with places."""

    places: Codes
    """The place of each record."""
    columns: Sequence[Codes]
    """Its value of each attribute."""

    def margins(self) -> tuple[Reals, Counts]:
        """Return by how much the log likelihood of each record's place exceeds that of the likeliest other, and which.

        Neither its own value nor its own place counts in what a record is judged by. Sums are taken attribute by
        attribute, in their order.
        """
        records, size = self.places.size, int(self.places.max()) + 1
        tables = [self._table(codes, size) for codes in self.columns]
        at_place = np.bincount(self.places, minlength=size)
        # a place is the likelier the more records it has
        prior = logarithms(np.maximum(at_place, 0.5))
        own_prior = logarithms(np.maximum(at_place - 1.0, 0.5))
        margins, others = np.empty(records), np.empty(records, dtype=np.int64)
        step = max(CHUNK // size, 1)
        for start in range(0, records, step):
            chunk = slice(start, min(start + step, records))
            places = self.places[chunk]
            rows = np.arange(places.size)
            evidence = np.repeat(prior[None, :], places.size, axis=0)
            own = own_prior[places]
            for codes, (log_shares, own_log_shares) in zip(self.columns, tables, strict=True):
                evidence += log_shares[codes[chunk]]
                own = own + own_log_shares[codes[chunk], places]
            evidence[rows, places] = -np.inf
            best = evidence.argmax(axis=1)
            margins[chunk], others[chunk] = own - evidence[rows, best], best
        return margins, others

    def contributions(self, records: Counts, others: Counts) -> list[float]:
        """Return how much each attribute speaks against the places of some records and for other ones, in the mean."""
        size = int(self.places.max()) + 1
        found = []
        for codes in self.columns:
            log_shares, own_log_shares = self._table(codes, size)
            against = log_shares[codes[records], others[records]] - own_log_shares[codes[records], self.places[records]]
            found.append(float(against.sum()) / max(records.size, 1))
        return found

    def _table(self, codes: Codes, size: int) -> tuple[Reals, Reals]:
        """Return values x places: how many times as frequent values are there as anywhere, and without one record."""
        width = int(codes.max()) + 1
        counts = np.bincount(codes.astype(np.int64) * size + self.places, minlength=width * size).reshape(width, size)
        there = counts.sum(axis=0).astype(np.float64)
        anywhere = SHRINKAGE * (counts.sum(axis=1) / codes.size)[:, None]
        # a value that nobody has is never looked up
        usual = np.where(anywhere > 0, anywhere, 1.0)
        shares = (counts + usual) / (usual * (there + SHRINKAGE))
        own = (np.maximum(counts - 1.0, 0.0) + usual) / (usual * (np.maximum(there - 1.0, 0.0) + SHRINKAGE))
        return logarithms(shares), logarithms(own)
