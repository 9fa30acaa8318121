"""Suggestions for a recipe: roles, k, statistics and hierarchies, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from sfumato.boxes import Boxes
from sfumato.boxes.protection import check
from sfumato.errors import MicrofileError, UnattainableError
from sfumato.measures.blocks import group
from sfumato.measures.profile import CANDIDATES, AttributeProfile, Profile, profile
from sfumato.measures.uniques import minimal_uniques
from sfumato.microfile.attribute import Kind
from sfumato.microfile.hierarchy import Hierarchy
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.printing import quiet
from sfumato.progress import Progress, silent
from sfumato.statistics.language import parse
from sfumato.suggesting.codes import missing_codes, nested
from sfumato.suggesting.roles import MOST_TEXTS, Suggested, first_look

MOST_QUASI = 8
"""With more attributes, boxes become so wide that they say little."""
LEAST_QUASI = 2
FILLED_UP = 4
"""Where names tell of fewer than LEAST_QUASI, attributes are added up to so many."""
FEW = 100
"""An attribute of at most so many values may be known to others, whatever it is called."""
MOST_SENSITIVE = 20
MANY_CATEGORIES = 20
"""A categorical quasi attribute of more values wants a hierarchy."""
CODED = 10
"""Whole numbers of at most so many values may be codes of categories."""
SAMPLE = 10_000
LARGEST_SET = 3
"""What singles people out is looked for in about SAMPLE records and in sets of up to so many attributes."""
LEAST_FOLLOWING = 3
DIFFERENT = 0.1
"""An attribute of at least LEAST_FOLLOWING values may follow from another, unless that differs in most records."""
PRESERVED = 3
"""Correlations are preserved between so many attributes."""


@quiet
@dataclass(frozen=True)
class Suggestion:
    """What a recipe for a file could say."""

    records: int
    """How many records the file has."""
    attributes: tuple[Suggested, ...]
    """Every attribute, in the file's order."""
    k: int
    """How many records should be alike at least."""
    why_k: str
    """Why so many, in words."""
    preserve: tuple[str, ...]
    """Statistics that shall stay exact."""
    hierarchies: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    """The levels of codes, attribute by attribute."""
    missing: dict[str, list[str | int]] = field(default_factory=dict)
    """Codes that look like missing values."""
    coded: tuple[str, ...] = ()
    """Quasi attributes of few whole numbers, which may be codes of categories."""
    kinds: dict[str, str] = field(default_factory=dict)
    """Kinds that are not as guessed."""
    singled_out: float = 0.0
    """The share of the records that the quasi attributes single out."""

    def of_role(self, role: str) -> list[Suggested]:
        """Return the attributes of a role."""
        return [one for one in self.attributes if one.role == role]

    def names(self, role: str) -> list[str]:
        """Return the names of the attributes of a role."""
        return [one.name for one in self.of_role(role)]


def suggest(microfile: Microfile | Any, *, progress: Progress = silent) -> Suggestion:
    """Suggest a recipe.

    Roles are found from names, kinds and counts, as :func:`~sfumato.profile` does. Up to MOST_QUASI attributes become
    quasi attributes, those first that have most part in the minimal sample uniques; what is left over of them is
    withheld, because its exact values would undo the boxes. What was suggested is checked: boxes can keep it.

    Parameters
    ----------
    microfile
        A microfile or a frame.
    progress
        Called while counting.

    Raises
    ------
    MicrofileError
        If there is nothing that could be protected.
    """
    microfile = as_microfile(microfile)
    found = profile(microfile, progress=progress)
    looked = {one.name: one for one in first_look(microfile, found)}
    sizes = {one.name: one for one in found.attributes}
    sample = microfile.take(np.arange(0, microfile.records, -(-microfile.records // SAMPLE)))
    chosen = _quasi(sample, looked, sizes, progress)
    if microfile.records < 2 or not chosen:
        why = "it has one record" if microfile.records < 2 else "every attribute names people or is always the same"
        raise MicrofileError(f"there is nothing to protect: {why}", hint="sfumato profile shows what is in it")
    looked = _others(sample, looked | chosen, sizes, progress)
    people = _people(looked, sizes, found)
    k, why_k = _k(people, "households" if people != found.records else "records")
    made = Suggestion(found.records, tuple(looked.values()), k, why_k, ())
    made = _settled(microfile, _with_hierarchies(microfile, made, sizes, progress), sizes, progress)
    return _described(microfile, made, sizes)


def _others(
    sample: Microfile, looked: dict[str, Suggested], sizes: dict[str, AttributeProfile], progress: Progress
) -> dict[str, Suggested]:
    """Let attributes of which nothing tells be sensitive, unless there are very many or they undo the boxes."""
    others = [one.name for one in looked.values() if one.role == "other"]
    quasi = [one.name for one in looked.values() if one.role == "quasi"]
    role = "sensitive" if len(others) <= MOST_SENSITIVE else "none"
    result = dict(looked)
    for place, name in enumerate(others):
        progress("looking what follows", place / len(others))
        if told_by := next((one for one in quasi if _follows(sample, one, name, sizes)), None):
            told = f"it tells {told_by!r} exactly, which is released as boxes"
            result[name] = replace(looked[name], role="identifier", reason=told)
            continue
        told = "nothing tells that others know it"
        if sizes[name].unique:
            told += f"; if they do, make it quasi: it singles out {sizes[name].unique:,} of the records"
        result[name] = replace(looked[name], role=role, reason=told)
    return result


def _people(looked: dict[str, Suggested], sizes: dict[str, AttributeProfile], found: Profile) -> int:
    """Return how many records or, if there are any, households are counted for k."""
    homes = [sizes[one.name].distinct for one in looked.values() if one.role == "household"]
    return homes[0] if homes else found.records


def _k(people: int, of: str) -> tuple[int, str]:
    """Choose k: 5 is customary, 10 costs little in a large file, and a tiny one cannot have it."""
    if people >= 10_000:
        return 10, f"among {people:,} {of}, 10 costs little; 5 is customary"
    if people >= 200:
        return 5, "customary; a higher k is safer, and blurs more"
    k = 3 if people >= 50 else 2
    return k, f"only {people:,} {of}: 5, which is customary, would leave little"


def _quasi(
    sample: Microfile,
    looked: dict[str, Suggested],
    sizes: dict[str, AttributeProfile],
    progress: Progress,
) -> dict[str, Suggested]:
    """Choose the quasi attributes; return them, and what is withheld in their place."""
    named = [one.name for one in looked.values() if one.role == "quasi"]
    if len(named) < LEAST_QUASI:
        others = [one.name for one in looked.values() if one.role == "other" and _can_be_boxed(sample, one.name)]
        named += sorted(
            [name for name in others if sizes[name].distinct <= FEW] or others, key=lambda name: -sizes[name].distinct
        )[: FILLED_UP - len(named)]
    if not named:
        return {}
    follows = _following(sample, named, sizes)
    free = [name for name in named if name not in follows]
    tried = sorted(free, key=lambda name: (not looked[name].core, -sizes[name].distinct))[:CANDIDATES]
    part = minimal_uniques(sample, tried, max_size=min(LARGEST_SET, len(tried)), progress=progress).contributions
    best = sorted(tried, key=lambda name: (not looked[name].core, -part[name]))[:MOST_QUASI]
    result = {}
    for name in named:
        values = f"{sizes[name].distinct:,} values"
        if name in best:
            told = f"{values}, {sizes[name].unique:,} of one record only" if sizes[name].unique else values
            if part[name]:
                told += f"; in {part[name]:.0%} of the small sets that single people out"
            result[name] = replace(looked[name], role="quasi", reason=told)
        elif follows.get(name) in best:
            told = f"follows from {follows[name]!r}, which is released as boxes: one of them is enough"
            result[name] = replace(looked[name], role="identifier", reason=told)
        else:
            told = f"{values}: others may know it too, but boxes of more than {MOST_QUASI} attributes say little"
            result[name] = replace(looked[name], role="identifier", reason=told)
    return result


def _following(sample: Microfile, names: Sequence[str], sizes: dict[str, AttributeProfile]) -> dict[str, str]:
    """Return the attributes that follow from another one, whose boxes their exact values would undo."""
    follows: dict[str, str] = {}
    # numbers before texts of as many values, because they have an order
    ordered = sorted(names, key=lambda name: (-sizes[name].distinct, sizes[name].kind is not Kind.NUMERIC))
    for finer, coarser in combinations(ordered, 2):
        if finer not in follows and coarser not in follows and _follows(sample, coarser, finer, sizes):
            follows[coarser] = finer
    return follows


def _follows(sample: Microfile, coarser: str, finer: str, sizes: dict[str, AttributeProfile]) -> bool:
    """Whether who knows one attribute of a record knows another."""
    if not LEAST_FOLLOWING <= sizes[coarser].distinct <= sizes[finer].distinct:
        return False
    columns = [sample.encoded(finer), sample.encoded(coarser)]
    return group(columns).sizes.size == group(columns[:1]).sizes.size < DIFFERENT * sample.records


def _can_be_boxed(microfile: Microfile, name: str) -> bool:
    return not isinstance(microfile.series(name).dtype, pl.Time | pl.Duration)


def _with_hierarchies(
    microfile: Microfile, made: Suggestion, sizes: dict[str, AttributeProfile], progress: Progress
) -> Suggestion:
    """Give codes of many values a hierarchy; withhold texts of so many values that no box could name them."""
    attributes, hierarchies, kinds = [], {}, {}
    for place, one in enumerate(made.attributes):
        progress("looking at codes", place / len(made.attributes))
        suggested = one
        numeric = sizes[one.name].kind is Kind.NUMERIC
        if one.role == "quasi" and sizes[one.name].distinct > MANY_CATEGORIES and (not numeric or one.coded):
            levels = nested(microfile.encoded(one.name), made.k)
            if levels is not None:
                hierarchies[one.name] = levels
                suggested = replace(one, reason=f"{one.reason}; its codes nest by their first signs")
                if numeric:
                    kinds[one.name] = Kind.CATEGORICAL.value
            elif not numeric and sizes[one.name].distinct > MOST_TEXTS:
                told = (
                    f"{sizes[one.name].distinct:,} texts that do not nest by their first signs: no box could name them"
                )
                suggested = replace(one, role="identifier", reason=told)
            elif not numeric:
                suggested = replace(one, reason=f"{one.reason}; no hierarchy is sure: sets of categories")
        attributes.append(suggested)
    return replace(made, attributes=tuple(attributes), hierarchies=hierarchies, kinds=kinds)


def _settled(
    microfile: Microfile, made: Suggestion, sizes: dict[str, AttributeProfile], progress: Progress
) -> Suggestion:
    """Withhold quasi attributes that lack so many values that no box could keep the limits."""
    progress("checking", 0.0)
    if made.kinds:
        microfile = microfile.with_columns({}, kinds=made.kinds)
    while True:
        preserve = _statistics(microfile, made, sizes)
        try:
            check(_boxes(made, preserve), microfile)
        except UnattainableError:
            quasi = made.names("quasi")
            worst = max(quasi, key=lambda name: sizes[name].missing)
            if len(quasi) < 2 or not sizes[worst].missing:
                raise
            share = sizes[worst].missing / microfile.records
            told = f"{share:.1%} of the records lack it, and too many others would have to lose it with them"
            made = replace(
                made,
                attributes=tuple(
                    replace(one, role="identifier", reason=told) if one.name == worst else one
                    for one in made.attributes
                ),
                hierarchies={name: its for name, its in made.hierarchies.items() if name != worst},
            )
            continue
        return replace(made, preserve=preserve)


def _boxes(made: Suggestion, preserve: Sequence[str]) -> Boxes:
    weight, household = made.names("weight"), made.names("household")
    return Boxes(
        quasi=made.names("quasi"),
        sensitive=made.names("sensitive"),
        identifiers=made.names("identifier"),
        weight=weight[0] if weight else None,
        household=household[0] if household else None,
        k=made.k,
        preserve=tuple(preserve) or None,
        hierarchies={name: Hierarchy.from_mapping(levels) for name, levels in made.hierarchies.items()},
    )


def _statistics(microfile: Microfile, made: Suggestion, sizes: dict[str, AttributeProfile]) -> tuple[str, ...]:
    """Preserve the means of amounts among the quasi attributes, and a few correlations between them."""
    coded = [one.name for one in made.attributes if one.coded]
    amounts = [
        name
        for name in made.names("quasi")
        if sizes[name].kind is Kind.NUMERIC
        and sizes[name].distinct > CODED
        and name not in coded
        and not microfile.series(name).dtype.is_temporal()
        and "`" not in name
    ]
    means = [f"mean({_in_statistic(name)})" for name in amounts]
    pairs = combinations(amounts[:PRESERVED], 2)
    return (*means, *(f"corr({_in_statistic(x)}, {_in_statistic(y)})" for x, y in pairs))


def _in_statistic(name: str) -> str:
    """Write a name as statistics take it.

    >>> _in_statistic("age"), _in_statistic("pay (net)")
    ('age', '`pay (net)`')
    """
    plain = name.replace("-", "").replace("_", "").replace(".", "").isalnum()
    written = name if plain else f"`{name}`"
    assert parse(f"mean({written})").attributes == (name,)
    return written


def _described(microfile: Microfile, made: Suggestion, sizes: dict[str, AttributeProfile]) -> Suggestion:
    """Add what stands in comments: codes that may mean missing values or categories."""
    missing = {}
    for name in (*made.names("quasi"), *made.names("sensitive")):
        if codes := missing_codes(microfile, name, microfile.encoded(name), made.k):
            missing[name] = codes
    coded = tuple(
        name
        for name in made.names("quasi")
        if sizes[name].kind is Kind.NUMERIC
        and sizes[name].distinct <= CODED
        and microfile.series(name).dtype.is_integer()
    )
    alone = int((group([microfile.encoded(name) for name in made.names("quasi")]).sizes == 1).sum())
    return replace(made, missing=missing, coded=coded, singled_out=alone / made.records)
