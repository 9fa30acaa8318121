"""What labels that name several categories show: categories that a single record of a block has, or few of the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.measures.blocks import blocks_of
from sfumato.microfile.forms import Sets
from sfumato.microfile.microfile import Microfile


@dataclass(frozen=True)
class NamedCategories:
    """Counts over the blocks and attributes of a released table, from the table and its codebook alone."""

    several: int
    """Labels of blocks, attribute by attribute, that name several categories."""
    single: int
    """Those of sets that surely show a category of a single record: so many categories are named that not each of them
    can be that of two. Labels that are closed may name categories that do not occur, and surely show none."""
    rare: int
    """Categories, of all attributes, that fewer than k released records can have."""


def named_categories(table: Microfile, keys: Sequence[str], forms: Mapping[str, Sets], *, k: int) -> NamedCategories:
    """Count what the labels of a released table show.

    Parameters
    ----------
    table, keys
        The released table, and its columns of all quasi attributes.
    forms
        The attributes that are released as sets of categories. Nodes of hierarchies that list no values, and labels
        that stand for any value, are not looked at; leave out what members of households share, whose labels speak of
        more records than a block has.
    k
        How many records should be possible for each category.

    Examples
    --------
    >>> import polars as pl
    >>> table = Microfile(pl.DataFrame({"way": ["{bus, car, walk}"] * 3 + ["car"] * 3}))
    >>> form = Sets(members={"{bus, car, walk}": ("bus", "car", "walk"), "car": ("car",)})
    >>> named_categories(table, ["way"], {"way": form}, k=4)
    NamedCategories(several=1, single=1, rare=2)
    """
    blocks = blocks_of(table, keys)
    several, single, rare = 0, 0, 0
    for name, form in forms.items():
        if form.nodes is not None:
            continue
        encoded = table.encoded(name)
        labels = [str(value) for value in encoded.values.tolist()]
        members = [frozenset(form.members[label]) if label not in form.open else frozenset() for label in labels]
        # the last entry stands for a missing value, whose code is -1
        surely = np.array([*(_surely_named(its, form) for its in members), 0])
        wide = np.array([*(len(its) > 1 for its in members), False])
        first = np.full(len(blocks), -1)
        first[blocks.numbers[::-1]] = encoded.codes[::-1]
        several += int(wide[first].sum())
        single += int((blocks.sizes < 2 * surely[first]).sum())
        records = np.bincount(encoded.with_missing(), minlength=len(labels) + 1)
        anything = sum(int(records[code]) for code, label in enumerate(labels) if label in form.open)
        possible: dict[str, int] = {}
        for code, its in enumerate(members):
            for category in its:
                possible[category] = possible.get(category, anything) + int(records[code])
        rare += sum(count < k for count in possible.values())
    return NamedCategories(several, single, rare)


def _surely_named(categories: frozenset[str], form: Sets) -> int:
    """Return how many categories a label of several names that surely occur."""
    return 0 if form.closed or form.chosen != "sets" or len(categories) < 2 else len(categories)
