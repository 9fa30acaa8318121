"""What protections have in common: their settings, checks and the way to a release."""

from sfumato.protections.input_checks import check_input, refuse_large_k
from sfumato.protections.person_protection import PersonProtection
from sfumato.protections.protected_table import ProtectedTable, release_of
from sfumato.protections.protection import Protection, Stage
from sfumato.protections.suppression import broken_limits, records_within_limits

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
