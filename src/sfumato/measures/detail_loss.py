"""Lost detail: the share of an attribute's span, or of its categories, that a released value covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.array_types import Reals
from sfumato.errors import MicrofileError, SettingError
from sfumato.microfile import Microfile, as_microfile
from sfumato.quiet_repr import quiet
from sfumato.representations import Exact, Form


@quiet
@dataclass(frozen=True)
class Detail:
    """How much detail of each record is lost: 0 for an exact value, 1 if nothing is known."""

    attributes: Mapping[str, Reals]
    """For each attribute, record by record."""

    @cached_property
    def by_record(self) -> Reals:
        """The mean of a record's attributes."""
        return np.asarray(np.mean(list(self.attributes.values()), axis=0))

    @property
    def mean(self) -> float:
        """The mean of all records."""
        return float(self.by_record.mean())


def detail_of(table: Microfile | Any, *, quasi: Sequence[str], forms: Mapping[str, Form] | None = None) -> Detail:
    """Measure how much detail a released table lacks, from the table alone.

    The span of an interval is that of all released intervals, the categories are those behind all labels, and the span
    of fuzzy sets is that in which their values can be. A missing value covers everything, because the table does not
    say whether the original had it.

    Parameters
    ----------
    table
        The released table.
    quasi
        The attributes that may have been generalised.
    forms
        How they are released, where not exactly; fuzzy sets of several attributes cover each of them.

    Examples
    --------
    >>> import polars as pl
    >>> from sfumato.representations import Interval
    >>> release = pl.DataFrame({"age.lo": [20, 20, 40, None], "age.hi": [30, 30, 60, None], "sex": list("fmfm")})
    >>> found = detail_of(release, quasi=["age", "sex"], forms={"age": Interval()})
    >>> found.attributes["age"].tolist(), found.mean
    ([0.25, 0.25, 0.5, 1.0], 0.25)
    """
    table = as_microfile(table)
    if not quasi:
        raise SettingError("quasi is empty, so no detail can be lost")
    if not table.records:
        raise MicrofileError("the table has no records, so no detail can be lost")
    gone: dict[str, Reals] = {}
    for name in quasi:
        gone |= (forms or {}).get(name, Exact()).detail_lost(table, name)
    return Detail(gone)
