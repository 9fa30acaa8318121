"""Suggestions for a recipe: roles, k, statistics and hierarchies, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from sfumato.boxes import Boxes, check
from sfumato.errors import MicrofileError, UnattainableError
from sfumato.measures import CANDIDATES, AttributeProfile, Profile, group, minimal_uniques, profile
from sfumato.microfile import Hierarchy, Kind, Microfile, as_microfile
from sfumato.progress import Progress, silent
from sfumato.quiet_repr import quiet
from sfumato.statistics import parse
from sfumato.suggesting.code_hierarchies import missing_codes, nested
from sfumato.suggesting.role_guesses import MOST_TEXTS, Suggested, first_look

MOST_QUASI = 8
"""With more attributes, boxes become too wide to be useful."""
LEAST_QUASI = 2
FILLED_UP = 4
"""Where names suggest fewer than LEAST_QUASI quasi attributes, others are added up to this number."""
FEW = 100
"""An attribute with at most this number of values may be known to others, whatever it is called."""
MOST_SENSITIVE = 20
MANY_CATEGORIES = 20
"""A categorical quasi attribute with more values needs a hierarchy."""
CODED = 10
"""Whole numbers with at most this number of values may be codes of categories."""
SAMPLE = 10_000
LARGEST_SET = 3
"""Sample uniques are searched for in about SAMPLE records and in sets of up to this number of attributes."""
LEAST_FOLLOWING = 3
DIFFERENT = 0.1
"""An attribute of at least LEAST_FOLLOWING values may follow from another, unless that differs in most records."""
PRESERVED = 3
"""Correlations are preserved between this number of attributes."""


@quiet
@dataclass(frozen=True)
class Suggestion:
    """What a recipe for a file could say."""

    records: int
    """How many records the file has."""
    attributes: tuple[Suggested, ...]
    """Every attribute, in the file's order."""
    k: int
    """How many records a box should have at least."""
    why_k: str
    """The reason for this k, in words."""
    preserve: tuple[str, ...]
    """Statistics that should stay exact."""
    hierarchies: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    """The levels of each attribute's codes."""
    missing: dict[str, list[str | int]] = field(default_factory=dict)
    """Codes that look like missing values."""
    coded: tuple[str, ...] = ()
    """Quasi attributes of few whole numbers, which may be codes of categories."""
    kinds: dict[str, str] = field(default_factory=dict)
    """Kinds that differ from the first guess."""
    singled_out: float = 0.0
    """The share of the records that the quasi attributes single out."""

    def of_role(self, role: str) -> list[Suggested]:
        """Return the attributes of a role."""
        return [attribute for attribute in self.attributes if attribute.role == role]

    def names(self, role: str) -> list[str]:
        """Return the names of the attributes of a role."""
        return [attribute.name for attribute in self.of_role(role)]


def suggest(microfile: Microfile | Any, *, progress: Progress = silent) -> Suggestion:
    """Suggest a recipe.

    Roles are guessed from names, kinds and counts, as in :func:`~sfumato.profile`. Up to MOST_QUASI attributes become
    quasi attributes, first those that occur in most minimal sample uniques; the other candidates are withheld, because
    their exact values would undo the boxes. The suggestion is checked: boxes can satisfy it.

    Parameters
    ----------
    microfile
        A microfile or a frame.
    progress
        Called while counting.

    Raises
    ------
    MicrofileError
        If there is nothing to protect.
    """
    microfile = as_microfile(microfile)
    profiled = profile(microfile, progress=progress)
    guesses = {guess.name: guess for guess in first_look(microfile, profiled)}
    sizes = {attribute.name: attribute for attribute in profiled.attributes}
    sample = microfile.take(np.arange(0, microfile.records, -(-microfile.records // SAMPLE)))
    chosen = _quasi(sample, guesses, sizes, progress)
    if microfile.records < 2 or not chosen:
        why = "it has one record" if microfile.records < 2 else "every attribute identifies people or is constant"
        raise MicrofileError(
            f"the file has nothing to protect: {why}", hint="sfumato profile shows what is in the file"
        )
    guesses = _unclassified(sample, guesses | chosen, sizes, progress)
    people = _people(guesses, sizes, profiled)
    k, why_k = _k(people, "households" if people != profiled.records else "records")
    suggestion = Suggestion(profiled.records, tuple(guesses.values()), k, why_k, ())
    suggestion = _with_hierarchies(microfile, suggestion, sizes, progress)
    suggestion = _attainable(microfile, suggestion, sizes, progress)
    return _with_comments(microfile, suggestion, sizes)


def _unclassified(
    sample: Microfile, guesses: dict[str, Suggested], sizes: dict[str, AttributeProfile], progress: Progress
) -> dict[str, Suggested]:
    """Make attributes without a clue sensitive, unless they are very many or undo the boxes."""
    unclassified = [guess.name for guess in guesses.values() if guess.role == "other"]
    quasi = [guess.name for guess in guesses.values() if guess.role == "quasi"]
    role = "sensitive" if len(unclassified) <= MOST_SENSITIVE else "none"
    result = dict(guesses)
    for index, name in enumerate(unclassified):
        progress("looking for dependencies", index / len(unclassified))
        if determined := next((boxed for boxed in quasi if _follows(sample, boxed, name, sizes)), None):
            reason = f"it determines {determined!r}, which is released as boxes"
            result[name] = replace(guesses[name], role="identifier", reason=reason)
            continue
        reason = "no sign that others know it"
        if sizes[name].unique:
            reason += f"; if they do, make it quasi: it singles out {sizes[name].unique:,} of the records"
        result[name] = replace(guesses[name], role=role, reason=reason)
    return result


def _people(guesses: dict[str, Suggested], sizes: dict[str, AttributeProfile], profiled: Profile) -> int:
    """Return how many records or, if there are any, households are counted for k."""
    homes = [sizes[guess.name].distinct for guess in guesses.values() if guess.role == "household"]
    return homes[0] if homes else profiled.records


def _k(people: int, of: str) -> tuple[int, str]:
    """Choose k: 5 is customary, 10 costs little in a large file, and a tiny file cannot afford it."""
    if people >= 10_000:
        return 10, f"with {people:,} {of}, 10 costs little; 5 is customary"
    if people >= 200:
        return 5, "customary; a higher k is safer but loses more detail"
    k = 3 if people >= 50 else 2
    return k, f"only {people:,} {of}: the customary 5 would leave little detail"


def _quasi(
    sample: Microfile,
    guesses: dict[str, Suggested],
    sizes: dict[str, AttributeProfile],
    progress: Progress,
) -> dict[str, Suggested]:
    """Choose the quasi attributes; return them, and the candidates that are withheld."""
    named = [guess.name for guess in guesses.values() if guess.role == "quasi"]
    if len(named) < LEAST_QUASI:
        unclassified = [guess.name for guess in guesses.values() if guess.role == "other"]
        possible = [name for name in unclassified if _can_be_boxed(sample, name)]
        coarse = [name for name in possible if sizes[name].distinct <= FEW]
        named += sorted(coarse or possible, key=lambda name: -sizes[name].distinct)[: FILLED_UP - len(named)]
    if not named:
        return {}
    follows = _following(sample, named, sizes)
    free = [name for name in named if name not in follows]
    tried = sorted(free, key=lambda name: (not guesses[name].core, -sizes[name].distinct))[:CANDIDATES]
    shares = minimal_uniques(sample, tried, max_size=min(LARGEST_SET, len(tried)), progress=progress).contributions
    best = sorted(tried, key=lambda name: (not guesses[name].core, -shares[name]))[:MOST_QUASI]
    result = {}
    for name in named:
        values = f"{sizes[name].distinct:,} values"
        if name in best:
            reason = f"{values}, {sizes[name].unique:,} of them in one record only" if sizes[name].unique else values
            if shares[name]:
                reason += f"; in {shares[name]:.0%} of the small sets that single people out"
            result[name] = replace(guesses[name], role="quasi", reason=reason)
        elif follows.get(name) in best:
            reason = f"follows from {follows[name]!r}, which is released as boxes: one of them is enough"
            result[name] = replace(guesses[name], role="identifier", reason=reason)
        else:
            reason = f"{values}: others may know it too, but boxes of more than {MOST_QUASI} attributes are too wide"
            result[name] = replace(guesses[name], role="identifier", reason=reason)
    return result


def _following(sample: Microfile, names: Sequence[str], sizes: dict[str, AttributeProfile]) -> dict[str, str]:
    """Return attributes that follow from another one, each with that one: their exact values would undo its boxes."""
    follows: dict[str, str] = {}
    # numbers before texts with equally many values, because they have an order
    ordered = sorted(names, key=lambda name: (-sizes[name].distinct, sizes[name].kind is not Kind.NUMERIC))
    for finer, coarser in combinations(ordered, 2):
        if finer not in follows and coarser not in follows and _follows(sample, coarser, finer, sizes):
            follows[coarser] = finer
    return follows


def _follows(sample: Microfile, coarser: str, finer: str, sizes: dict[str, AttributeProfile]) -> bool:
    """Whether the finer attribute of a record determines the coarser one."""
    if not LEAST_FOLLOWING <= sizes[coarser].distinct <= sizes[finer].distinct:
        return False
    columns = [sample.encoded(finer), sample.encoded(coarser)]
    return group(columns).sizes.size == group(columns[:1]).sizes.size < DIFFERENT * sample.records


def _can_be_boxed(microfile: Microfile, name: str) -> bool:
    return not isinstance(microfile.series(name).dtype, pl.Time | pl.Duration)


def _with_hierarchies(
    microfile: Microfile, suggestion: Suggestion, sizes: dict[str, AttributeProfile], progress: Progress
) -> Suggestion:
    """Give codes with many values a hierarchy; withhold texts with too many values for the labels of boxes."""
    attributes, hierarchies, kinds = [], {}, {}
    for index, guess in enumerate(suggestion.attributes):
        progress("looking at codes", index / len(suggestion.attributes))
        attribute, size = guess, sizes[guess.name]
        is_numeric = size.kind is Kind.NUMERIC
        if guess.role == "quasi" and size.distinct > MANY_CATEGORIES and (not is_numeric or guess.coded):
            levels = nested(microfile.encoded(guess.name), suggestion.k)
            if levels is not None:
                hierarchies[guess.name] = levels
                attribute = replace(guess, reason=f"{guess.reason}; its codes form a prefix hierarchy")
                if is_numeric:
                    kinds[guess.name] = Kind.CATEGORICAL.value
            elif not is_numeric and size.distinct > MOST_TEXTS:
                reason = f"{size.distinct:,} texts without a prefix hierarchy: too many for the labels of boxes"
                attribute = replace(guess, role="identifier", reason=reason)
            elif not is_numeric:
                attribute = replace(guess, reason=f"{guess.reason}; no hierarchy found: sets of categories")
        attributes.append(attribute)
    return replace(suggestion, attributes=tuple(attributes), hierarchies=hierarchies, kinds=kinds)


def _attainable(
    microfile: Microfile, suggestion: Suggestion, sizes: dict[str, AttributeProfile], progress: Progress
) -> Suggestion:
    """Withhold quasi attributes whose missing values keep every box from satisfying the limits."""
    progress("checking", 0.0)
    if suggestion.kinds:
        microfile = microfile.with_columns({}, kinds=suggestion.kinds)
    while True:
        preserve = _statistics(microfile, suggestion, sizes)
        try:
            check(_boxes(suggestion, preserve), microfile)
        except UnattainableError:
            quasi = suggestion.names("quasi")
            worst = max(quasi, key=lambda name: sizes[name].missing)
            if len(quasi) < 2 or not sizes[worst].missing:
                raise
            share = sizes[worst].missing / microfile.records
            reason = f"{share:.1%} of the records lack it, so that too many others would have to lose it as well"
            suggestion = replace(
                suggestion,
                attributes=tuple(
                    replace(attribute, role="identifier", reason=reason) if attribute.name == worst else attribute
                    for attribute in suggestion.attributes
                ),
                hierarchies={name: levels for name, levels in suggestion.hierarchies.items() if name != worst},
            )
            continue
        return replace(suggestion, preserve=preserve)


def _boxes(suggestion: Suggestion, preserve: Sequence[str]) -> Boxes:
    weight, household = suggestion.names("weight"), suggestion.names("household")
    return Boxes(
        quasi=suggestion.names("quasi"),
        sensitive=suggestion.names("sensitive"),
        identifiers=suggestion.names("identifier"),
        weight=weight[0] if weight else None,
        household=household[0] if household else None,
        k=suggestion.k,
        preserve=tuple(preserve) or None,
        hierarchies={name: Hierarchy.from_mapping(levels) for name, levels in suggestion.hierarchies.items()},
    )


def _statistics(microfile: Microfile, suggestion: Suggestion, sizes: dict[str, AttributeProfile]) -> tuple[str, ...]:
    """Preserve the means of amounts among the quasi attributes, and a few correlations between them."""
    coded = [attribute.name for attribute in suggestion.attributes if attribute.coded]
    amounts = [
        name
        for name in suggestion.names("quasi")
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
    """Write a name as it is written in statistics.

    >>> _in_statistic("age"), _in_statistic("pay (net)")
    ('age', '`pay (net)`')
    """
    plain = name.replace("-", "").replace("_", "").replace(".", "").isalnum()
    written = name if plain else f"`{name}`"
    assert parse(f"mean({written})").attributes == (name,)
    return written


def _with_comments(microfile: Microfile, suggestion: Suggestion, sizes: dict[str, AttributeProfile]) -> Suggestion:
    """Add what is written as comments: codes that may mean missing values or categories."""
    missing = {}
    for name in (*suggestion.names("quasi"), *suggestion.names("sensitive")):
        if codes := missing_codes(microfile, name, microfile.encoded(name), suggestion.k):
            missing[name] = codes
    coded = tuple(
        name
        for name in suggestion.names("quasi")
        if sizes[name].kind is Kind.NUMERIC
        and sizes[name].distinct <= CODED
        and microfile.series(name).dtype.is_integer()
    )
    alone = int((group([microfile.encoded(name) for name in suggestion.names("quasi")]).sizes == 1).sum())
    return replace(suggestion, missing=missing, coded=coded, singled_out=alone / suggestion.records)
