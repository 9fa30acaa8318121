"""Detail that is gone: the share of an attribute's span, or of its categories, that a released value covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.arrays import Flags, Reals
from sfumato.errors import MicrofileError, SettingError
from sfumato.fuzzy.inversion import ranges_behind
from sfumato.fuzzy.released import sets_of, told_parts
from sfumato.microfile.forms import Exact, Form, Fuzzy, Interval, Sets
from sfumato.microfile.microfile import Microfile, as_microfile


@dataclass(frozen=True)
class Detail:
    """How much detail of each record is gone: 0 what is told exactly, 1 what is not told at all."""

    attributes: Mapping[str, Reals]
    """Of each attribute, record by record."""

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
    of fuzzy sets is that in which their values are looked for. A value that is missing covers everything, for the table
    does not say whether the original had it.

    Parameters
    ----------
    table
        The released table.
    quasi
        The attributes that may have been made coarser.
    forms
        How they stand in the table, where not exactly; fuzzy sets of several attributes tell of each of them.

    Examples
    --------
    >>> import polars as pl
    >>> release = pl.DataFrame({"age.lo": [20, 20, 40, None], "age.hi": [30, 30, 60, None], "sex": list("fmfm")})
    >>> found = detail_of(release, quasi=["age", "sex"], forms={"age": Interval()})
    >>> found.attributes["age"].tolist(), found.mean
    ([0.25, 0.25, 0.5, 1.0], 0.25)
    """
    table = as_microfile(table)
    if not quasi:
        raise SettingError("quasi is empty, so that no detail can be gone")
    if not table.records:
        raise MicrofileError("the table has no record, so that no detail can be gone")
    gone: dict[str, Reals] = {}
    for name in quasi:
        form = (forms or {}).get(name, Exact())
        if isinstance(form, Fuzzy):
            gone |= _behind_sets(table, name, form)
        else:
            shares, known = covered_shares(table, name, form)
            gone[name] = np.where(known, shares, 1.0)
    return Detail(gone)


def covered_shares(
    table: Microfile, name: str, form: Form, *, span: float | None = None, categories: int | None = None
) -> tuple[Reals, Flags]:
    """Return the share that each released value covers, and which are known; a single category covers nothing.

    Parameters
    ----------
    table, name, form
        The attribute, told exactly, as an interval or as a set.
    span
        The width of all values of an interval; default: that of the released intervals.
    categories
        How many there are; default: those behind the labels.
    """
    if isinstance(form, Interval):
        low, high = (table.numbers(column) for column in form.columns(name))
        known = ~np.isnan(high - low)
        if span is None:
            span = float(high[known].max() - low[known].min()) if known.any() else 0.0
        return (np.minimum((high - low) / span, 1.0) if span > 0 else np.zeros(table.records)), known
    encoded = table.encoded(name)
    members = form.members if isinstance(form, Sets) else {}
    if categories is None:
        categories = len({category for its in members.values() for category in its})
    sizes = [len(members.get(str(value), ("",))) for value in encoded.values.tolist()]
    shares = np.array([min(size / max(categories, 1), 1.0) if size > 1 else 0.0 for size in sizes] or [0.0])
    if isinstance(form, Sets) and form.open:
        shares[[str(value) in form.open for value in encoded.values.tolist()]] = 1.0
    return shares[encoded.codes], ~encoded.missing


def _behind_sets(table: Microfile, name: str, form: Fuzzy) -> dict[str, Reals]:
    """Return how much of their attributes' spans the values behind released sets can have."""
    sets, (parts, lacking) = sets_of(form), told_parts(table, name, form)
    gone = {attribute: np.ones(table.records) for attribute in sets.attributes}
    if lacking.all():
        return gone
    found = ranges_behind(sets, parts[~lacking], form.levels, words=form.shown == "words")
    spans = found.span[:, 1] - found.span[:, 0]
    # grades that no tried value has leave less than the distance between two of them
    widths = np.nan_to_num(found.hi - found.lo, nan=0.0)[found.of_records]
    for place, attribute in enumerate(sets.attributes):
        gone[attribute][~lacking] = widths[:, place] / spans[place] if spans[place] > 0 else 0.0
    return gone
