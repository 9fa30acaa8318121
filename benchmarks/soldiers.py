"""A generated census file with a small group of soldiers among many who live alike, and TC16's variables for it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sfumato.array_types import Flags, Reals
from sfumato.attacks.membership_grades import Grades, make_grades
from sfumato.fuzzy.variables import LinguisticVariable

TYPES = 60
"""Kinds of people, whose habits are alike."""
SHARE = 0.0045
"""How many are soldiers."""


def _crisp(*cuts: float) -> list[dict[str, object]]:
    return [{"shape": "crisp", "start": low, "stop": high} for low, high in pairwise(cuts)]


def _pi(*corners: float) -> dict[str, object]:
    return {"shape": "pi", "corners": corners}


def _bell(centre: float, deviation: float) -> dict[str, object]:
    return {"shape": "gaussian", "centre": centre, "deviation": deviation}


# TC16, its twelve variables, with times of departure in minutes (ERRATA 004-16)
SHAPES: dict[str, tuple[str, list[dict[str, object]]]] = {
    "age": (
        "young middle-1 middle-2 middle-3 old",
        [_pi(7.05, 15.4, 22.5, 27.18), _bell(27.5, 2), _bell(32.5, 2), _bell(37.5, 2), _pi(37.85, 42.5, 47.51, 54.84)],
    ),
    "education": (
        "low high",
        [{"shape": "trapezoidal", "corners": corners} for corners in ((1, 1, 8, 10), (8, 10, 11, 11))],
    ),
    "sex": ("male female", _crisp(1, 2, 3)),
    "race": ("white black", _crisp(1, 2, 3)),
    "hours": ("low medium high", [_pi(0, 0, 29.9, 40.3), _bell(40, 2.5), _pi(40.2, 50.1, 100, 100)]),
    "hispanic": ("no yes", _crisp(0, 1, 10)),
    "marital": ("married not-married", _crisp(1, 3, 7)),
    "transport": ("car public walked", _crisp(0, 21, 37, 51)),
    "departure": ("night morning day", [_pi(1, 1, 330, 390), _pi(330, 390, 480, 540), _pi(480, 540, 1439, 1439)]),
    "travel": ("little medium much", [_pi(1, 1, 10, 15), _pi(10, 15, 30, 45), _pi(35, 45, 120, 120)]),
    "weeks": (
        "abnormal normal",
        [{"shape": "trapezoidal", "corners": corners} for corners in ((1, 1, 5, 6), (5, 6, 6, 6))],
    ),
    "income": (
        "low medium high",
        [_pi(0, 0, 9000, 12000), _pi(9000, 12000, 70000, 90000), _pi(70000, 90000, 200000, 200000)],
    ),
}
VARIABLES = [
    LinguisticVariable(attribute=name, values=dict(zip(words.split(), shapes, strict=True)))
    for name, (words, shapes) in SHAPES.items()
]

# For each attribute: lowest and highest number, what is usual of people in general and of soldiers, and how widely each
# spreads, in shares of the range.
HABITS: dict[str, tuple[float, float, float, float, float]] = {
    "age": (18, 45, 0.55, 0.12, 0.25),
    "education": (1, 11, 0.65, 0.5, 0.2),
    "sex": (1, 2, 0.5, 0.08, 0.5),
    "race": (1, 2, 0.12, 0.25, 0.4),
    "hours": (0, 99, 0.41, 0.52, 0.1),
    "hispanic": (0, 1, 0.12, 0.12, 0.4),
    "marital": (1, 6, 0.4, 0.7, 0.6),
    "transport": (0, 70, 0.15, 0.5, 0.2),
    "departure": (1, 1439, 0.32, 0.23, 0.06),
    "travel": (1, 119, 0.18, 0.06, 0.12),
    "weeks": (1, 6, 0.9, 0.9, 0.3),
    "income": (0, 200000, 0.13, 0.09, 0.1),
}


def soldiers_file(records: int, *, seed: int = 1) -> tuple[dict[str, Reals], Flags]:
    """Return the numbers of each attribute, and who is a soldier."""
    rng = np.random.default_rng(seed)
    vital = rng.random(records) < SHARE
    shares = 1.0 / np.arange(1, TYPES + 1)
    types = rng.choice(TYPES, records, p=shares / shares.sum())
    numbers = {}
    for name, (low, high, usual, theirs, spread) in HABITS.items():
        typical = usual + spread * rng.normal(size=TYPES)
        # most of what soldiers do they do because they are soldiers
        centres = np.where(vital & (rng.random(records) < 0.7), theirs, typical[types])
        drawn = low + (high - low) * (centres + 0.5 * spread * rng.normal(size=records))
        numbers[name] = np.clip(np.rint(drawn), low, high)
    return numbers, vital


def soldiers_grades(numbers: dict[str, Reals]) -> Grades:
    """Return their grades in TC16's variables."""
    codes, tables = [], []
    for variable in VARIABLES:
        low, high = HABITS[variable.attribute][:2]
        codes.append((numbers[variable.attribute] - low).astype(np.int32))
        tables.append(variable.grades(np.arange(low, high + 1)))
    return make_grades(codes, tables, names=list(numbers))
