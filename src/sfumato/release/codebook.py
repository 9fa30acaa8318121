"""The codebook: what the columns of a release mean."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from pydantic import Field

from sfumato.characters import seen
from sfumato.errors import ReleaseError
from sfumato.microfile.attribute import Code, Kind
from sfumato.microfile.encoding import Encoded, is_one_of, written_codes
from sfumato.microfile.forms import Exact, Form, Fuzzy, Interval, Sets
from sfumato.microfile.hierarchy import Hierarchy
from sfumato.microfile.microfile import Kinds, Microfile
from sfumato.settings import Settings

LONGEST = 500
"""A title or label has at most this number of characters."""


class Entry(Settings):
    """What one attribute of a release is."""

    kind: Kind
    """How its values relate."""
    form: Form = Field(default_factory=Exact)
    """How it stands in the data."""
    title: str = ""
    """Its name in words."""
    order: tuple[str, ...] = ()
    """The categories of an ordinal attribute that occur, from lowest to highest."""
    labels: dict[str, str] = Field(default_factory=dict)
    """What codes mean that occur, or stand behind a label of a set."""
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
        """Return how the attributes stand in the data."""
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
    """Make the codebook of a released table, of nothing but what the table shows."""
    entries: dict[str, Entry] = {}
    taken: set[str] = set()
    for column in table.names:
        if column in taken:
            continue
        owner = next((name for name, form in forms.items() if column in form.columns(name)), column)
        form = forms.get(owner, Exact())
        for part in form.columns(owner):
            if part not in table.attributes:
                raise ReleaseError(f"attribute {owner!r} is {form.form}, but the table has no column {part!r}")
            taken.add(part)
        entries[owner] = _entry(table, owner, form, hierarchies.get(owner))
    strange = [name for name in forms if name not in entries]
    if strange:
        raise ReleaseError(f"the table has no column of attribute {strange[0]!r}")
    return Codebook(attributes=entries)


def _entry(table: Microfile, name: str, form: Form, hierarchy: Hierarchy | None) -> Entry:
    if isinstance(form, Interval):
        return Entry(kind=Kind.NUMERIC, form=form, title=_title(table, form.columns(name)[0]))
    if isinstance(form, Fuzzy) and form.shown == "grades":
        return Entry(kind=Kind.NUMERIC, form=form)
    attribute = table.attribute(name)
    told = isinstance(form, Sets) or attribute.kind is Kind.ORDINAL or attribute.labels or hierarchy
    encoded = table.encoded(name) if told else Encoded(np.empty(0, dtype=np.int32), np.empty(0))
    values = [str(value) for value in encoded.values.tolist()]
    if isinstance(form, Sets):
        unknown = sum(value not in form.members for value in values)
        if unknown:
            raise ReleaseError(f"column {name!r} has {unknown} labels that its sets do not explain")
        members = {value: form.members[value] for value in values}
        form = form.model_copy(
            update={
                "members": members,
                "open": tuple(value for value in values if value in form.open),
            }
        )
        labels = _meanings(form, attribute.labels)
    else:
        labels = {
            str(value): label
            for value in encoded.values.tolist()
            for code, label in attribute.labels.items()
            if is_one_of(value, (code,))
        }
    return Entry(
        kind=attribute.kind,
        form=form,
        title=_title(table, name),
        order=tuple(values) if attribute.kind is Kind.ORDINAL else (),
        labels={code: _public(text, what=f"a label of column {name!r}") for code, text in labels.items()},
        zone=getattr(table.series(name).dtype, "time_zone", None) or "",
        hierarchy=numbered(encoded, hierarchy) if hierarchy else {},
    )


def _title(table: Microfile, name: str) -> str:
    return _public(table.attribute(name).title, what=f"the title of column {name!r}")


def _meanings(form: Sets, labels: Mapping[Code, str]) -> dict[str, str]:
    """Return what the categories behind sets mean, whether or not they occur: labels of some would show which do."""
    meant = {member: label for code, label in labels.items() for member in written_codes(code)}
    if form.open:
        form = form.model_copy(update={"open": ()})
    places = sorted({place for its in form.behind(list(meant)).values() for place in its})
    return {member: meant[member] for member in (list(meant)[place] for place in places)}


def numbered(encoded: Encoded, hierarchy: Hierarchy) -> dict[str, tuple[str, ...]]:
    """Write a hierarchy with numbers for labels: a label could name values that no released record has."""
    levels = hierarchy.joining_tree(encoded)[1:]
    return {
        str(value): tuple(str(level[place]) for level in levels) for place, value in enumerate(encoded.values.tolist())
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
