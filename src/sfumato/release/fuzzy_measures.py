"""What the fuzzy sets of a release reveal: its fuzzy measures, and how precisely its grades can be inverted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sfumato.fuzzy import product
from sfumato.measures import FuzzyFacts, FuzzySafety, Promise, measure_fuzzy, summarize_fuzzy
from sfumato.microfile import Microfile
from sfumato.release.codebook import Codebook
from sfumato.representations import Exact, Form, Fuzzy

MOST = 50_000_000
"""With more memberships of records in combinations of sets than this, fuzzy measures are not computed."""


def fuzzy_forms(codebook: Codebook) -> dict[str, Fuzzy]:
    """Return the attributes that are released as fuzzy sets."""
    return {name: entry.form for name, entry in codebook.attributes.items() if isinstance(entry.form, Fuzzy)}


def fuzzy_safety(table: Microfile, forms: Mapping[str, Form], promise: Promise) -> FuzzySafety | None:
    """Measure the fuzzy sets of a release from its table alone; None if there are too many combinations of sets."""
    memberships = [forms.get(name, Exact()).memberships(table, name) for name in promise.quasi]
    if table.records * np.prod([grades.shape[1] for grades in memberships], dtype=np.float64) > MOST:
        return None
    distances: Any = {name: distance for name, distance in promise.distances.items() if distance != "hierarchical"}
    return measure_fuzzy(
        table, product(memberships), sensitive=promise.sensitive, household=promise.household, distances=distances
    )


def fuzzy_measured(table: Microfile, forms: Mapping[str, Form], promise: Promise) -> FuzzyFacts:
    """Return the fuzzy measures of a release as plain numbers."""
    safety = fuzzy_safety(table, forms, promise)
    facts: FuzzyFacts = {}
    if safety is not None:
        facts = summarize_fuzzy(safety, level=promise.level, operator=promise.operator)
    facts["inversion"] = {
        inversion.attribute: {
            "narrowest": _short(inversion.narrowest),
            "median": _short(inversion.median),
            "extent": _short(inversion.extent),
            "exposed": _short(inversion.exposed),
            "hundredth": _short(inversion.hundredth),
        }
        for name, form in forms.items()
        for inversion in form.inversions(table, name)
    }
    return facts


def doubled_attributes(codebook: Codebook) -> tuple[str, ...]:
    """Return the original attributes that are released twice, at least once as fuzzy sets.

    Together, the two reveal more than inverting each of them alone.
    """
    forms = fuzzy_forms(codebook)
    behind = [attribute for form in forms.values() for attribute in form.public_sets().attributes]
    behind += [name for name in codebook.attributes if name not in forms]
    several = {name for name in behind if behind.count(name) > 1}
    return tuple(name for name in dict.fromkeys(behind) if name in several)


def _short(number: float) -> float:
    return float(f"{number:.4g}")
