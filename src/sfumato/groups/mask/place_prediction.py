"""A model of the place over all attributes together: naive Bayes, each record judged by all others.

Attributes that say little about the place alone or in pairs may say much together. Anybody with the release can learn
from it how values and places are related, and then suspect records whose place is far less likely than another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Codes, Counts, Reals
from sfumato.kernels.elementary_functions import logarithms

SHRINKAGE = 5.0
"""This many records with the values of everybody are added to each place, so that rare values are not evidence."""
CHUNK = 2_000_000
"""How many numbers are held at a time: records times places."""


@dataclass(frozen=True)
class PlaceModel:
    """How values are related to places."""

    places: Codes
    """The place of each record."""
    columns: Sequence[Codes]
    """The value of each record, attribute by attribute."""

    def margins(self) -> tuple[Reals, Counts]:
        """Return by how much the log likelihood of each record's place exceeds that of the likeliest other, and which.

        Each record is judged by all the others. Sums are taken attribute by attribute, in their order.
        """
        records, size = self.places.size, int(self.places.max()) + 1
        tables = [self._table(codes, size) for codes in self.columns]
        at_place = np.bincount(self.places, minlength=size)
        # places with more records are likelier
        prior = logarithms(np.maximum(at_place, 0.5))
        own_place_prior = logarithms(np.maximum(at_place - 1.0, 0.5))
        margins, likelier_places = np.empty(records), np.empty(records, dtype=np.int64)
        step = max(CHUNK // size, 1)
        for start in range(0, records, step):
            chunk = slice(start, min(start + step, records))
            places = self.places[chunk]
            rows = np.arange(places.size)
            evidence = np.repeat(prior[None, :], places.size, axis=0)
            at_own_place = own_place_prior[places]
            for codes, (log_shares, leave_one_out) in zip(self.columns, tables, strict=True):
                evidence += log_shares[codes[chunk]]
                at_own_place = at_own_place + leave_one_out[codes[chunk], places]
            evidence[rows, places] = -np.inf
            best = evidence.argmax(axis=1)
            margins[chunk], likelier_places[chunk] = at_own_place - evidence[rows, best], best
        return margins, likelier_places

    def contributions(self, records: Counts, likelier_places: Counts) -> list[float]:
        """Return each attribute's mean evidence against the places of records and for the likelier ones."""
        size = int(self.places.max()) + 1
        contributions = []
        for codes in self.columns:
            log_shares, leave_one_out = self._table(codes, size)
            values, places = codes[records], self.places[records]
            against = log_shares[values, likelier_places[records]] - leave_one_out[values, places]
            contributions.append(float(against.sum()) / max(records.size, 1))
        return contributions

    def _table(self, codes: Codes, size: int) -> tuple[Reals, Reals]:
        """Return how frequent values are at places compared with anywhere, with and without one record.

        Both are logarithms, values x places.
        """
        width = int(codes.max()) + 1
        counts = np.bincount(codes.astype(np.int64) * size + self.places, minlength=width * size).reshape(width, size)
        at_place = counts.sum(axis=0).astype(np.float64)
        anywhere = SHRINKAGE * (counts.sum(axis=1) / codes.size)[:, None]
        # a value that no record has is never looked up
        usual = np.where(anywhere > 0, anywhere, 1.0)
        shares = (counts + usual) / (usual * (at_place + SHRINKAGE))
        without_one = (np.maximum(counts - 1.0, 0.0) + usual) / (usual * (np.maximum(at_place - 1.0, 0.0) + SHRINKAGE))
        return logarithms(shares), logarithms(without_one)
