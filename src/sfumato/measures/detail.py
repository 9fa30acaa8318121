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
from sfumato.microfile.generalization import Described
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.printing import quiet


@quiet
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
    table: Microfile, name: str, form: Form, *, span: float | None = None, categories: Sequence[object] | None = None
) -> tuple[Reals, Flags]:
    """Return the share that each released value covers, and which are known; a single category covers nothing.

    Parameters
    ----------
    table, name, form
        The attribute, told exactly, as an interval or as a set.
    span
        The width of all values of an interval; default: that of the released intervals.
    categories
        All that there are; default: those behind the labels. Of a node, whose values nobody lists, the share is then
        that of its width, or of the levels of its hierarchy that it is up.
    """
    if isinstance(form, Interval):
        low, high = (table.numbers(column) for column in form.columns(name))
        known = ~np.isnan(high - low)
        if span is None:
            span = float(high[known].max() - low[known].min()) if known.any() else 0.0
        return (np.minimum((high - low) / span, 1.0) if span > 0 else np.zeros(table.records)), known
    encoded = table.encoded(name)
    labels = [str(value) for value in encoded.values.tolist()]
    if isinstance(form, Sets):
        by_label = _label_shares(form, categories)
        shares = np.array([by_label.get(label, 0.0) for label in labels] or [0.0])
    else:
        shares = np.zeros(max(len(labels), 1))
    return shares[encoded.codes], ~encoded.missing


def _label_shares(form: Sets, categories: Sequence[object] | None) -> dict[str, float]:
    """Return the share of an attribute's values that each label stands for; a single one is no share at all."""
    if form.nodes is not None and categories is None:
        shares = _node_shares(form, form.nodes)
    else:
        if form.nodes is not None and categories is not None:
            sizes = {label: len(places) for label, places in form.behind(categories).items()}
        else:
            sizes = {label: len(its) for label, its in form.members.items()}
        every = {category for its in form.members.values() for category in its}
        total = max(len(every) if categories is None else len(categories), 1)
        shares = {label: min(size / total, 1.0) if size > 1 else 0.0 for label, size in sizes.items()}
    return shares | dict.fromkeys(form.open, 1.0)


def _node_shares(form: Sets, nodes: Described) -> dict[str, float]:
    """Return the widths of nodes as shares of the span of all, or how far up their hierarchy they are."""
    ends = {member: nodes.ends(member) for its in form.members.values() for member in its}
    known = [one for one in ends.values() if one is not None]
    span = max(high for _, high in known) - min(low for low, _ in known) if known else 0.0

    def share(member: str) -> float:
        found = ends[member]
        if found is not None:
            return min((found[1] - found[0]) / span, 1.0) if span > 0 else 0.0
        return (nodes.height + 1 - len(nodes.above(member))) / nodes.height if form.is_node(member) else 0.0

    return {label: min(sum(map(share, its)), 1.0) for label, its in form.members.items()}


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
