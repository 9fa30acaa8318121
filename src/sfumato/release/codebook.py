"""The codebook: what the columns of a release mean."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from pydantic import Field

from sfumato.errors import ReleaseError
from sfumato.invisible_characters import seen
from sfumato.microfile import Encoded, Hierarchy, Kind, Kinds, Microfile
from sfumato.representations import Exact, Form
from sfumato.settings import Settings

LONGEST = 500
"""A title or label has at most this number of characters."""


class Entry(Settings):
    """What one attribute of a release is."""

    kind: Kind
    """How its values are to be read."""
    form: Form = Field(default_factory=Exact)
    """How it is released."""
    title: str = ""
    """Its name in words."""
    order: tuple[str, ...] = ()
    """The categories of an ordinal attribute that occur, from lowest to highest."""
    labels: dict[str, str] = Field(default_factory=dict)
    """The meaning of codes that occur, or that belong to the label of a set."""
    hierarchy: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """For a hierarchical distance: the number of each value's set at every level, for values that occur."""
    zone: str = ""
    """The time zone of a column of times."""


class Codebook(Settings):
    """What the columns of a release mean."""

    attributes: dict[str, Entry]
    """In the order of the data's columns."""

    def columns(self) -> dict[str, tuple[str, ...]]:
        """Return the data's columns of each attribute."""
        return {name: entry.form.columns(name) for name, entry in self.attributes.items()}

    def forms(self) -> dict[str, Form]:
        """Return how the attributes are released."""
        return {name: entry.form for name, entry in self.attributes.items()}

    def kinds(self) -> Kinds:
        """Return the kinds of the data's columns."""
        kinds: dict[str, str | list[str | int | float]] = {}
        for name, entry in self.attributes.items():
            if entry.form.columns(name) != (name,):
                continue
            kinds[name] = list(entry.order) if entry.order and entry.kind is Kind.ORDINAL else entry.kind.value
        return kinds

    def hierarchies(self) -> dict[str, Hierarchy]:
        """Return the hierarchies that hierarchical distances need."""
        return {
            name: Hierarchy.from_mapping(entry.hierarchy) for name, entry in self.attributes.items() if entry.hierarchy
        }


def describe(table: Microfile, *, forms: Mapping[str, Form], hierarchies: Mapping[str, Hierarchy]) -> Codebook:
    """Make the codebook of a released table from the table alone."""
    entries: dict[str, Entry] = {}
    assigned: set[str] = set()
    for column in table.names:
        if column in assigned:
            continue
        owner = next((name for name, form in forms.items() if column in form.columns(name)), column)
        form = forms.get(owner, Exact())
        for own_column in form.columns(owner):
            if own_column not in table.attributes:
                raise ReleaseError(f"attribute {owner!r} is {form.form}, but the table has no column {own_column!r}")
            assigned.add(own_column)
        entries[owner] = _entry(table, owner, form, hierarchies.get(owner))
    unmatched = [name for name in forms if name not in entries]
    if unmatched:
        raise ReleaseError(f"the table has no column of attribute {unmatched[0]!r}")
    return Codebook(attributes=entries)


def _entry(table: Microfile, name: str, form: Form, hierarchy: Hierarchy | None) -> Entry:
    titled = form.title_column(name)
    title = "" if titled is None else _title(table, titled)
    if form.columns(name) != (name,):
        return Entry(kind=Kind.NUMERIC, form=form, title=title)
    attribute = table.attribute(name)
    needs_values = form.labelled or attribute.kind is Kind.ORDINAL or attribute.labels or hierarchy
    encoded = table.encoded(name) if needs_values else Encoded(np.empty(0, dtype=np.int32), np.empty(0))
    values = [str(value) for value in encoded.values.tolist()]
    form = form.restricted_to(values, column=name)
    labels = form.label_meanings(encoded, attribute.labels)
    return Entry(
        kind=attribute.kind,
        form=form,
        title=title,
        order=tuple(values) if attribute.kind is Kind.ORDINAL else (),
        labels={code: _public(text, what=f"a label of column {name!r}") for code, text in labels.items()},
        zone=getattr(table.series(name).dtype, "time_zone", None) or "",
        hierarchy=numbered(encoded, hierarchy) if hierarchy else {},
    )


def _title(table: Microfile, name: str) -> str:
    return _public(table.attribute(name).title, what=f"the title of column {name!r}")


def numbered(encoded: Encoded, hierarchy: Hierarchy) -> dict[str, tuple[str, ...]]:
    """Write a hierarchy with numbers for labels: a label could name values that no released record has."""
    levels = hierarchy.joining_tree(encoded)[1:]
    return {
        str(value): tuple(str(level[position]) for level in levels)
        for position, value in enumerate(encoded.values.tolist())
    }


def _public(text: str, *, what: str) -> str:
    """Return a title or label as it is seen; refuse one that is too long.

    Parameters
    ----------
    text
        As the publisher wrote it.
    what
        What it is, for the error.
    """
    cleaned = seen(text)
    if len(cleaned) > LONGEST:
        raise ReleaseError(
            f"{what} has {len(cleaned):,} characters; at most {LONGEST} are released", hint="give a shorter one"
        )
    return cleaned
