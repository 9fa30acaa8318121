"""Fuzzy sets of an attribute's values: shapes, linguistic variables, partitions and how their members are counted."""

from sfumato.fuzzy.auto_variables import automatic_variables
from sfumato.fuzzy.blind_spots import BlindSpots, Uncovered, blind_spots, uncovered, widened
from sfumato.fuzzy.cardinality import (
    fg_count,
    fuzzy_cardinality,
    nonfuzzy_cardinality,
    possibility_at_least,
    sigma_count,
)
from sfumato.fuzzy.category_variables import AnyVariable, CategoricalVariable
from sfumato.fuzzy.memberships import as_partition, category_memberships
from sfumato.fuzzy.product_partitions import product
from sfumato.fuzzy.ruspini_partitions import crisp, ruspini, ruspini_from
from sfumato.fuzzy.shapes import (
    AnyShape,
    Crisp,
    Falling,
    Gaussian,
    PiShaped,
    Rising,
    Shape,
    SShaped,
    Trapezoidal,
    Triangular,
    ZShaped,
)
from sfumato.fuzzy.variables import Gap, LinguisticVariable

__all__ = [
    "AnyShape",
    "AnyVariable",
    "BlindSpots",
    "CategoricalVariable",
    "Crisp",
    "Falling",
    "Gap",
    "Gaussian",
    "LinguisticVariable",
    "PiShaped",
    "Rising",
    "SShaped",
    "Shape",
    "Trapezoidal",
    "Triangular",
    "Uncovered",
    "ZShaped",
    "as_partition",
    "automatic_variables",
    "blind_spots",
    "category_memberships",
    "crisp",
    "fg_count",
    "fuzzy_cardinality",
    "nonfuzzy_cardinality",
    "possibility_at_least",
    "product",
    "ruspini",
    "ruspini_from",
    "sigma_count",
    "uncovered",
    "widened",
]
