"""What a release states or shows that no measure of its audit covers: the reader has to judge it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sfumato.measures import Measured, Promise
from sfumato.microfile import Kind, Microfile
from sfumato.release.codebook import Codebook
from sfumato.release.publisher_text import words_of
from sfumato.release.steward_warnings import naming
from sfumato.roles import weights_named

MOST_NAMES = 8
"""A note names at most this number of attributes; of more, only their number."""


def unmeasured(
    table: Microfile, codebook: Codebook, promise: Promise, settings: Mapping[str, Any], measured: Measured
) -> Iterator[str]:
    """Say what a reader of an audit has to judge.

    Parameters
    ----------
    table, codebook, promise, settings
        The release.
    measured
        What the audit measured; empty where it could not.
    """
    if words := words_of(codebook, settings):
        yield (
            f"the codebook has {len(words):,} titles, labels and explanations, {sum(map(len, words)):,} characters in "
            "all: text of the publisher that no measure covers"
        )
    if settings.get("order") == "kept":
        yield "records are in an order that their publisher chose (order = 'kept'): what it reveals was not measured"
    if not promise.quasi or not measured:
        return
    roles = {*promise.quasi, *promise.sensitive, promise.weight, promise.household}
    if uncovered := [name for name in codebook.attributes if name not in roles]:
        exact = [name for name in uncovered if codebook.attributes[name].form.exact]
        yield f"the promise does not cover {_listed(uncovered)}"
        yield from (message.rstrip(".") for message in naming(table, codebook, exact))
    if (reading := measured.get("other_reading")) and promise.missing == "wildcard":
        yield (
            f"a missing value counts as any value (missing = 'wildcard'), which is right only if it was suppressed; as "
            f"a value of its own it gives k = {reading['k']:,}"
        )
    if promise.weight is not None:
        yield weights_note(promise.weight, table)
    if ranked := _ranked_by_publisher(codebook, promise, measured):
        yield f"t is measured along the order that the codebook gives the categories of {_listed(ranked)}"


def weights_note(weight: str, table: Microfile) -> str:
    """Say how many people the records of a file stand for by their weights."""
    return (
        f"risks rest on the weights {weight!r}, by which {table.records:,} records stand for "
        f"{weights_named(weight, table).sum():,.0f} people: compare that with the population"
    )


def _ranked_by_publisher(codebook: Codebook, promise: Promise, measured: Measured) -> list[str]:
    """Return the sensitive attributes whose t rests on an order that somebody declared."""
    if promise.t is None:
        return []
    return [
        name
        for name, facts in measured["attributes"].items()
        if facts["distance"] == "ordered" and codebook.attributes[name].kind is Kind.ORDINAL
    ]


def _listed(names: list[str]) -> str:
    if len(names) > MOST_NAMES:
        return f"{len(names):,} attributes"
    return ", ".join(map(repr, names))
