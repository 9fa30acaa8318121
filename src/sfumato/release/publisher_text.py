"""The words of a codebook: titles and labels are the publisher's own text, which no measure covers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sfumato.invisible_characters import seen
from sfumato.microfile import Hierarchy, Kind, Microfile
from sfumato.release.codebook import LONGEST, Codebook, Entry, numbered

_ZONE = re.compile(r"[A-Za-z0-9_+/-]{0,64}")


def words_of(codebook: Codebook, settings: Mapping[str, Any]) -> list[str]:
    """Return all text that was written by the publisher and not by the protection named in the settings."""
    forms = [] if settings.get("method") == "boxes" else [entry.form for entry in codebook.attributes.values()]
    labels = [text for form in forms for text in form.label_texts()]
    return [*_titles(codebook), *labels]


def _titles(codebook: Codebook) -> list[str]:
    texts: list[str] = []
    for entry in codebook.attributes.values():
        texts += [entry.title, *entry.labels.values()]
        texts += entry.form.explanations()
    return [text for text in texts if text]


def misstatements(codebook: Codebook, table: Microfile) -> Iterator[str]:
    """Say where a codebook contains more than its data needs, or hides text."""
    if any(len(text) > LONGEST or text != seen(text) for text in _titles(codebook)):
        yield f"has titles or labels with invisible characters, or longer than {LONGEST} characters"
    for name, entry in codebook.attributes.items():
        if not _ZONE.fullmatch(entry.zone):
            yield f"has an invalid time zone for {name!r}"
        columns = entry.form.columns(name)
        if any(column not in table.attributes for column in columns):
            continue
        described = entry.order or entry.labels or entry.hierarchy or entry.form.labelled
        if not described:
            continue
        if columns != (name,):
            yield f"has an order, labels or a hierarchy of {name!r}, of which no single column is released"
            continue
        encoded = table.encoded(name)
        yield from _strange(name, entry, {str(value) for value in encoded.values.tolist()})
        if entry.hierarchy and numbered(encoded, Hierarchy.from_mapping(entry.hierarchy)) != entry.hierarchy:
            yield f"has a hierarchy of {name!r} that is not in canonical form: no level twice, sets by number"


def numbers_with_names(table: Microfile, codebook: Codebook, name: str) -> bool:
    """Whether every value of a numeric attribute has a label, and there are three or more: then they are codes."""
    entry = codebook.attributes.get(name)
    if entry is None or entry.kind is not Kind.NUMERIC or not entry.labels or name not in table.attributes:
        return False
    values = {str(value) for value in table.encoded(name).values.tolist()}
    # between two values, order makes no difference
    return len(values) > 2 and values <= entry.labels.keys()


def _strange(name: str, entry: Entry, values: set[str]) -> Iterator[str]:
    if extra := len({*entry.form.labels()} - values):
        yield f"explains {extra:,} labels of {name!r} that no record has"
    if extra := len(set(entry.order) - values):
        yield f"has {extra:,} values in the order of {name!r} that no record has"
    if extra := len(entry.labels.keys() - values - entry.form.categories()):
        yield f"has {extra:,} labels of {name!r} for codes that no record has"
    if extra := len(entry.hierarchy.keys() - values):
        yield f"has {extra:,} values in the hierarchy of {name!r} that no record has"
