"""What was measured, as plain numbers: the same for the command line, certificates and audits."""

from __future__ import annotations

import math
from typing import Any, Literal, TypedDict, cast

from sfumato.measures.criteria import ATTRIBUTE_CRITERIA, BLOCK_CRITERIA, Criterion
from sfumato.measures.fuzzy_safety import FuzzyAttributeSafety, FuzzySafety
from sfumato.measures.promise import Promise
from sfumato.measures.risk import Risk
from sfumato.measures.safety import AttributeSafety, Safety
from sfumato.threads import side_by_side


class RiskFacts(TypedDict):
    """The risk of re-identification."""

    expected: float
    """The expected number of re-identifications."""
    rate: float
    """The same as a share of the records."""
    highest: float
    """The highest risk of a record."""
    above_main_part: int
    """The number of records with a clearly higher risk than most."""
    household_expected: float | None
    """The expected number of re-identifications with household risk."""


class AttributeFacts(TypedDict, total=False):
    """What the blocks reveal about a sensitive attribute; later criteria add facts where they are promised."""

    l: float | None  # noqa: E741  # the field's own letter
    """Distinct l."""
    known_l: float | None
    """Distinct l without missing values."""
    entropy_l: float | None
    """Entropy l."""
    recursive_c: float | None
    """c of recursive l."""
    t: float | None
    """t-closeness."""
    distance: str
    """The ground distance of t."""
    unknown_to_hierarchy: int
    """The number of values that the hierarchy lacks."""
    alpha: float | None
    """The highest share of a value in a block."""
    beta: float | None
    """Basic beta-likeness."""
    enhanced_beta: float | None
    """Enhanced beta-likeness."""
    delta: float | None
    """Delta-disclosure."""
    blocks_lacking_a_value: int
    """The number of blocks in which some value does not occur."""


class IntersectionFacts(TypedDict):
    """The blocks after intersecting the records of each household."""

    shared: list[str]
    """The attributes that members of a household share."""
    sharpened: int
    """The number of records that intersection makes more exact."""
    contradicted: int
    """The number of records whose values contradict each other."""
    k: int
    """k after intersection."""
    households: int | None
    """The fewest households in a block after intersection."""


class HouseholdFacts(TypedDict):
    """What the members of a household reveal together."""

    homes: int
    """The number of households."""
    unique: int
    """The number of households that are unique by all their members."""
    records: int
    """The number of records in unique households."""
    laid: IntersectionFacts | None
    """The measures after the records of each household are intersected."""


class OtherReadingFacts(TypedDict):
    """k and risk by the other reading of missing values."""

    missing: str
    """How missing values are counted."""
    k: int
    """k if they are counted so."""
    expected: float | None
    """The expected number of re-identifications if they are counted so."""


class FuzzyAttributeFacts(TypedDict):
    """What fuzzy sets reveal about a sensitive attribute."""

    l: float | None  # noqa: E741  # the field's own letter
    """Fuzzy l."""
    represented_l: float | None
    """l of well-represented values."""
    entropy_l: float | None
    """Entropy l."""
    belief: float | None
    """The highest posterior belief."""
    alpha: float | None
    """The highest share of a value in a set."""
    t: float | None
    """Fuzzy t of records."""
    set_t: float | None
    """t of the fuzzy sets."""


class InversionFacts(TypedDict):
    """How exactly inverting grades recovers an attribute."""

    narrowest: float
    """The narrowest recovered range."""
    median: float
    """The median width of recovered ranges."""
    extent: float
    """The extent of the attribute."""
    exposed: float
    """The number of exposed records."""
    hundredth: float
    """The width that one record in a hundred is left."""


class FuzzyFacts(TypedDict, total=False):
    """What was measured on fuzzy sets; only the inversion where there are too many combinations."""

    sets: int
    """The number of combinations of fuzzy sets."""
    k: int
    """Fuzzy k."""
    sigma_k: float | None
    """The lowest sigma count."""
    q: int | None
    """Q at the level."""
    q_fg: int | None
    """Q by the FG count."""
    level: float
    """The level of Q."""
    attributes: dict[str, FuzzyAttributeFacts]
    """The measures of each sensitive attribute."""
    inversion: dict[str, InversionFacts]
    """What inverting the grades recovers."""


class LabelFacts(TypedDict):
    """What labels of sets name."""

    several: int
    """The number of labels with several categories."""
    single: int
    """Those that show a category of a single record."""
    rare: int
    """Those that show a category which few records of the file have."""


class Measured(TypedDict, total=False):
    """Everything that was measured on a table, as certificates and ``--json`` write it.

    A release that promises nothing about individuals has only its number of records.
    """

    records: int
    """The number of records."""
    blocks: int
    """The number of blocks."""
    k: int
    """The size of the smallest block."""
    l: float | None  # noqa: E741  # the field's own letter
    """The lowest l over the sensitive attributes."""
    t: float | None
    """The highest t over the sensitive attributes."""
    risk: RiskFacts
    """The re-identification risk."""
    households: int | None
    """The fewest households in a block."""
    together: HouseholdFacts | None
    """What members of released households reveal together."""
    attributes: dict[str, AttributeFacts]
    """The measures of each sensitive attribute."""
    missing: str
    """How missing values are counted."""
    other_reading: OtherReadingFacts | None
    """The result if missing values are counted in the other way."""
    sets: LabelFacts
    """What labels of several categories show."""
    fuzzy: FuzzyFacts
    """The measures of fuzzy sets."""
    linkage: dict[str, Any]
    """What linkage with an outside file found."""


def summarize(safety: Safety, promise: Promise | None = None) -> Measured:
    """Return all measures of a table as numbers; null stands for what has no finite value.

    Parameters
    ----------
    safety
        What was measured.
    promise
        What is promised: the criteria that are measured only then are added.
    """
    attributes = side_by_side(
        lambda attribute: _summarize_attribute(attribute, promise), list(safety.attributes.values())
    )
    facts: Measured = {
        "records": safety.records,
        "blocks": len(safety.blocks),
        "k": int(safety.k.worst),
        "l": _finite(safety.l),
        "t": _finite(safety.t),
        "risk": _summarize_risk(safety.risk),
        "households": None if safety.households is None else int(safety.households.worst),
        "together": _summarize_together(safety),
        "attributes": dict(zip(safety.attributes, attributes, strict=True)),
        "missing": safety.roles.missing,
        "other_reading": _summarize_other(safety),
    }
    for criterion in BLOCK_CRITERIA:
        if _is_measured(criterion, promise):
            facts |= cast(Measured, criterion.facts(safety))
    return facts


def _summarize_together(safety: Safety) -> HouseholdFacts | None:
    """Return what the members of a household reveal together."""
    compositions, intersection = safety.compositions, safety.intersection
    if compositions is None:
        return None
    strongest = safety.intersected or safety
    facts: IntersectionFacts | None = None
    if intersection is not None:
        facts = {
            "shared": list(intersection.shared),
            "sharpened": intersection.sharpened,
            "contradicted": intersection.contradicted,
            "k": int(strongest.k.worst),
            "households": None if strongest.households is None else int(strongest.households.worst),
        }
    return {
        "homes": compositions.households,
        "unique": compositions.unique,
        "records": compositions.records,
        "laid": facts,
    }


def _summarize_attribute(attribute: AttributeSafety, promise: Promise | None) -> AttributeFacts:
    facts = {
        name: _finite(fact) if isinstance(fact, float) else fact
        for criterion in ATTRIBUTE_CRITERIA
        if _is_measured(criterion, promise)
        for name, fact in criterion.facts(attribute).items()
    }
    return cast(AttributeFacts, facts)


def _is_measured(criterion: Criterion, promise: Promise | None) -> bool:
    """Whether facts have a criterion: the original ones always, later ones where they are promised."""
    return criterion.original or (promise is not None and criterion.promised(promise) is not None)


def summarize_fuzzy(safety: FuzzySafety, *, level: float, operator: Literal["min", "mean"]) -> FuzzyFacts:
    """Return all measures of a fuzzy partition as numbers; Q at the given level of possibility."""
    return {
        "sets": safety.memberships.shape[1],
        "k": int(safety.k.nonfuzzy.worst),
        "sigma_k": _finite(safety.k.sigma.worst),
        "q": safety.q(operator=operator).reached(level),
        "q_fg": safety.q(operator=operator, possibility="fg").reached(level),
        "level": level,
        "attributes": {name: _summarize_fuzzy_attribute(attribute) for name, attribute in safety.attributes.items()},
    }


def _summarize_fuzzy_attribute(attribute: FuzzyAttributeSafety) -> FuzzyAttributeFacts:
    return {
        "l": _finite(attribute.l.distinct.worst),
        "represented_l": _finite(attribute.l.represented.worst),
        "entropy_l": _finite(attribute.l.entropy.worst),
        "belief": _finite(attribute.l.belief.worst),
        "alpha": _finite(attribute.l.alpha.worst),
        "t": _finite(attribute.t.t),
        "set_t": _finite(attribute.t.sets.worst),
    }


def _summarize_risk(risk: Risk) -> RiskFacts:
    facts = {
        "expected": _finite(risk.expected),
        "rate": _finite(risk.rate),
        "highest": _finite(risk.highest),
        "above_main_part": risk.outstanding,
        "household_expected": _finite(risk.household_expected),
    }
    return cast(RiskFacts, facts)


def _summarize_other(safety: Safety) -> OtherReadingFacts | None:
    reading = safety.other_reading
    if reading is None:
        return None
    return {"missing": reading.missing, "k": reading.k, "expected": _finite(reading.expected)}


def _finite(number: float | None) -> float | int | None:
    """Round away what differs between machines in the last bits; whole numbers become integers."""
    if number is None or not math.isfinite(number):
        return None
    rounded = float(f"{number:.12g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded
