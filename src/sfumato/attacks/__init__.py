"""Attacks: what an attacker with another file learns about a group or a person, beside a baseline."""

from sfumato.attacks.adequacy import Adequacy, adequacy
from sfumato.attacks.bayes_test import Evidence, evidence_of, log_bayes_factors

__all__ = ["Adequacy", "Evidence", "adequacy", "evidence_of", "log_bayes_factors"]
