"""Variables of categories: an attribute whose words are crisp sets of its categories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Discriminator, Field, Tag, model_validator

from sfumato.arrays import Codes, Reals
from sfumato.fuzzy.variables import LinguisticVariable
from sfumato.microfile.joining import label_of
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.microfile.selection import Values
from sfumato.settings import Settings


class CategoricalVariable(Settings):
    """An attribute with the words that its categories are told in; a category has one word, fully.

    >>> import polars as pl
    >>> way = CategoricalVariable(attribute="way", values={"car": "car", "on foot": ["walk", "bicycle"]}, rest="other")
    >>> way.memberships(pl.DataFrame({"way": ["walk", "car", "ferry", None]})).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """

    attribute: str
    """The attribute; it may be numeric, if its numbers are codes."""
    values: dict[str, Values] = Field(min_length=1)
    """Each word with its category, or with several."""
    rest: str | None = None
    """The word for all other categories; default: they have none, and no rule can see them."""
    missing: str | None = None
    """The word for missing values; default: they have none."""

    @model_validator(mode="after")
    def _check(self) -> CategoricalVariable:
        words = list(self.names)
        if len(set(words)) < len(words):
            raise ValueError("the words for the rest and for missing values must be others than those of the values")
        seen: set[str] = set()
        for word, categories in self.values.items():
            own = {label_of(category) for category in categories}
            if own & seen:
                raise ValueError(f"a category of {word!r} has another word already")
            seen |= own
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The words, in the order of the columns of :meth:`memberships`; those for the rest and missing ones last."""
        return (*self.values, *(word for word in (self.rest, self.missing) if word is not None))

    def coded(self, microfile: Microfile) -> tuple[Codes, Reals]:
        """Return a code a record, and codes by words: which word holds. Missing values have the last code."""
        encoded = microfile.encoded(self.attribute)
        columns = {
            label_of(category): column
            for column, categories in enumerate(self.values.values())
            for category in categories
        }
        # a category without a word falls into a column that is cut off
        unlisted = len(self.values) if self.rest is not None else len(self.names)
        table = np.zeros((encoded.values.size + 1, len(self.names) + 1))
        for code, value in enumerate(encoded.values.tolist()):
            table[code, columns.get(label_of(value), unlisted)] = 1.0
        table[-1, len(self.names) - 1 if self.missing is not None else -1] = 1.0
        return encoded.with_missing(), table[:, :-1]

    def memberships(self, microfile: Any) -> Reals:
        """Return which word holds of each record of a microfile, or of a frame that becomes one: records by words."""
        codes, table = self.coded(as_microfile(microfile))
        found: Reals = table[codes]
        return found

    def words(self) -> dict[str, str]:
        """Say what each word means, for a codebook."""
        told = {word: " or ".join(map(label_of, categories)) for word, categories in self.values.items()}
        told |= {} if self.rest is None else {self.rest: "any other category"}
        return told if self.missing is None else {**told, self.missing: "no category is known"}


def _kind(given: Any) -> str:
    values = given.get("values") if isinstance(given, Mapping) else getattr(given, "values", None)
    lists = isinstance(values, Mapping) and all(
        isinstance(one, str | int | float | list | tuple) for one in values.values()
    )
    return "CategoricalVariable" if lists else "LinguisticVariable"


# told apart before they are checked, so that an error speaks of what was meant
AnyVariable = Annotated[
    Annotated[LinguisticVariable, Tag("LinguisticVariable")]
    | Annotated[CategoricalVariable, Tag("CategoricalVariable")],
    Discriminator(_kind),
]
"""A variable as a recipe writes it: words with shapes are of numbers, words with lists are of categories."""
