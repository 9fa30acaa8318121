"""Cautions: what a satisfied promise does not prevent, although a reader may expect it."""

from __future__ import annotations

from sfumato.measures import ATTRIBUTE_CRITERIA, Measured, Promise


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
