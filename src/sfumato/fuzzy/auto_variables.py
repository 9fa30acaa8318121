"""Variables derived from a file, for users who have not defined any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.array_types import Reals
from sfumato.errors import SettingError
from sfumato.fuzzy.category_variables import AnyVariable, CategoricalVariable
from sfumato.fuzzy.ruspini_partitions import ruspini_from
from sfumato.fuzzy.shapes import AnyShape, Trapezoidal
from sfumato.fuzzy.variable_coverage import other_word
from sfumato.fuzzy.variables import LinguisticVariable
from sfumato.kernels.elementary_functions import decimal_exponent
from sfumato.microfile import Kind, Microfile, as_microfile, label_of
from sfumato.record_filter import check_known

WORDS = {
    2: ("low", "high"),
    3: ("low", "middle", "high"),
    4: ("low", "lower middle", "upper middle", "high"),
    5: ("very low", "low", "middle", "high", "very high"),
}
"""The names of sets of numbers, by how many there are; more sets are numbered."""
NONE = "none"
"""The name of the set of zeros."""
MANY_ZEROS = 0.2
"""If at least this share of records is zero, zero is a separate set."""


def automatic_variables(
    microfile: Any,
    attributes: Sequence[str],
    *,
    sets: int = 3,
    rare: float = 0.02,
    most: int = 12,
    missing: str | None = None,
) -> tuple[AnyVariable, ...]:
    """Derive a variable for each attribute: fuzzy sets for numbers, crisp sets for categories.

    Sets of numbers have grade 1 at quantiles, which are rounded to a readable grid: a quantile is a record's own value.
    Between two of them one set falls as the other rises, so every number has a grade of at least 0.5 in some set.
    If many records are zero, zero is a separate set, "none", and the other sets are derived from the rest. Numbers with
    few different values, such as codes, and categories have one crisp set each; rare ones share the set "other".

    Parameters
    ----------
    microfile
        A microfile, or a frame that becomes one.
    attributes
        The attributes.
    sets
        Number of sets for numbers; fewer if too many records have the same number.
    rare
        Categories with a smaller share of records are joined.
    most
        Largest number of categories with their own word; the most frequent ones have one.
    missing
        The word for missing values; default: none.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": range(100), "sex": ["f", "m"] * 50})
    >>> age, sex = automatic_variables(people, ["age", "sex"])
    >>> age.words()["middle"], sex.names
    ('rising from 20 to 50, fully at 50, falling from 50 to 80', ('f', 'm'))
    """
    if sets < 2 or most < 1:
        raise SettingError(
            f"sets = {sets}, most = {most}",
            hint="sets is at least 2, most at least 1",
            setting="sets" if sets < 2 else "most",
        )
    if not 0 <= rare < 1:
        raise SettingError(f"rare = {rare:g}", hint="rare is at least 0 and below 1", setting="rare")
    people = as_microfile(microfile)
    for name in attributes:
        check_known(people, name, "attributes")
    people.encode_together(attributes)
    variables: list[AnyVariable] = []
    for name in attributes:
        values = people.encoded(name).values
        if values.size < 2:
            raise SettingError(
                f"attributes: {name!r} has fewer than two different values",
                hint="leave it out",
                setting="attributes",
                column=name,
            )
        # with few different numbers, sets would be no coarser than the numbers themselves
        if people.attribute(name).kind is Kind.NUMERIC and values.size > 2 * sets:
            variables.append(_of_numbers(name, people.numbers(name), sets, missing))
        else:
            variables.append(_of_categories(people, name, rare, most, missing))
    return tuple(variables)


def _of_numbers(name: str, numbers: Reals, sets: int, missing: str | None) -> LinguisticVariable:
    present = numbers[~np.isnan(numbers)]
    zeros = present == 0
    if zeros.mean() < MANY_ZEROS:
        return LinguisticVariable(attribute=name, values=_drawn(name, present, sets), missing=missing)
    values = _drawn(name, present[~zeros], sets)
    if float(present.min()) >= 0:
        # "low" begins above zero
        least, (lowest, shape) = _smallest(present), next(iter(values.items()))
        first, last = (max(least, bend) for bend in shape.bends)
        values[lowest] = Trapezoidal(corners=(least, least, first, last))
    return LinguisticVariable(
        attribute=name, values={NONE: Trapezoidal(corners=(0, 0, 0, 0)), **values}, missing=missing
    )


def _drawn(name: str, numbers: Reals, sets: int) -> dict[str, AnyShape]:
    """Return as many sets as there are different quantiles."""
    for count in range(sets, 1, -1):
        quantiles = np.quantile(numbers, (2 * np.arange(count) + 1) / (2 * count))
        if np.diff(quantiles).min() > 0:
            return ruspini_from(name, numbers, sets=count, names=_words(count)).values
    # nearly all records have the same number; two sets still separate the others into low and high
    return ruspini_from(name, np.unique(numbers), sets=2, names=_words(2)).values


def _words(count: int) -> Sequence[str]:
    return WORDS.get(count) or [f"{number} of {count}" for number in range(1, count + 1)]


def _smallest(numbers: Reals) -> float:
    """Return a round number that is not above the smallest positive one."""
    positive = numbers[numbers > 0]
    if not (positive % 1).any():
        return 1.0
    return float(f"1e{decimal_exponent(float(positive.min()))}")


def _of_categories(people: Microfile, name: str, rare: float, most: int, missing: str | None) -> CategoricalVariable:
    encoded = people.encoded(name)
    counts = np.bincount(encoded.codes[~encoded.missing], minlength=encoded.values.size)
    common = np.flatnonzero(counts >= max(1.0, rare * counts.sum()))
    # the most frequent ones, in their own order
    chosen = np.sort(common[np.argsort(-counts[common], kind="stable")[:most]])
    if not chosen.size:
        raise SettingError(
            f"attributes: no category of {name!r} has {rare:.0%} of the records",
            hint="leave it out, map its categories to fewer ones, or lower rare",
            setting="attributes",
            column=name,
        )
    words = [label_of(value) for value in encoded.values[chosen].tolist()]
    rest = other_word([*words, *([] if missing is None else [missing])]) if chosen.size < encoded.values.size else None
    return CategoricalVariable(attribute=name, values={word: (word,) for word in words}, rest=rest, missing=missing)
