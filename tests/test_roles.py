from __future__ import annotations

import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import MicrofileError, SettingError

PEOPLE = sf.Microfile(
    pl.DataFrame(
        {
            "age": [1, 2],
            "sex": ["f", "m"],
            "w": [1.0, 2.0],
            "bad": [-1.0, 2.0],
            "gap": [None, 2.0],
            "none": [None, None],
            "zero": [0, 0],
        }
    )
)


@pytest.mark.parametrize(
    ("roles", "error", "message"),
    [
        ({"quasi": ["agee"]}, SettingError, "quasi: unknown column 'agee'\nHint: did you mean 'age'"),
        ({"quasi": ["age", "age"]}, SettingError, "'age' is given twice as quasi"),
        ({"quasi": ["age"], "sensitive": ["age"]}, SettingError, "'age' is given as quasi and as sensitive"),
        ({"quasi": ["none"]}, MicrofileError, "'none' .quasi. has only missing values"),
        ({"quasi": ["age"], "weight": "bad"}, MicrofileError, "weight 'bad' is negative in 1 record"),
        ({"quasi": ["age"], "weight": "gap"}, MicrofileError, "weight 'gap' is missing in 1 record"),
        ({"quasi": ["age"], "weight": "sex"}, MicrofileError, "weight 'sex' is not numeric"),
        ({"quasi": ["age"], "weight": "zero"}, MicrofileError, "zero in every record"),
    ],
)
def test_roles_that_do_not_fit(roles, error, message):
    with pytest.raises(error, match=message):
        sf.Roles(**roles).check(PEOPLE)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"quasi": []}, "setting 'quasi'"),
        ({}, "setting 'quasi' is missing"),
        ({"quasi": "age", "qasi": "sex"}, "unknown setting 'qasi'\nHint: did you mean 'quasi'"),
        ({"quasi": "age", "missing": "maybe"}, "setting 'missing'.*given: 'maybe'"),
    ],
)
def test_roles_are_checked_when_made(given, message):
    with pytest.raises(SettingError, match=message):
        sf.Roles(**given)
