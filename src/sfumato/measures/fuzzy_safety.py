"""How safe a fuzzy partition is: all its measures beside their crisp twins, in one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import ArrayLike

from sfumato.array_types import Reals
from sfumato.errors import SettingError, nearest
from sfumato.fuzzy import as_partition
from sfumato.measures.blocks import Blocks
from sfumato.measures.fuzzy_anonymity import (
    FuzzyAnonymity,
    Operator,
    Possibility,
    QAnonymity,
    fuzzy_anonymity,
    q_anonymity,
)
from sfumato.measures.fuzzy_closeness import FuzzyCloseness, FuzzyDistance, fuzzy_closeness
from sfumato.measures.fuzzy_contingency import Cardinality, FuzzyContingency, crisp_blocks, tabulate_fuzzy, with_members
from sfumato.measures.fuzzy_diversity import Background, FuzzyDiversity, fuzzy_diversity
from sfumato.microfile import Encoded, Microfile, as_microfile
from sfumato.quiet_repr import quiet
from sfumato.settings import listed


@dataclass(frozen=True)
class FuzzyAttributeSafety:
    """What the fuzzy sets reveal about one sensitive attribute. Each measure is computed when first used."""

    counts: FuzzyContingency
    """How often each sensitive value occurs in each fuzzy set."""
    distance: FuzzyDistance
    """The ground distance of t."""

    @cached_property
    def l(self) -> FuzzyDiversity:  # noqa: E743  # the field's own letter
        """l-diversity for an observer who knows only the release."""
        return fuzzy_diversity(self.counts)

    @cached_property
    def t(self) -> FuzzyCloseness:
        """t-closeness."""
        return fuzzy_closeness(self.counts, distance=self.distance)

    def believed(self, prior: Reals, *, background: Background = "table") -> FuzzyDiversity:
        """Return l-diversity for an observer with a prior of their own."""
        return fuzzy_diversity(self.counts, prior=prior, background=background)


@quiet
@dataclass(frozen=True)
class FuzzySafety:
    """How safe a fuzzy partition is. Each measure is computed when first used."""

    memberships: Reals
    """Records by sets."""
    blocks: Blocks
    """The crisp twin: each record in the set of its largest membership."""
    attributes: Mapping[str, FuzzyAttributeSafety]
    """What the sets reveal about each sensitive attribute."""
    home: Encoded | None = None
    """The household of each record."""

    @cached_property
    def k(self) -> FuzzyAnonymity:
        """Fuzzy k-anonymity."""
        return fuzzy_anonymity(self.memberships, household=self.home, blocks=self.blocks)

    def q(self, *, operator: Operator = "min", possibility: Possibility = "ralescu") -> QAnonymity:
        """Return Q-anonymity."""
        return q_anonymity(self.memberships, operator=operator, possibility=possibility, blocks=self.blocks)


def measure_fuzzy(
    microfile: Microfile | Any,
    memberships: ArrayLike,
    *,
    sensitive: Any = (),
    household: str | None = None,
    distances: Mapping[str, FuzzyDistance] | None = None,
    cardinality: Cardinality = "sigma",
) -> FuzzySafety:
    """Measure how safe a release is whose quasi attributes are memberships in fuzzy sets.

    Parameters
    ----------
    microfile
        A microfile, or a frame that becomes one, with the sensitive attributes.
    memberships
        Its records by sets, a Ruspini partition; for several attributes, their :func:`~sfumato.fuzzy.product`.
    sensitive
        The sensitive attributes.
    household
        The attribute with the household of each record: with it, households are counted as well.
    distances
        The ground distance of t-closeness for each attribute. Default: ``"ordered"`` for numeric and ordinal
        attributes, else ``"equal"``.
    cardinality
        How members are counted in distributions and beliefs: by ``"sigma"`` counts, or as the paper does by
        ``"nonfuzzy"`` ones.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"ill": ["a", "b", "a", "a"]})
    >>> safety = measure_fuzzy(table, [[1, 0], [0.75, 0.25], [0.25, 0.75], [0, 1]], sensitive="ill")
    >>> safety.k.nonfuzzy.worst, safety.attributes["ill"].t.t
    (2.0, 0.125)
    """
    microfile = as_microfile(microfile)
    names = listed(sensitive)
    grades = with_members(as_partition(memberships))
    blocks = crisp_blocks(grades)
    chosen = dict(distances or {})
    for name in chosen:
        if name not in names:
            raise SettingError(
                f"column {name!r} has a distance but is not sensitive",
                hint=nearest(name, names),
                setting="distances",
                column=name,
            )
    attributes = {}
    for name in names:
        ordered = microfile.attribute(name).kind.ordered
        counts = tabulate_fuzzy(grades, microfile.encoded(name), cardinality=cardinality, blocks=blocks)
        attributes[name] = FuzzyAttributeSafety(counts, chosen.get(name, "ordered" if ordered else "equal"))
    return FuzzySafety(grades, blocks, attributes, None if household is None else microfile.encoded(household))
