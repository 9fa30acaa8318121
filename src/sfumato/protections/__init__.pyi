from .input_checks import check_input, refuse_large_k
from .person_protection import PersonProtection
from .protected_table import ProtectedTable, release_of
from .protection import Protection, Stage
from .suppression import broken_limits, records_within_limits

__all__ = [
    "PersonProtection",
    "ProtectedTable",
    "Protection",
    "Stage",
    "broken_limits",
    "check_input",
    "records_within_limits",
    "refuse_large_k",
    "release_of",
]
