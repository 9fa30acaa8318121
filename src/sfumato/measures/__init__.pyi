from .attribute_inference import Guessing, Miss, guessing, miss_of
from .blocks import Blocks, blocks_of, group, group_codes, homes_of, ranks_of
from .compliance import BrokenLimit, BrokenLimitFacts, Compliance, check_promise, explain
from .criteria import (
    ATTRIBUTE_CRITERIA,
    BLOCK_CRITERIA,
    EPSILON_DIVERSITY,
    INVERSION_WIDTH,
    Q_ANONYMITY,
    TABLE_SETTINGS,
    Limit,
    promised_criteria,
)
from .detail_loss import Detail, detail_of
from .epsilon_diversity import separation
from .file_profile import CANDIDATES, AttributeProfile, Profile, profile
from .fuzzy_anonymity import FuzzyAnonymity, Operator, QAnonymity, fuzzy_anonymity, q_anonymity
from .fuzzy_closeness import FuzzyCloseness, fuzzy_closeness
from .fuzzy_contingency import FuzzyContingency, tabulate_fuzzy
from .fuzzy_diversity import FuzzyDiversity, fuzzy_diversity
from .fuzzy_safety import FuzzyAttributeSafety, FuzzySafety, measure_fuzzy
from .household_disclosure import (
    Compositions,
    HouseholdIntersection,
    Sharing,
    compositions,
    intersect_households,
    recognisable_households,
    released_alike,
    sharing,
    sharing_of,
    where_any,
)
from .label_disclosure import named_categories
from .measured_facts import FuzzyFacts, LabelFacts, Measured, RiskFacts, summarize, summarize_fuzzy
from .posterior_belief import belief, posterior
from .promise import Distance, Promise
from .risk import Risk, individual_risk, risk_of
from .safety import Safety, ground_distance, measure
from .special_uniques import Uniques, minimal_uniques
from .utility import InformationLoss, Utility, information_loss, utility_of

__all__ = [
    "ATTRIBUTE_CRITERIA",
    "BLOCK_CRITERIA",
    "CANDIDATES",
    "EPSILON_DIVERSITY",
    "INVERSION_WIDTH",
    "Q_ANONYMITY",
    "TABLE_SETTINGS",
    "AttributeProfile",
    "Blocks",
    "BrokenLimit",
    "BrokenLimitFacts",
    "Compliance",
    "Compositions",
    "Detail",
    "Distance",
    "FuzzyAnonymity",
    "FuzzyAttributeSafety",
    "FuzzyCloseness",
    "FuzzyContingency",
    "FuzzyDiversity",
    "FuzzyFacts",
    "FuzzySafety",
    "Guessing",
    "HouseholdIntersection",
    "InformationLoss",
    "LabelFacts",
    "Limit",
    "Measured",
    "Miss",
    "Operator",
    "Profile",
    "Promise",
    "QAnonymity",
    "Risk",
    "RiskFacts",
    "Safety",
    "Sharing",
    "Uniques",
    "Utility",
    "belief",
    "blocks_of",
    "check_promise",
    "compositions",
    "detail_of",
    "explain",
    "fuzzy_anonymity",
    "fuzzy_closeness",
    "fuzzy_diversity",
    "ground_distance",
    "group",
    "group_codes",
    "guessing",
    "homes_of",
    "individual_risk",
    "information_loss",
    "intersect_households",
    "measure",
    "measure_fuzzy",
    "minimal_uniques",
    "miss_of",
    "named_categories",
    "posterior",
    "profile",
    "promised_criteria",
    "q_anonymity",
    "ranks_of",
    "recognisable_households",
    "released_alike",
    "risk_of",
    "separation",
    "sharing",
    "sharing_of",
    "summarize",
    "summarize_fuzzy",
    "tabulate_fuzzy",
    "utility_of",
    "where_any",
]
