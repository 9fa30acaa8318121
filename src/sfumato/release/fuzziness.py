"""What the fuzzy sets of a release tell: its fuzzy measures, and what inverting its grades gives back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sfumato.fuzzy.inversion import Inversion, invert
from sfumato.fuzzy.memberships import category_memberships
from sfumato.fuzzy.products import product
from sfumato.fuzzy.released import memberships_of, sets_of, told_parts
from sfumato.measures.fuzzy_safety import FuzzySafety, measure_fuzzy
from sfumato.measures.promise import Promise
from sfumato.measures.summary import summarize_fuzzy
from sfumato.microfile.forms import Fuzzy
from sfumato.microfile.microfile import Microfile
from sfumato.release.codebook import Codebook

MOST = 50_000_000
"""Memberships of records in all combinations of sets are not reckoned with if they are more than this."""

PARTS = ("narrowest", "median", "extent", "exposed", "hundredth")
"""What a certificate says of an inversion."""


def fuzzy_forms(codebook: Codebook) -> dict[str, Fuzzy]:
    """Return the attributes that are released as fuzzy sets."""
    return {name: entry.form for name, entry in codebook.attributes.items() if isinstance(entry.form, Fuzzy)}


def fuzzy_safety(table: Microfile, forms: Mapping[str, Fuzzy], promise: Promise) -> FuzzySafety | None:
    """Measure the fuzzy sets of a release, nothing but its table being known; None where there are too many."""
    parts = [
        memberships_of(table, name, forms[name]) if name in forms else category_memberships(table, name)[0]
        for name in promise.quasi
    ]
    if table.records * np.prod([part.shape[1] for part in parts], dtype=np.float64) > MOST:
        return None
    distances: Any = {name: its for name, its in promise.distances.items() if its != "hierarchical"}
    return measure_fuzzy(
        table, product(parts), sensitive=promise.sensitive, household=promise.household, distances=distances
    )


def fuzzy_measured(table: Microfile, forms: Mapping[str, Fuzzy], promise: Promise) -> dict[str, Any]:
    """Return the fuzzy measures of a release as plain numbers."""
    safety = fuzzy_safety(table, forms, promise)
    found = {} if safety is None else summarize_fuzzy(safety, level=promise.level, operator=promise.operator)
    inverted = [one for name, form in forms.items() for one in inversions(table, name, form)]
    return found | {
        "inversion": {one.attribute: {part: _short(getattr(one, part)) for part in PARTS} for one in inverted}
    }


def doubled_attributes(codebook: Codebook) -> tuple[str, ...]:
    """Return the attributes that several attributes of a release tell of, of which one has fuzzy sets.

    What these tell together is more than what inverting each by itself finds.
    """
    forms = fuzzy_forms(codebook)
    behind = [attribute for form in forms.values() for attribute in sets_of(form).attributes]
    behind += [name for name in codebook.attributes if name not in forms]
    several = {name for name in behind if behind.count(name) > 1}
    return tuple(name for name in dict.fromkeys(behind) if name in several)


def inversions(table: Microfile, name: str, form: Fuzzy) -> list[Inversion]:
    """Return how exactly the grades of a released attribute give back the values behind them."""
    parts, lacking = told_parts(table, name, form)
    if lacking.all():
        return []
    return invert(sets_of(form), parts[~lacking], form.levels, words=form.shown == "words")


def _short(number: float) -> float:
    return float(f"{number:.4g}")
