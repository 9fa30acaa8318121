from .attack_base import Attack
from .attack_caveats import caveats_of
from .attack_plan import AttackPlan
from .bayes_independence import Evidence, evidence_of, log_bayes_factors
from .confidential_attack_record import attack_record, keep_attack, severity
from .detection_adequacy import Adequacy, adequacy
from .disclosed_places import Disclosure, Verdict, judge
from .fuzzy_model import FuzzyModel, Rule
from .linkage import Linkage
from .linkage_audit import LinkageCheck

__all__ = [
    "Adequacy",
    "Attack",
    "AttackPlan",
    "Disclosure",
    "Evidence",
    "FuzzyModel",
    "Linkage",
    "LinkageCheck",
    "Rule",
    "Verdict",
    "adequacy",
    "attack_record",
    "caveats_of",
    "evidence_of",
    "judge",
    "keep_attack",
    "log_bayes_factors",
    "severity",
]
