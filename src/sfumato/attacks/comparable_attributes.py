"""The attributes that a release and an outside file share, made comparable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.errors import SettingError, nearest
from sfumato.microfile import Microfile
from sfumato.representations import Comparable, Form, OutsideFile


def released_sources(forms: Mapping[str, Form]) -> dict[str, str]:
    """Return for each original attribute the released attribute that contains information about it."""
    sources: dict[str, str] = {}
    for name, form in forms.items():
        for attribute in form.attributes(name):
            sources[attribute] = name
    return sources


def linking_attributes(
    forms: Mapping[str, Form], outside: Microfile, on: Sequence[str], defaults: Sequence[str]
) -> tuple[str, ...]:
    """Return the attributes to link on: those in ``on``, or the default ones that the outside file has."""
    sources = released_sources(forms)
    for name in on:
        if on.count(name) > 1:
            raise SettingError(f"on lists {name!r} twice")
        if name not in sources:
            raise SettingError(f"on: the release contains no information about {name!r}", hint=nearest(name, sources))
        if name not in outside.attributes:
            raise SettingError(f"on: the outside file has no column {name!r}", hint=nearest(name, outside.names))
        if outside.is_blank(name):
            raise SettingError(f"on: the outside file has only missing values of {name!r}", hint="leave it out of on")
    names = tuple(on) or tuple(name for name in defaults if name in outside.attributes and not outside.is_blank(name))
    if not names:
        raise SettingError(
            f"the outside file has none of the attributes on which it could be linked: {', '.join(defaults)}",
            hint="name its columns as in the release, or list the attributes with on",
        )
    return names


def compare_attributes(
    table: Microfile,
    forms: Mapping[str, Form],
    outside: Microfile,
    names: Sequence[str],
    *,
    inverted: bool,
    missing_own: bool,
) -> list[Comparable]:
    """Make the attributes of both files comparable.

    Parameters
    ----------
    table, forms
        A released table and the representations of its attributes.
    outside, names
        The outside file, and the attributes to link on.
    inverted
        Whether released grades are inverted to ranges of values. If not, the grades of outside records are computed and
        compared, provided that the outside file has all attributes of the fuzzy sets.
    missing_own
        Whether a missing value is a value of its own.
    """
    sources = released_sources(forms)
    outside_file = OutsideFile(outside, tuple(names), inverted=inverted, missing_own=missing_own)
    return [
        comparable
        for source in dict.fromkeys(sources[name] for name in names)
        for comparable in forms[source].compare(table, source, outside_file)
    ]
