"""The words of a codebook: titles and labels are the publisher's own text, which no measure covers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sfumato.characters import seen
from sfumato.microfile.forms import Fuzzy, Sets
from sfumato.microfile.hierarchy import Hierarchy
from sfumato.microfile.microfile import Microfile
from sfumato.release.codebook import LONGEST, Codebook, Entry, numbered

_ZONE = re.compile(r"[A-Za-z0-9_+/-]{0,64}")


def words_of(codebook: Codebook, settings: Mapping[str, Any]) -> list[str]:
    """Return all text that was written by the publisher, not by the protection that the settings tell."""
    sets = [entry.form for entry in codebook.attributes.values() if isinstance(entry.form, Sets)]
    own = [] if settings.get("method") == "boxes" else sets
    labels = [text for form in own for text in itertools.chain(form.members, *form.members.values())]
    return [*_titles(codebook), *labels]


def _titles(codebook: Codebook) -> list[str]:
    texts: list[str] = []
    for entry in codebook.attributes.values():
        texts += [entry.title, *entry.labels.values()]
        texts += entry.form.sets.values() if isinstance(entry.form, Fuzzy) else ()
    return [text for text in texts if text]


def misstatements(codebook: Codebook, table: Microfile) -> Iterator[str]:
    """Say where a codebook says more than its data needs, or hides text."""
    if any(len(text) > LONGEST or text != seen(text) for text in _titles(codebook)):
        yield f"has titles or labels that cannot be seen whole, or are longer than {LONGEST} characters"
    for name, entry in codebook.attributes.items():
        if not _ZONE.fullmatch(entry.zone):
            yield f"names no time zone of {name!r}"
        columns = entry.form.columns(name)
        if any(column not in table.attributes for column in columns):
            continue
        described = entry.order or entry.labels or entry.hierarchy or isinstance(entry.form, Sets)
        if not described:
            continue
        if columns != (name,):
            yield f"has an order, labels or a hierarchy of {name!r}, of which no single column is released"
            continue
        encoded = table.encoded(name)
        yield from _strange(name, entry, {str(value) for value in encoded.values.tolist()})
        if entry.hierarchy and numbered(encoded, Hierarchy.from_mapping(entry.hierarchy)) != entry.hierarchy:
            yield f"has a hierarchy of {name!r} that is not written in its usual way: no level twice, sets by number"


def _strange(name: str, entry: Entry, values: set[str]) -> Iterator[str]:
    members = {one for its in entry.form.members.values() for one in its} if isinstance(entry.form, Sets) else set()
    if isinstance(entry.form, Sets) and (extra := len(entry.form.members.keys() - values)):
        yield f"explains {extra:,} labels of {name!r} that no record has"
    if extra := len(set(entry.order) - values):
        yield f"has {extra:,} values in the order of {name!r} that no record has"
    if extra := len(entry.labels.keys() - values - members):
        yield f"has {extra:,} labels of {name!r} for codes that no record has"
    if extra := len(entry.hierarchy.keys() - values):
        yield f"has {extra:,} values in the hierarchy of {name!r} that no record has"
