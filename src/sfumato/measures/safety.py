"""How safe a table is: all its measures in one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sfumato.array_types import Codes, Reals
from sfumato.errors import SettingError
from sfumato.measures.anonymity import anonymity, household_anonymity, predominance
from sfumato.measures.beta_likeness import basic_likeness, disclosure, enhanced_likeness, lacking
from sfumato.measures.block_measure import BlockMeasure
from sfumato.measures.blocks import Blocks, blocks_of
from sfumato.measures.closeness import equal_closeness, hierarchical_closeness, ordered_closeness
from sfumato.measures.contingency import Contingency, tabulate
from sfumato.measures.diversity import distinct_diversity, entropy_diversity, known_diversity, recursive_diversity
from sfumato.measures.household_disclosure import (
    Compositions,
    HouseholdIntersection,
    compositions,
    forms_of,
    intersect_households,
)
from sfumato.measures.posterior_belief import belief
from sfumato.measures.promise import Distance
from sfumato.measures.risk import Risk, risk_of
from sfumato.microfile import Encoded, Hierarchy, Microfile, as_microfile
from sfumato.quiet_repr import quiet
from sfumato.representations import Form
from sfumato.roles import Roles
from sfumato.settings import listed


@quiet
@dataclass(frozen=True)
class AttributeSafety:
    """What the blocks reveal about one sensitive attribute. Each measure is computed when first used."""

    blocks: Blocks
    """The records that look alike."""
    sensitive: Encoded
    """Its values."""
    wildcards: bool
    """Whether a missing value counts as equal to any value."""
    distance: Distance
    """The ground distance of t."""
    tree: Sequence[Codes] = ()
    """The hierarchy behind a hierarchical distance."""
    unknown_records: int = 0
    """How many records have a value that the hierarchy does not contain; they join its fallback."""

    @cached_property
    def contingency(self) -> Contingency:
        """How often each value occurs in each block."""
        return tabulate(self.blocks, self.sensitive, wildcards=self.wildcards)

    @cached_property
    def l(self) -> BlockMeasure:  # noqa: E743  # the field's own letter
        """Distinct l-diversity."""
        return distinct_diversity(self.contingency)

    @cached_property
    def known_l(self) -> BlockMeasure:
        """Distinct l-diversity of known values: a missing value, which counts for ``l``, may really be any of them."""
        return known_diversity(self.contingency)

    @cached_property
    def entropy_l(self) -> BlockMeasure:
        """Entropy l-diversity."""
        return entropy_diversity(self.contingency)

    def recursive_c(self, l: int) -> BlockMeasure:  # noqa: E741  # the field's own letter
        """Return the c of recursive (c, l)-diversity."""
        return recursive_diversity(self.contingency, l)

    @cached_property
    def t(self) -> BlockMeasure:
        """t-closeness."""
        if self.distance == "hierarchical":
            return hierarchical_closeness(self.contingency, self.tree)
        return (ordered_closeness if self.distance == "ordered" else equal_closeness)(self.contingency)

    @cached_property
    def alpha(self) -> BlockMeasure:
        """(alpha, k)-anonymity's alpha."""
        return predominance(self.contingency)

    @cached_property
    def beta(self) -> BlockMeasure:
        """Basic beta-likeness."""
        return basic_likeness(self.contingency)

    @cached_property
    def enhanced_beta(self) -> BlockMeasure:
        """Enhanced beta-likeness."""
        return enhanced_likeness(self.contingency)

    @cached_property
    def delta(self) -> BlockMeasure:
        """delta-disclosure, over the values that a block has."""
        return disclosure(self.contingency)

    def belief(self, prior: Reals) -> BlockMeasure:
        """Return the strongest posterior belief of an observer with a prior of their own."""
        return belief(self.contingency, prior)

    @property
    def blocks_lacking_a_value(self) -> int:
        """How many blocks lack a value of the table, so that delta, taken literally, is infinite."""
        return lacking(self.contingency)


@quiet
@dataclass(frozen=True)
class Safety:
    """How safe a table is for the given roles. Each measure is computed when first used."""

    roles: Roles
    """The roles of attributes."""
    blocks: Blocks
    """The records with equal quasi values."""
    attributes: Mapping[str, AttributeSafety]
    """What the blocks reveal about each sensitive attribute."""
    weights: Reals | None = None
    """The number of people that each record stands for."""
    home: Encoded | None = None
    """The household of each record."""
    exact_risk: bool = False
    """Whether risk is computed exactly where sdcMicro approximates."""
    intersection: HouseholdIntersection | None = None
    """What intersecting the records of each household reveals, if it is known what their members share."""
    intersected: Safety | None = None
    """How safe the table is after that, where it reveals more than each single record."""

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.blocks.sizes.sum())

    @property
    def wildcards(self) -> bool:
        """Whether a missing value counts as equal to any value."""
        return self.roles.missing == "wildcard"

    @cached_property
    def k(self) -> BlockMeasure:
        """k-anonymity."""
        return anonymity(self.blocks, wildcards=self.wildcards)

    @cached_property
    def households(self) -> BlockMeasure | None:
        """The number of households in each block."""
        if self.home is None:
            return None
        return household_anonymity(self.blocks, self.home, wildcards=self.wildcards)

    @cached_property
    def compositions(self) -> Compositions | None:
        """How many households can be recognised by their members together."""
        if self.home is None:
            return None
        return compositions(self.blocks if self.intersection is None else self.intersection.blocks, self.home)

    @property
    def l(self) -> float | None:  # noqa: E743  # the field's own letter
        """The distinct l of the worst sensitive attribute."""
        return min((a.l.worst for a in self.attributes.values()), default=None)

    @property
    def t(self) -> float | None:
        """The t of the worst sensitive attribute."""
        return max((a.t.worst for a in self.attributes.values()), default=None)

    @cached_property
    def risk(self) -> Risk:
        """The risk of re-identification."""
        return self._risk(wildcards=self.wildcards)

    @cached_property
    def other_reading(self) -> OtherReading | None:
        """K and risk by the other reading of missing quasi values, where there are any."""
        if not self.blocks.has_missing:
            return None
        risk = self._risk(wildcards=not self.wildcards)
        return OtherReading("own" if self.wildcards else "wildcard", int(risk.sample.min()), risk.expected)

    def _risk(self, *, wildcards: bool) -> Risk:
        return risk_of(
            self.blocks, weights=self.weights, household=self.home, wildcards=wildcards, exact=self.exact_risk
        )


@dataclass(frozen=True)
class OtherReading:
    """k and risk by the other reading of missing quasi values."""

    missing: str
    """The other reading of missing values: own or wildcard."""
    k: int
    """The number of records in the smallest block."""
    expected: float
    """How many records are expected to be re-identified."""


def measure(
    microfile: Microfile | Any,
    *,
    quasi: Any,
    sensitive: Any = (),
    weight: str | None = None,
    household: str | None = None,
    shared: Any = (),
    missing: str = "own",
    distances: Mapping[str, Distance] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    exact_risk: bool = False,
    blocks: Blocks | None = None,
    forms: Mapping[str, Form] | None = None,
) -> Safety:
    """Measure how safe a table is.

    Records are counted, not weighted, in every block measure: the release is what an observer sees.
    Weights describe the population behind the records and enter the risk.

    Parameters
    ----------
    microfile
        A microfile, or a frame that becomes one.
    quasi, sensitive, weight, household, missing
        The roles; see :class:`~sfumato.Roles`.
    shared
        Quasi attributes that the members of a household have in common, such as where they live: what is released of
        one member is then known of all (``intersection``, ``intersected``).
    distances
        The ground distance of t-closeness for each attribute. Default: ``"ordered"`` for numeric and
        ordinal attributes, ``"hierarchical"`` where there is a hierarchy, else ``"equal"``.
    hierarchies
        Hierarchies of sensitive attributes.
    exact_risk
        Whether risks of f > 2 use the exact formula.
    blocks
        The blocks, where they are known; default: the records with equal quasi values.
    forms
        How attributes are released, where not exactly; needed only for ``shared`` ones.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": [30, 30, 40, 40], "ill": ["a", "b", "a", "a"]})
    >>> safety = measure(table, quasi="age", sensitive="ill")
    >>> safety.k.worst, safety.l, safety.t
    (2.0, 1.0, 0.25)
    """
    microfile = as_microfile(microfile)
    roles = Roles(quasi=quasi, sensitive=sensitive, weight=weight, household=household, missing=missing)
    if blocks is None:
        roles.check(microfile)
        microfile.encode_together([*roles.quasi, *roles.sensitive])
        blocks = blocks_of(microfile, roles.quasi)
    wildcards = roles.missing == "wildcard"
    for name in (*(distances or {}), *(hierarchies or {})):
        if name not in roles.sensitive:
            raise SettingError(
                f"column {name!r} has a distance or hierarchy but is not sensitive", setting="distances", column=name
            )
    safety = Safety(
        roles=roles,
        blocks=blocks,
        attributes={
            name: _attribute(
                microfile, name, blocks, wildcards, (distances or {}).get(name), (hierarchies or {}).get(name)
            )
            for name in roles.sensitive
        },
        weights=roles.weights(microfile) if roles.weight else None,
        home=microfile.encoded(roles.household) if roles.household else None,
        exact_risk=exact_risk,
    )
    if not (names := listed(shared)):
        return safety
    if roles.household is None:
        raise SettingError("shared needs household: the attribute with the household of each record", setting="shared")
    keys = [column for name, form in forms_of(roles.quasi, forms).items() for column in form.columns(name)]
    shared_forms = forms_of(names, forms)
    strange = [name for name, form in shared_forms.items() if not {*form.columns(name)} <= {*keys}]
    if strange:
        raise SettingError(f"shared names {strange[0]!r}, which is not quasi", setting="shared", column=strange[0])
    intersection = intersect_households(microfile, keys, shared_forms, household=roles.household)
    intersected = None
    if intersection.sharpened:
        intersected = measure(
            microfile,
            quasi=quasi,
            sensitive=sensitive,
            weight=weight,
            household=household,
            missing=missing,
            distances=distances,
            hierarchies=hierarchies,
            exact_risk=exact_risk,
            blocks=intersection.blocks,
        )
    return replace(safety, intersection=intersection, intersected=intersected)


def ground_distance(
    microfile: Microfile, name: str, distance: Distance | None, hierarchy: Hierarchy | None
) -> Distance:
    """Return the ground distance of an attribute's t, refusing one that does not fit its values.

    Parameters
    ----------
    microfile, name
        The attribute.
    distance
        The requested one, if any; default: by its hierarchy if there is one, else by its kind.
    hierarchy
        The hierarchy of the attribute.
    """
    ordered = microfile.attribute(name).kind.ordered
    if distance is None:
        return "hierarchical" if hierarchy else "ordered" if ordered else "equal"
    if distance == "hierarchical" and hierarchy is None:
        raise SettingError(
            f"the hierarchical distance of {name!r} needs its hierarchy", setting="distances", column=name
        )
    if distance == "ordered" and not ordered:
        raise SettingError(
            f"the ordered distance of {name!r} needs an order, which its categories do not have",
            hint="declare an order (kinds), or choose the distance 'equal'",
            setting="distances",
            column=name,
        )
    return distance


def _attribute(
    microfile: Microfile,
    name: str,
    blocks: Blocks,
    wildcards: bool,
    distance: Distance | None,
    hierarchy: Hierarchy | None,
) -> AttributeSafety:
    encoded = microfile.encoded(name)
    distance = ground_distance(microfile, name, distance, hierarchy)
    if hierarchy is None or distance != "hierarchical":
        return AttributeSafety(blocks, encoded, wildcards, distance)
    unknown = hierarchy.unknown(encoded)[1]
    return AttributeSafety(blocks, encoded, wildcards, distance, hierarchy.joining_tree(encoded), unknown)
