from .american_community_survey import SurveySteps, SurveyVariables, acs_steps, acs_variables
from .geography import AREAS, STATES, bases, colleges
from .health import health_survey
from .synthetic_census import census

__all__ = [
    "AREAS",
    "STATES",
    "SurveySteps",
    "SurveyVariables",
    "acs_steps",
    "acs_variables",
    "bases",
    "census",
    "colleges",
    "health_survey",
]
