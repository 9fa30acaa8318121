"""What a release shows that its steward may not have meant: warnings, as the command line prints them."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence

import polars as pl

from sfumato.errors import SfumatoWarning
from sfumato.microfile.attribute import Kind
from sfumato.microfile.forms import Exact
from sfumato.microfile.microfile import Microfile
from sfumato.release.codebook import Codebook

GLANCE = 2_000
"""So many records are looked at first, which is nearly always enough."""
FEWEST = 3
"""An attribute with fewer values than this stands for no other one."""


def concerns_of(
    table: Microfile,
    codebook: Codebook,
    original: Microfile,
    quasi: Sequence[str],
    spoken_of: Collection[str | None],
    household: str | None = None,
) -> list[str]:
    """Say what leaves that names people, or that tells a quasi attribute under another name.

    Parameters
    ----------
    table, codebook
        What is released.
    original
        Records in the same order, or those of which some were left out.
    quasi
        Attributes that are not released as they are.
    spoken_of
        Attributes that have a role in the promise.
    household
        Households: if they are released, it is with new numbers, and members have boxes in common.
    """
    exact = [name for name, entry in codebook.attributes.items() if isinstance(entry.form, Exact) and name not in quasi]
    named = list(naming(table, codebook, [name for name in exact if name not in spoken_of]))
    others = [name for name in exact if name in original.attributes and name != household]
    return [*named, *_synonyms(original, others, quasi)]


def naming(table: Microfile, codebook: Codebook, names: Iterable[str]) -> Iterator[str]:
    """Say which attributes seem to name people and are released as they are."""
    for name in names:
        # numbers may well differ between all records and name nobody
        if codebook.attributes[name].kind is Kind.NUMERIC:
            continue
        known = table.series(name).drop_nulls()
        if known.len() > table.records / 2 and known.n_unique() == known.len() > 1:
            having = " that has one" * (known.len() < table.records)
            yield f"{name} has another value in every record{having} and is released as it is: name it in identifiers."


def _synonyms(original: Microfile, names: Sequence[str], quasi: Sequence[str]) -> Iterator[str]:
    """Say which attributes, released as they are, tell the exact value of a quasi attribute."""
    for name in names:
        for other in quasi:
            one, hidden = original.series(name), original.series(other)
            if all(_tells(one.head(size), hidden.head(size)) for size in (GLANCE, one.len())):
                yield (
                    f"{name} is released as it is, and each of its values has one value of {other} alone, which is "
                    f"quasi: name {name} in quasi or in identifiers."
                )


def _tells(one: pl.Series, hidden: pl.Series) -> bool:
    """Say whether a value of one attribute goes with a single value of another that has several."""
    values = one.n_unique()
    if not FEWEST <= values <= one.len() / 2 or hidden.n_unique() < FEWEST:
        return False
    both = pl.DataFrame([one.alias("one"), hidden.alias("hidden")])
    return both.n_unique() == values


def warn_of(messages: Iterable[str], *, stacklevel: int = 3) -> None:
    """Warn of each, as of the line that asked for the release."""
    for message in messages:
        warnings.warn(message, SfumatoWarning, stacklevel=stacklevel)
