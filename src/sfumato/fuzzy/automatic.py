"""Variables drawn from a file, for users who have none of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.arrays import Reals
from sfumato.errors import SettingError
from sfumato.fuzzy.categories import AnyVariable, CategoricalVariable
from sfumato.fuzzy.coverage import other_word
from sfumato.fuzzy.partitions import ruspini_from
from sfumato.fuzzy.shapes import AnyShape, Trapezoidal
from sfumato.fuzzy.variables import LinguisticVariable
from sfumato.kernels.elementary import decimal_exponent
from sfumato.microfile.attribute import Kind
from sfumato.microfile.joining import label_of
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.microfile.selection import check_known

WORDS = {
    2: ("low", "high"),
    3: ("low", "middle", "high"),
    4: ("low", "lower middle", "upper middle", "high"),
    5: ("very low", "low", "middle", "high", "very high"),
}
"""What the sets of numbers are called; more of them are numbered."""
NONE = "none"
"""What nought is called where many have it."""
MANY_NOUGHTS = 0.2
"""From this share of records on, nought is a set of its own."""


def automatic_variables(
    microfile: Any,
    attributes: Sequence[str],
    *,
    sets: int = 3,
    rare: float = 0.02,
    most: int = 12,
    missing: str | None = None,
) -> tuple[AnyVariable, ...]:
    """Draw a variable for each attribute: fuzzy sets of numbers, crisp ones of categories.

    Numbers get sets that are full at quantiles, which are rounded to a readable grid, for a quantile is a record's own
    value; between two of them one falls as the other rises, so that nothing is unseen at 0.5. Where many have
    nought, it is a set of its own, "none", and the others are drawn from the rest. Numbers of which there are few,
    as codes, and categories get one crisp set each; rare ones share one, "other".

    Parameters
    ----------
    microfile
        A microfile, or a frame that becomes one.
    attributes
        Which attributes.
    sets
        How many sets numbers get; fewer where too many records have the same number.
    rare
        Categories that a smaller share of records has are joined.
    most
        At most so many categories have a word of their own, those that most have.
    missing
        The word for missing values; default: they have none.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": range(100), "sex": ["f", "m"] * 50})
    >>> age, sex = automatic_variables(people, ["age", "sex"])
    >>> age.words()["middle"], sex.names
    ('rising from 20 to 50, fully at 50, falling from 50 to 80', ('f', 'm'))
    """
    if sets < 2 or most < 1:
        raise SettingError(f"sets must be 2 or more, and most 1 or more (given: {sets} and {most})")
    if not 0 <= rare < 1:
        raise SettingError(f"rare must lie from 0 to below 1 (given: {rare:g})")
    people = as_microfile(microfile)
    for name in attributes:
        check_known(people, name, "attributes")
    people.encode_together(attributes)
    found: list[AnyVariable] = []
    for name in attributes:
        values = people.encoded(name).values
        if values.size < 2:
            raise SettingError(
                f"attributes: {name!r} has the same value everywhere, or none, so that it tells nothing",
                hint="leave it out",
            )
        # more sets than numbers would say no more than the numbers themselves
        if people.attribute(name).kind is Kind.NUMERIC and values.size > 2 * sets:
            found.append(_of_numbers(name, people.numbers(name), sets, missing))
        else:
            found.append(_of_categories(people, name, rare, most, missing))
    return tuple(found)


def _of_numbers(name: str, numbers: Reals, sets: int, missing: str | None) -> LinguisticVariable:
    known = numbers[~np.isnan(numbers)]
    noughts = known == 0
    if noughts.mean() < MANY_NOUGHTS:
        return LinguisticVariable(attribute=name, values=_drawn(name, known, sets), missing=missing)
    values = _drawn(name, known[~noughts], sets)
    if float(known.min()) >= 0:
        # what is low is more than nothing
        least, (lowest, shape) = _smallest(known), next(iter(values.items()))
        first, last = (max(least, bend) for bend in shape.bends)
        values[lowest] = Trapezoidal(corners=(least, least, first, last))
    return LinguisticVariable(
        attribute=name, values={NONE: Trapezoidal(corners=(0, 0, 0, 0)), **values}, missing=missing
    )


def _drawn(name: str, numbers: Reals, sets: int) -> dict[str, AnyShape]:
    """Draw as many sets as there are different quantiles."""
    for count in range(sets, 1, -1):
        quantiles = np.quantile(numbers, (2 * np.arange(count) + 1) / (2 * count))
        if np.diff(quantiles).min() > 0:
            return ruspini_from(name, numbers, sets=count, names=_words(count)).values
    # nearly all have one number; what is left to tell is on which side of the middle of all numbers one lies
    return ruspini_from(name, np.unique(numbers), sets=2, names=_words(2)).values


def _words(count: int) -> Sequence[str]:
    return WORDS.get(count) or [f"{number} of {count}" for number in range(1, count + 1)]


def _smallest(numbers: Reals) -> float:
    """Return a round number that no positive one is below."""
    positive = numbers[numbers > 0]
    if not (positive % 1).any():
        return 1.0
    return float(f"1e{decimal_exponent(float(positive.min()))}")


def _of_categories(people: Microfile, name: str, rare: float, most: int, missing: str | None) -> CategoricalVariable:
    encoded = people.encoded(name)
    counts = np.bincount(encoded.codes[~encoded.missing], minlength=encoded.values.size)
    common = np.flatnonzero(counts >= max(1.0, rare * counts.sum()))
    # those that most have, in their own order
    chosen = np.sort(common[np.argsort(-counts[common], kind="stable")[:most]])
    if not chosen.size:
        raise SettingError(
            f"attributes: no category of {name!r} is had by {rare:.0%} of the records",
            hint="leave it out, map its categories to fewer ones, or lower rare",
        )
    words = [label_of(value) for value in encoded.values[chosen].tolist()]
    rest = other_word([*words, *([] if missing is None else [missing])]) if chosen.size < encoded.values.size else None
    return CategoricalVariable(attribute=name, values={word: (word,) for word in words}, rest=rest, missing=missing)
