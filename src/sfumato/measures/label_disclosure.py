"""What labels with several categories reveal: categories of a single record in a block, or of few in the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.measures.blocks import blocks_of
from sfumato.microfile import Microfile
from sfumato.representations import Form


@dataclass(frozen=True)
class NamedCategories:
    """Counts over the blocks and attributes of a released table, from the table and its codebook alone."""

    several: int
    """Labels of blocks, attribute by attribute, that name several categories."""
    single: int
    """Labels of sets that certainly reveal a category of a single record: they name too many categories for each of
    them to belong to two records. Closed labels may name categories that do not occur, and reveal none for certain."""
    rare: int
    """Categories, of all attributes, that fewer than k released records can have."""


def named_categories(table: Microfile, keys: Sequence[str], forms: Mapping[str, Form], *, k: int) -> NamedCategories:
    """Count what the labels of a released table reveal.

    Parameters
    ----------
    table, keys
        The released table, and its columns of all quasi attributes.
    forms
        The attributes that are released as sets of categories. Nodes of hierarchies that list no values, and labels
        that stand for any value, are ignored; leave out what members of households share, whose labels describe more
        records than a block has.
    k
        The number of records that should be possible for each category.

    Examples
    --------
    >>> import polars as pl
    >>> from sfumato.representations import Sets
    >>> table = Microfile(pl.DataFrame({"way": ["{bus, car, walk}"] * 3 + ["car"] * 3}))
    >>> form = Sets(members={"{bus, car, walk}": ("bus", "car", "walk"), "car": ("car",)})
    >>> named_categories(table, ["way"], {"way": form}, k=4)
    NamedCategories(several=1, single=1, rare=2)
    """
    blocks = blocks_of(table, keys)
    several, single, rare = 0, 0, 0
    for name, form in forms.items():
        encoded = table.encoded(name)
        labels = [str(value) for value in encoded.values.tolist()]
        members = [form.named_categories(label) for label in labels]
        # the last entry stands for a missing value, whose code is -1
        n_certain = np.array([*map(form.certain_categories, labels), 0])
        wide = np.array([*(len(categories) > 1 for categories in members), False])
        first = np.full(len(blocks), -1)
        first[blocks.numbers[::-1]] = encoded.codes[::-1]
        several += int(wide[first].sum())
        single += int((blocks.sizes < 2 * n_certain[first]).sum())
        records = np.bincount(encoded.with_missing(), minlength=len(labels) + 1)
        anything = sum(int(records[code]) for code, label in enumerate(labels) if form.stands_for_any(label))
        possible: dict[str, int] = {}
        for code, categories in enumerate(members):
            for category in categories:
                possible[category] = possible.get(category, anything) + int(records[code])
        rare += sum(count < k for count in possible.values())
    return NamedCategories(several, single, rare)
