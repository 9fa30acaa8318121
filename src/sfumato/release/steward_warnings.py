"""What a release reveals that its steward may not have intended: warnings, as the command line prints them."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
import polars as pl

from sfumato.array_types import Codes, Counts
from sfumato.errors import SfumatoWarning
from sfumato.microfile import Encoded, Kind, Microfile
from sfumato.release.codebook import Codebook

GLANCE = 2_000
"""The number of records that are examined first, which is nearly always enough."""
FEWEST = 3
"""An attribute with fewer values than this is not taken for another one."""
NEARLY = 0.9
"""A warning needs this share of the records whose value is not the most frequent one anyway to be revealed."""


def concerns_of(
    table: Microfile,
    codebook: Codebook,
    original: Microfile,
    quasi: Sequence[str],
    with_role: Collection[str | None],
    household: str | None = None,
) -> list[str]:
    """Say what is released that names people, or that reveals a quasi attribute under another name.

    Parameters
    ----------
    table, codebook
        What is released.
    original
        The original records, of which some may have been suppressed.
    quasi
        Attributes that are not released unchanged.
    with_role
        Attributes that have a role in the promise.
    household
        The attribute with the household: if it is released, then with new numbers, and members share boxes.
    """
    exact = [name for name, entry in codebook.attributes.items() if entry.form.exact and name not in quasi]
    named = list(naming(table, codebook, [name for name in exact if name not in with_role]))
    unchanged = [name for name in exact if name in original.attributes and name != household]
    return [*named, *_synonyms(original, unchanged, quasi)]


def naming(table: Microfile, codebook: Codebook, names: Iterable[str]) -> Iterator[str]:
    """Say which attributes seem to name people and are released unchanged."""
    for name in names:
        # numbers may differ between all records without naming anybody
        if codebook.attributes[name].kind is Kind.NUMERIC:
            continue
        present = table.series(name).drop_nulls()
        if present.len() > table.records / 2 and present.n_unique() == present.len() > 1:
            having = " that has one" * (present.len() < table.records)
            yield (
                f"{name} has a different value in every record{having} and is released unchanged: name it in "
                "identifiers."
            )


def _synonyms(original: Microfile, names: Sequence[str], quasi: Sequence[str]) -> Iterator[str]:
    """Say which attributes, released unchanged, reveal a quasi attribute for all or nearly all records."""
    for hidden_name in quasi:
        hidden = original.series(hidden_name)
        revealing = []
        for name in names:
            released = original.series(name)
            if all(_determines(released.head(size), hidden.head(size)) for size in (GLANCE, released.len())):
                revealing.append(name)
                yield (
                    f"{name} is released unchanged, and each of its values determines {hidden_name}, which is quasi: "
                    f"name {name} in quasi or in identifiers."
                )
            elif share := _revealed_share(original, [name], hidden_name):
                revealing.append(name)
                yield _nearly(name, "is", hidden_name, share)
        rest = [name for name in names if name not in revealing and original.encoded(name).values.size >= FEWEST]
        for pair in itertools.combinations(rest, 2):
            if share := _revealed_share(original, pair, hidden_name):
                yield _nearly(" and ".join(pair), "are", hidden_name, share)


def _nearly(names: str, are: str, quasi: str, share: float) -> str:
    reveal = "reveals" if are == "is" else "together reveal"
    return (
        f"{names} {are} released unchanged, and {reveal} {quasi}, which is quasi, for {math.floor(100 * share)}% of "
        f"the records: name {names if are == 'is' else 'one of them'} in quasi or in identifiers."
    )


def _revealed_share(original: Microfile, names: Sequence[str], quasi: str) -> float | None:
    """Return the share of records whose quasi value other records with the same values reveal, if it is large.

    A value that most records have in common is known without them: what counts is how much they add.
    """
    hidden = original.encoded(quasi)
    if hidden.values.size < FEWEST:
        return None
    share = 0.0
    for size in (GLANCE, original.records):
        values = Encoded(hidden.codes[:size], hidden.values).with_missing()
        codes = np.zeros(values.size, dtype=np.int64)
        for name in names:
            encoded = original.encoded(name)
            encoded_codes = Encoded(encoded.codes[:size], encoded.values).with_missing()
            codes = np.unique(codes * (encoded.values.size + 1) + encoded_codes, return_inverse=True)[1]
        usual = float(np.bincount(values).max()) / values.size
        share = _predicted_share(codes, values)
        if usual == 1 or share - usual < NEARLY * (1 - usual):
            return None
    return share


def _predicted_share(codes: Counts, values: Codes) -> float:
    """Return the share of records whose value is the most frequent one of the others with their code."""
    pairs, counts = np.unique(codes * (int(values.max(initial=0)) + 1) + values, return_counts=True)
    owners = pairs // (int(values.max(initial=0)) + 1)
    order = np.lexsort((-counts, owners))
    owners, counts = owners[order], counts[order]
    first = np.append(True, owners[1:] != owners[:-1])
    firsts = np.flatnonzero(first)
    following = np.append(counts[1:], 0)[firsts]
    second = np.where(np.append(first[1:], True)[firsts], 0, following)
    highest = counts[firsts]
    # without the record itself, its value must still be ahead
    return float(highest[highest - 1 > second].sum()) / codes.size


def _determines(released: pl.Series, hidden: pl.Series) -> bool:
    """Say whether each value of one attribute occurs with a single value of another that has several."""
    values = released.n_unique()
    if not FEWEST <= values <= released.len() / 2 or hidden.n_unique() < FEWEST:
        return False
    both = pl.DataFrame([released.alias("one"), hidden.alias("hidden")])
    return both.n_unique() == values


def warn_of(messages: Iterable[str], *, stacklevel: int = 3) -> None:
    """Warn of each, at the line that asked for the release."""
    for message in messages:
        warnings.warn(message, SfumatoWarning, stacklevel=stacklevel)
