"""What a release shows that its steward may not have meant: warnings, as the command line prints them."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
import polars as pl

from sfumato.arrays import Codes, Counts
from sfumato.errors import SfumatoWarning
from sfumato.microfile.attribute import Kind
from sfumato.microfile.encoding import Encoded
from sfumato.microfile.forms import Exact
from sfumato.microfile.microfile import Microfile
from sfumato.release.codebook import Codebook

GLANCE = 2_000
"""So many records are looked at first, which is nearly always enough."""
FEWEST = 3
"""An attribute with fewer values than this stands for no other one."""
NEARLY = 0.9
"""Of the records whose value is not the most frequent one anyway, this share must be told for a warning."""


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
    """Say which attributes, released as they are, tell the value of a quasi attribute of all or nearly all records."""
    for other in quasi:
        hidden = original.series(other)
        telling = []
        for name in names:
            one = original.series(name)
            if all(_tells(one.head(size), hidden.head(size)) for size in (GLANCE, one.len())):
                telling.append(name)
                yield (
                    f"{name} is released as it is, and each of its values has one value of {other} alone, which is "
                    f"quasi: name {name} in quasi or in identifiers."
                )
            elif share := _told(original, [name], other):
                telling.append(name)
                yield _nearly(name, "is", other, share)
        rest = [name for name in names if name not in telling and original.encoded(name).values.size >= FEWEST]
        for pair in itertools.combinations(rest, 2):
            if share := _told(original, pair, other):
                yield _nearly(" and ".join(pair), "are", other, share)


def _nearly(names: str, are: str, quasi: str, share: float) -> str:
    released = f"{names} {are} released as {'it is' if are == 'is' else 'they are'}"
    tells = "tells" if are == "is" else "together tell"
    return (
        f"{released}, and {tells} {quasi}, which is quasi, of {math.floor(100 * share)}% of the records: name "
        f"{names if are == 'is' else 'one of them'} in quasi or in identifiers."
    )


def _told(original: Microfile, names: Sequence[str], quasi: str) -> float | None:
    """Return the share of records of which other records with the same values tell a quasi attribute, if it is large.

    A quasi attribute that most records have in common is told without them: what counts is how much they add.
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
            own = Encoded(encoded.codes[:size], encoded.values).with_missing()
            codes = np.unique(codes * (encoded.values.size + 1) + own, return_inverse=True)[1]
        usual = float(np.bincount(values).max()) / values.size
        share = _foretold(codes, values)
        if usual == 1 or share - usual < NEARLY * (1 - usual):
            return None
    return share


def _foretold(codes: Counts, values: Codes) -> float:
    """Return the share of records whose value is the most frequent one of the others with their code."""
    pairs, counts = np.unique(codes * (int(values.max(initial=0)) + 1) + values, return_counts=True)
    its = pairs // (int(values.max(initial=0)) + 1)
    order = np.lexsort((-counts, its))
    its, counts = its[order], counts[order]
    first = np.append(True, its[1:] != its[:-1])
    places = np.flatnonzero(first)
    following = np.append(counts[1:], 0)[places]
    second = np.where(np.append(first[1:], True)[places], 0, following)
    most = counts[places]
    # without the record itself, its value must still be ahead
    return float(most[most - 1 > second].sum()) / codes.size


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
