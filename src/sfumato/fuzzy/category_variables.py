"""Variables of categories: an attribute whose words are crisp sets of its categories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Discriminator, Field, Tag, model_validator

from sfumato.array_types import Codes, Reals
from sfumato.fuzzy.variables import LinguisticVariable
from sfumato.microfile import Microfile, as_microfile, label_of
from sfumato.record_filter import Values
from sfumato.settings import Settings


class CategoricalVariable(Settings):
    """An attribute with words for its categories; a category has one word, with grade 1.

    >>> import polars as pl
    >>> way = CategoricalVariable(attribute="way", values={"car": "car", "on foot": ["walk", "bicycle"]}, rest="other")
    >>> way.memberships(pl.DataFrame({"way": ["walk", "car", "ferry", None]})).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """

    attribute: str
    """The attribute; it may be numeric if its numbers are codes."""
    values: dict[str, Values] = Field(min_length=1)
    """Each word with its category or categories."""
    rest: str | None = None
    """The word for all other categories; default: none, and no rule matches them."""
    missing: str | None = None
    """The word for missing values; default: none."""

    @model_validator(mode="after")
    def _check(self) -> CategoricalVariable:
        words = list(self.names)
        if len(set(words)) < len(words):
            raise ValueError("the words for the rest and for missing values must differ from those of the values")
        listed: set[str] = set()
        for word, categories in self.values.items():
            labels = {label_of(category) for category in categories}
            if labels & listed:
                raise ValueError(f"a category of {word!r} already has another word")
            listed |= labels
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The words, in the order of the columns of :meth:`memberships`; those for the rest and missing ones last."""
        return (*self.values, *(word for word in (self.rest, self.missing) if word is not None))

    def coded(self, microfile: Microfile) -> tuple[Codes, Reals]:
        """Return one code per record, and a table of codes by words. Missing values have the last code."""
        encoded = microfile.encoded(self.attribute)
        columns = {
            label_of(category): column
            for column, categories in enumerate(self.values.values())
            for category in categories
        }
        # a category without a word goes into a column that is cut off
        unlisted = len(self.values) if self.rest is not None else len(self.names)
        table = np.zeros((encoded.values.size + 1, len(self.names) + 1))
        for code, value in enumerate(encoded.values.tolist()):
            table[code, columns.get(label_of(value), unlisted)] = 1.0
        table[-1, len(self.names) - 1 if self.missing is not None else -1] = 1.0
        return encoded.with_missing(), table[:, :-1]

    def memberships(self, microfile: Any) -> Reals:
        """Return the word of each record of a microfile or frame, as a table of records by words."""
        codes, table = self.coded(as_microfile(microfile))
        memberships: Reals = table[codes]
        return memberships

    def words(self) -> dict[str, str]:
        """Return what each word means, for a codebook."""
        meanings = {word: " or ".join(map(label_of, categories)) for word, categories in self.values.items()}
        meanings |= {} if self.rest is None else {self.rest: "any other category"}
        return meanings if self.missing is None else {**meanings, self.missing: "no category is known"}


def _kind(variable: Any) -> str:
    values = variable.get("values") if isinstance(variable, Mapping) else getattr(variable, "values", None)
    lists = isinstance(values, Mapping) and all(
        isinstance(content, str | int | float | list | tuple) for content in values.values()
    )
    return "CategoricalVariable" if lists else "LinguisticVariable"


# distinguished before they are checked, so that errors refer to the intended kind
AnyVariable = Annotated[
    Annotated[LinguisticVariable, Tag("LinguisticVariable")]
    | Annotated[CategoricalVariable, Tag("CategoricalVariable")],
    Discriminator(_kind),
]
"""A variable as a recipe writes it: words with shapes are of numbers, words with lists are of categories."""
