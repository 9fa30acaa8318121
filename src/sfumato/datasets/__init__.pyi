from .acs_variable_definitions import SurveySteps, SurveyVariables, acs_steps, acs_variables
from .geography import AREAS, STATES, bases, colleges
from .synthetic_census import census
from .synthetic_health_survey import health_survey

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
