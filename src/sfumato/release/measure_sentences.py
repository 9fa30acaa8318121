"""Sentences about what was measured: why a limit is broken, and what a promise does not prevent."""

from __future__ import annotations

from typing import Any

from sfumato.measures.compliance import BrokenLimit
from sfumato.measures.criteria import ATTRIBUTE_CRITERIA
from sfumato.measures.measured_facts import Measured
from sfumato.measures.promise import Promise

INTERSECTED = "after intersecting the records of each household"


def broken_limit_message(broken: BrokenLimit) -> str:
    """Say why a limit is broken and what would relax it."""
    subject = f"{broken.setting} of {broken.attribute!r}" if broken.attribute else broken.setting
    subject += f" {INTERSECTED}" * broken.intersected
    message = (
        f"{subject}: promised {broken.limit:g}, reached {broken.reached:.6g}; {_records(broken.records)} in "
        f"{_blocks(broken.blocks)} violate{'s' * (broken.records == 1)} it (worst: block {broken.worst_block} with "
        f"{_records(broken.worst_block_records)})"
    )
    if broken.without:
        name, violating = min(broken.without.items(), key=lambda item: item[1])
        message += f"; dropping {name!r} would leave {violating:,} violating"
    return message + f"; relaxing the limit to {broken.relaxed_limit:g} would leave {broken.relaxed_records:,}"


def broken_limit_facts(broken: BrokenLimit) -> dict[str, Any]:
    """Return the facts of a broken limit with its sentence, for JSON."""
    return {**broken.facts(), "message": broken_limit_message(broken)}


def cautions(measured: Measured, promise: Promise) -> list[str]:
    """Say what a satisfied promise does not prevent, although a reader may expect it.

    Parameters
    ----------
    measured
        What :func:`~sfumato.measures.summarize` returned.
    promise
        What is promised.
    """
    limited = any(criterion.promised(promise) is not None for criterion in ATTRIBUTE_CRITERIA)
    return ([] if limited else _revealed(measured)) + leaning_on_missing(measured, l=promise.l)


def _revealed(measured: Measured) -> list[str]:
    """Say for which attributes all records of a block have the same known value."""
    return [
        f"{name}: in some block all records have the same value (l = 1), which reveals it; promise l or t to prevent "
        "that."
        for name, facts in measured["attributes"].items()
        if facts["l"] == facts["known_l"] == 1
    ]


def leaning_on_missing(
    measured: Measured,
    *,
    l: float | None = None,  # noqa: E741  # the field's own letter
) -> list[str]:
    """Say for which attributes a block reaches its l only because a missing value counts as a value.

    Parameters
    ----------
    measured
        What :func:`~sfumato.measures.summarize` returned.
    l
        Only attributes with fewer known values than this in some block; default: all.
    """
    leaning: dict[float, list[str]] = {}
    for name, facts in measured["attributes"].items():
        n_known, reached = facts["known_l"], facts["l"]
        if n_known is not None and reached is not None and n_known < (reached if l is None else min(l, reached)):
            leaning.setdefault(n_known, []).append(name)
    return [
        f"l of {', '.join(names)} counts a missing value as a value of its own; some block may have only "
        f"{n_known:g} known value{'s' * (n_known != 1)}."
        for n_known, names in leaning.items()
    ]


def _records(count: int) -> str:
    return f"{count:,} record{'s' * (count != 1)}"


def _blocks(count: int) -> str:
    return f"{count:,} block{'s' * (count != 1)}"
