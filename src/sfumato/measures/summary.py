"""What was measured, as plain numbers: the same for the command line, certificates and audits."""

from __future__ import annotations

import math
from typing import Any, Literal

from sfumato.measures.fuzzy_safety import FuzzyAttributeSafety, FuzzySafety
from sfumato.measures.promise import Promise
from sfumato.measures.risk import Risk
from sfumato.measures.safety import AttributeSafety, Safety
from sfumato.parallel import side_by_side


def summarize(safety: Safety) -> dict[str, Any]:
    """Return all measures of a table as numbers; null stands for what has no finite value."""
    attributes = side_by_side(_summarize_attribute, list(safety.attributes.values()))
    return {
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


def cautions(measured: dict[str, Any], promise: Promise) -> list[str]:
    """Say what a promise that is kept does not prevent, as a reader may take it to.

    Parameters
    ----------
    measured
        What :func:`summarize` returned.
    promise
        What is promised.
    """
    limits = (promise.l, promise.t, promise.alpha, promise.beta, promise.delta)
    told = [] if any(limit is not None for limit in limits) else _given_away(measured)
    return told + leaning_on_missing(measured, l=promise.l)


def _given_away(measured: dict[str, Any]) -> list[str]:
    """Say of which attributes all records of a block have the same known value."""
    return [
        f"{name}: all of some block have the same value (l = 1), which gives it away; promise l or t against that."
        for name, its in measured["attributes"].items()
        if its["l"] == its["known_l"] == 1
    ]


def leaning_on_missing(
    measured: dict[str, Any],
    *,
    l: float | None = None,  # noqa: E741  # the field's own letter
) -> list[str]:
    """Say of which attributes a block has its l only because a missing value counts as one.

    Parameters
    ----------
    measured
        What :func:`summarize` returned.
    l
        Only of those whose known values stay below this; default: of all.
    """
    leaning: dict[int, list[str]] = {}
    for name, its in measured["attributes"].items():
        known = its["known_l"]
        if known is not None and known < (its["l"] if l is None else min(l, its["l"])):
            leaning.setdefault(known, []).append(name)
    return [
        f"l of {', '.join(names)} counts a missing value as one of its own; "
        f"of known values a block may have just {known}."
        for known, names in leaning.items()
    ]


def _summarize_together(safety: Safety) -> dict[str, Any] | None:
    """Return what the members of a household tell together."""
    found, laid = safety.compositions, safety.laid
    if found is None:
        return None
    seen = safety.upon or safety
    told = None
    if laid is not None:
        told = {
            "shared": list(laid.shared),
            "sharpened": laid.sharpened,
            "contradicted": laid.contradicted,
            "k": int(seen.k.worst),
            "households": None if seen.households is None else int(seen.households.worst),
        }
    return {"homes": found.households, "unique": found.unique, "records": found.records, "laid": told}


def _summarize_attribute(attribute: AttributeSafety) -> dict[str, Any]:
    l = attribute.l.worst  # noqa: E741  # the field's own letter
    return {
        "l": _finite(l),
        "known_l": _finite(attribute.known_l.worst),
        "entropy_l": _finite(attribute.entropy_l.worst),
        "recursive_c": _finite(attribute.recursive_c(int(l)).worst) if math.isfinite(l) else None,
        "t": _finite(attribute.t.worst),
        "distance": attribute.distance,
        "unknown_to_hierarchy": attribute.unknown_records,
        "alpha": _finite(attribute.alpha.worst),
        "beta": _finite(attribute.beta.worst),
        "enhanced_beta": _finite(attribute.enhanced_beta.worst),
        "delta": _finite(attribute.delta.worst),
        "blocks_lacking_a_value": attribute.blocks_lacking_a_value,
    }


def summarize_fuzzy(safety: FuzzySafety, *, level: float, operator: Literal["min", "mean"]) -> dict[str, Any]:
    """Return all measures of a fuzzy partition as numbers; Q at a level of possibility."""
    return {
        "sets": safety.memberships.shape[1],
        "k": int(safety.k.nonfuzzy.worst),
        "sigma_k": _finite(safety.k.sigma.worst),
        "q": safety.q(operator=operator).reached(level),
        "q_fg": safety.q(operator=operator, possibility="fg").reached(level),
        "level": level,
        "attributes": {name: _summarize_fuzzy_attribute(its) for name, its in safety.attributes.items()},
    }


def _summarize_fuzzy_attribute(attribute: FuzzyAttributeSafety) -> dict[str, Any]:
    return {
        "l": _finite(attribute.l.distinct.worst),
        "represented_l": _finite(attribute.l.represented.worst),
        "entropy_l": _finite(attribute.l.entropy.worst),
        "belief": _finite(attribute.l.belief.worst),
        "alpha": _finite(attribute.l.alpha.worst),
        "t": _finite(attribute.t.t),
        "set_t": _finite(attribute.t.sets.worst),
    }


def _summarize_risk(risk: Risk) -> dict[str, Any]:
    return {
        "expected": _finite(risk.expected),
        "rate": _finite(risk.rate),
        "highest": _finite(risk.highest),
        "above_main_part": risk.outstanding,
        "household_expected": _finite(risk.household_expected),
    }


def _summarize_other(safety: Safety) -> dict[str, Any] | None:
    other = safety.other_reading
    if other is None:
        return None
    return {"missing": other.missing, "k": other.k, "expected": _finite(other.expected)}


def _finite(number: float | None) -> float | int | None:
    """Round away what differs between machines in the last bits; whole numbers become integers."""
    if number is None or not math.isfinite(number):
        return None
    rounded = float(f"{number:.12g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded
