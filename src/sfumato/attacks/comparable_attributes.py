"""What an outside file knows of a release: the attributes that both have, made comparable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.errors import SettingError, nearest
from sfumato.microfile.microfile import Microfile
from sfumato.representations import Comparable, Form


def owners(forms: Mapping[str, Form]) -> dict[str, str]:
    """Return for each attribute that a release tells something of, which of its own tells it."""
    found: dict[str, str] = {}
    for name, form in forms.items():
        for attribute in form.attributes(name):
            found[attribute] = name
    return found


def common(forms: Mapping[str, Form], outside: Microfile, on: Sequence[str], usual: Sequence[str]) -> tuple[str, ...]:
    """Return the attributes to link on: those asked for, or those of the usual ones that the outside file has."""
    there = owners(forms)
    for name in on:
        if on.count(name) > 1:
            raise SettingError(f"on names {name!r} twice")
        if name not in there:
            raise SettingError(f"on: the release tells nothing of {name!r}", hint=nearest(name, there))
        if name not in outside.attributes:
            raise SettingError(f"on: the outside file has no column {name!r}", hint=nearest(name, outside.names))
        if outside.is_blank(name):
            raise SettingError(f"on: the outside file has only missing values of {name!r}", hint="leave it out of on")
    found = tuple(on) or tuple(name for name in usual if name in outside.attributes and not outside.is_blank(name))
    if not found:
        raise SettingError(
            f"the outside file has none of the attributes that could link it: {', '.join(usual)}",
            hint="name its columns as the release does, or say with on which to use",
        )
    return found


def known_of(
    table: Microfile, forms: Mapping[str, Form], outside: Microfile, names: Sequence[str], *, inverted: bool, own: bool
) -> list[Comparable]:
    """Make the attributes of both files comparable.

    Parameters
    ----------
    table, forms
        A released table and how its attributes stand in it.
    outside, names
        The outside file, and the attributes to link on.
    inverted
        Whether fuzzy sets become the ranges that grades leave. If not, the grades of outside records are computed and
        compared, where all attributes of the sets are known.
    own
        Whether a missing value is one of its own.
    """
    there = owners(forms)
    return [
        comparable
        for owner in dict.fromkeys(there[name] for name in names)
        for comparable in forms[owner].compare(table, owner, outside, names, inverted=inverted, missing_own=own)
    ]
