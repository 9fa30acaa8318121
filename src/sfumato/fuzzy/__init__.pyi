from .auto_variables import automatic_variables
from .c_means import FuzzyCMeans
from .cardinality import (
    at_least,
    descending_of,
    fg_count,
    fuzzy_cardinality,
    nonfuzzy_cardinality,
    nonfuzzy_parts,
    possibility_at_least,
    sigma_count,
)
from .category_variables import AnyVariable, CategoricalVariable
from .codebook_sets import BETWEEN, ClusteredSets, PublicSets, ShapedSets, on_levels, read_sets
from .grade_inversion import LEAST_WIDTH, Inversion, distinct_grades, invert, ranges_behind
from .gustafson_kessel import GustafsonKessel
from .k_means_clustering import k_means
from .memberships import as_partition, category_memberships
from .product_partitions import product
from .ruspini_partitions import crisp, ruspini, ruspini_from
from .shapes import (
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
    written,
)
from .variable_coverage import ALPHA, BlindSpots, Uncovered, blind_spots, uncovered, widened
from .variables import Gap, LinguisticVariable, check_alpha

__all__ = [
    "ALPHA",
    "BETWEEN",
    "LEAST_WIDTH",
    "AnyShape",
    "AnyVariable",
    "BlindSpots",
    "CategoricalVariable",
    "ClusteredSets",
    "Crisp",
    "Falling",
    "FuzzyCMeans",
    "Gap",
    "Gaussian",
    "GustafsonKessel",
    "Inversion",
    "LinguisticVariable",
    "PiShaped",
    "PublicSets",
    "Rising",
    "SShaped",
    "Shape",
    "ShapedSets",
    "Trapezoidal",
    "Triangular",
    "Uncovered",
    "ZShaped",
    "as_partition",
    "at_least",
    "automatic_variables",
    "blind_spots",
    "category_memberships",
    "check_alpha",
    "crisp",
    "descending_of",
    "distinct_grades",
    "fg_count",
    "fuzzy_cardinality",
    "invert",
    "k_means",
    "nonfuzzy_cardinality",
    "nonfuzzy_parts",
    "on_levels",
    "possibility_at_least",
    "product",
    "ranges_behind",
    "read_sets",
    "ruspini",
    "ruspini_from",
    "sigma_count",
    "uncovered",
    "widened",
    "written",
]
