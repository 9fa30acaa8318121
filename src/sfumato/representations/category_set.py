"""An attribute that is released as labels of sets of categories."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import ClassVar, Literal, Self

import numpy as np
import polars as pl

from sfumato.array_types import Codes, Flags, Reals
from sfumato.errors import ReleaseError
from sfumato.microfile import Code, Described, Encoded, Intervals, Microfile, plain, written_codes
from sfumato.number_enclosures import parsed_outward
from sfumato.representations import label_text
from sfumato.representations.attribute_pair import (
    NUMBER,
    Comparable,
    OutsideFile,
    compare_categories,
    outside_categories,
    usual_notation,
)
from sfumato.representations.household_intersection import intersect_labels
from sfumato.representations.representation import Misfit, Representation


class Sets(Representation):
    """A column of labels, each standing for a set of categories."""

    form: Literal["sets"] = "sets"
    members: dict[str, tuple[str, ...]]
    """The categories behind each label, of all that the attribute can have: a list of those that occur in the
    original would disclose which do. With ``nodes``, also labels of nodes, which stand for all values below them."""
    open: tuple[str, ...] = ()
    """Labels that stand for any value, including values that are not listed: a list of the values that a hierarchy
    does not cover would disclose which occur."""
    nodes: Described | None = None
    """How labels of nodes are made from values, where a hierarchy of intervals, prefixes or dates was used."""
    numeric: bool = False
    """Whether the categories are numbers that can be added up, not codes."""
    chosen: Literal["sets", "ranges", "nodes"] = "sets"
    """What labels of several categories are: sets of those that occur; ranges, of which only the ends occur; or the
    lowest nodes of a hierarchy that contain those that occur."""
    closed: bool = False
    """Whether labels of several categories also name categories that are grouped with rare ones, so that a label does
    not say which of them occur. Which categories are grouped is not published: it depends on the original."""

    labelled: ClassVar[bool] = True

    def behind(self, values: Sequence[object]) -> dict[str, list[int]]:
        """Return the positions of those values that each label stands for."""
        labels: dict[str, list[str]] = {}
        for label, members in self.members.items():
            for member in members if label not in self.open else ():
                labels.setdefault(member, []).append(label)
        positions: dict[str, list[int]] = {label: [] for label in self.members}
        for position, value in enumerate(map(plain, values)):
            path = (self.nodes.path(value) or ()) if self.nodes else ()
            for label in dict.fromkeys(itertools.chain(*(labels.get(node, ()) for node in (str(value), *path)))):
                positions[label].append(position)
        for label in self.open:
            positions[label] = list(range(len(values)))
        return positions

    def is_node(self, member: str) -> bool:
        """Whether a member stands for all values below it, not for itself."""
        return self.nodes is not None and member in self.nodes.above(member)

    def comparable(self) -> dict[str, frozenset[str]]:
        """Return each label as a set, so that intersections of sets are those of what labels stand for."""
        if self.nodes is None:
            return {label: frozenset(members) for label, members in self.members.items()}
        nodes = self.nodes
        ancestors = {member: {member, *nodes.above(member)} for members in self.members.values() for member in members}
        return {
            label: frozenset(member for member, above in ancestors.items() if not above.isdisjoint(members))
            for label, members in self.members.items()
        }

    def ends(self, label: str) -> tuple[float, float] | None:
        """Return between which numbers the values of a label lie, or None where it stands for more than numbers."""
        ends = [self._member_ends(member) for member in self.members[label]]
        bounded = [pair for pair in ends if pair is not None]
        if not self.numeric or label in self.open or not bounded or len(bounded) < len(ends):
            return None
        return min(low for low, _ in bounded), max(high for _, high in bounded)

    def _member_ends(self, member: str) -> tuple[float, float] | None:
        if isinstance(self.nodes, Intervals):
            return self.nodes.ends(member)
        if self.nodes is not None or not NUMBER.fullmatch(member):
            return None
        return parsed_outward(member, -1), parsed_outward(member, 1)

    def misfits(self, table: Microfile, attribute: str) -> Iterator[Misfit]:
        """Check that every label is explained."""
        labels = {str(value) for value in table.encoded(attribute).values.tolist()}
        if unknown := len(labels - set(self.members)):
            yield Misfit("codebook", f"does not explain {unknown} labels of column {attribute!r}")

    def label_misfits(self, attribute: str, *, boxes: bool, snapped: bool) -> Iterator[str]:
        """Say where labels are not those of the categories behind them."""
        return label_text.label_misfits(self, attribute, boxes=boxes, snapped=snapped)

    def description(self, attribute: str) -> str:
        """Describe it in a few words."""
        n_sets = len(self.members)
        return f"as one of {n_sets:,} set{'' if n_sets == 1 else 's'} of categories"

    def restricted_to(self, labels: Sequence[str], *, column: str) -> Self:
        """Return the sets of the labels that occur; refuse a label without a set."""
        unknown = sum(label not in self.members for label in labels)
        if unknown:
            raise ReleaseError(f"column {column!r} has {unknown} labels that its sets do not explain", column=column)
        return self.model_copy(
            update={
                "members": {label: self.members[label] for label in labels},
                "open": tuple(label for label in labels if label in self.open),
            }
        )

    def label_meanings(self, encoded: Encoded, meanings: Mapping[Code, str]) -> dict[str, str]:
        """Return what the categories behind labels mean, whether or not they occur: a selection would show which do."""
        by_member = {member: meaning for code, meaning in meanings.items() for member in written_codes(code)}
        listed = self.model_copy(update={"open": ()}) if self.open else self
        members = list(by_member)
        released = sorted({position for positions in listed.behind(members).values() for position in positions})
        return {members[position]: by_member[members[position]] for position in released}

    def labels(self) -> Collection[str]:
        """Return the labels."""
        return self.members.keys()

    def label_texts(self) -> list[str]:
        """Return all text of labels and of the categories behind them."""
        return [*self.members, *itertools.chain(*self.members.values())]

    def categories(self) -> set[str]:
        """Return the categories that labels stand for."""
        return {category for members in self.members.values() for category in members}

    def has_bounds(self, table: Microfile, attribute: str) -> bool:
        """Whether every label stands for numbers between two ends."""
        return all(self.ends(label) is not None for label in self.members)

    def bounds(self, table: Microfile, attribute: str) -> tuple[Reals, Reals]:
        """Return the ends of each record's label, NaN where it is missing."""
        encoded = table.encoded(attribute)
        unbounded = (np.nan, np.nan)
        # the last entry belongs to a missing value, whose code is -1
        ends = np.array([*(self.ends(str(label)) or unbounded for label in encoded.values.tolist()), unbounded])
        return ends[encoded.codes, 0], ends[encoded.codes, 1]

    def estimates(self, table: Microfile, attribute: str) -> dict[str, Reals]:
        """Return the midpoints of the numbers behind labels, NaN where a label has no ends."""
        encoded = table.encoded(attribute)
        ends = [self.ends(str(label)) for label in encoded.values.tolist()]
        # the last entry belongs to a missing value, whose code is -1
        midpoints = np.array([*(np.nan if pair is None else sum(pair) / 2 for pair in ends), np.nan])
        return {attribute: midpoints[encoded.codes]}

    def coverage(self, table: Microfile, attribute: str, original: Microfile | None = None) -> tuple[Reals, Flags]:
        """Return the share of the categories that each label stands for, and which cells are not missing."""
        encoded = table.encoded(attribute)
        categories = None if original is None else list(original.encoded(attribute).values)
        by_label = label_text.label_shares(self, categories)
        shares = np.array([by_label.get(str(label), 0.0) for label in encoded.values.tolist()] or [0.0])
        return shares[encoded.codes], ~encoded.missing

    def intersect(self, table: Microfile, attribute: str, households: Codes) -> tuple[dict[str, Encoded], Flags]:
        """Intersect the sets of each household's members."""
        columns = {attribute: table.encoded(attribute)}
        return intersect_labels(columns, households, members=self.comparable(), stands_for_any=self.open)

    def named_categories(self, label: str) -> frozenset[str]:
        """Return the categories that a label names; none of nodes that list no values, nor where it stands for any."""
        return frozenset() if self.nodes is not None or label in self.open else frozenset(self.members[label])

    def stands_for_any(self, label: str) -> bool:
        """Whether a label stands for any value."""
        return label in self.open

    def certain_categories(self, label: str) -> int:
        """Return how many categories of a label of several are certain to occur in every block that has the label."""
        n_named = len(self.named_categories(label))
        return 0 if self.closed or self.chosen != "sets" or n_named < 2 else n_named

    def holding(self, attribute: str, cells: pl.DataFrame, newcomers: Microfile) -> Callable[[slice], Flags]:
        """Return a function that says which labels hold the values of some new records; a missing label holds any."""
        encoded = newcomers.encoded(attribute)
        labels = cells.get_column(attribute).to_list()
        # the last row belongs to a missing value, whose code is -1
        held = np.zeros((encoded.values.size + 1, len(labels)), dtype=np.bool_)
        positions = self.behind(list(encoded.values))
        for column, label in enumerate(labels):
            held[slice(None) if label is None else positions[label], column] = True

        def hold(rows: slice) -> Flags:
            return held[encoded.codes[rows]]

        return hold

    def reconstruct(self, table: Microfile, attribute: str) -> dict[str, pl.Series]:
        """Return the category of labels that stand for a single one."""
        closed = ((label, members) for label, members in self.members.items() if label not in self.open)
        single = {label: members[0] for label, members in closed if len(members) == 1 and not self.is_node(members[0])}
        labels = table.series(attribute).cast(pl.String)
        return {attribute: labels.replace_strict(single, default=None, return_dtype=pl.String)}

    def compare(self, table: Microfile, attribute: str, outside: OutsideFile) -> list[Comparable]:
        """Compare categories with the sets behind labels."""
        labels = [str(value) for value in table.encoded(attribute).values.tolist()]
        categories = outside_categories(outside.microfile, attribute)
        values = outside.microfile.encoded(attribute).values
        positions = self.behind(values.tolist() if values.dtype == object else list(values))
        is_numeric = outside.microfile.series(attribute).dtype.is_numeric()
        members = []
        for label in labels:
            listed = tuple(map(usual_notation, self.members[label])) if is_numeric else self.members[label]
            # labels of nodes list no values, and those that stand for any value not all of them
            members.append(tuple(dict.fromkeys((*listed, *(categories[position] for position in positions[label])))))
        if self.open:
            every = tuple(dict.fromkeys(itertools.chain(*members)))
            members = [every if label in self.open else listed for label, listed in zip(labels, members, strict=True)]
        return [compare_categories(table, outside.microfile, attribute, members)]
