"""Synthetic microfiles for demonstrations and tests, whose people do not exist, and presets for real surveys."""

from sfumato.datasets.american_community_survey import acs_steps, acs_variables
from sfumato.datasets.census import census
from sfumato.datasets.geography import AREAS, STATES, bases, colleges
from sfumato.datasets.health import health_survey

__all__ = ["AREAS", "STATES", "acs_steps", "acs_variables", "bases", "census", "colleges", "health_survey"]
