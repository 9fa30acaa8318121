"""The fictional country: its states and areas, bases and colleges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.datasets.sampling import check_whole

STATES = ("Anmoor", "Birkfeld", "Celtau", "Dornach", "Elmwald", "Fahrenholt")
"""The states; the codes of their areas start with the first letter."""

AREAS_IN_STATE = 10
AREAS = tuple(f"{state[0]}{number:02d}" for state in STATES for number in range(1, AREAS_IN_STATE + 1))
"""The codes of all areas, of residence and of work."""

OCCUPATIONS = (
    "management",
    "professional",
    "office",
    "sales",
    "service",
    "construction",
    "production",
    "transportation",
    "agriculture",
    "protective service",
    "military",
)
MILITARY = OCCUPATIONS.index("military")

FIRST_YEAR = 2020
"""The year from which drift counts."""
LONGEST_DRIFT = 30
"""After this number of years nothing drifts any further, so that any year makes sense."""

_SPREAD_OF_SOLDIERS = 0.005
"""The share of workers on active duty at places without a base."""
_TIMES_AT_BASE = (12.0, 20.0)
_COLLEGE_TOWNS = 3


@dataclass(frozen=True)
class Country:
    """The areas of a country in one year."""

    residents: Reals
    """The share of people who live in each area."""
    occupations: Reals
    """Areas x civilian occupations: the shares of workers."""
    soldiers: Reals
    """The share of each area's workers who are on active duty."""
    colleges: Counts
    """Which areas are college towns."""
    public_transport: Reals
    """The share of workers who come by public transport."""


def bases(seed: int = 1) -> tuple[str, ...]:
    """Return the places of work with a military base, which are the same in every year of a seed.

    They are what an attack should find and a mask should hide. Their workers are on active duty 12 to 20 times as often
    as those of other places; five of the six states have one each.

    >>> bases(seed=1)
    ('A05', 'B10', 'C04', 'D01', 'E10')
    """
    return tuple(AREAS[area] for area in _planted(seed)[0])


def colleges(seed: int = 1) -> tuple[str, ...]:
    """Return the college towns, whose young people walk to work like soldiers: a trap for careless attacks."""
    return tuple(AREAS[area] for area in _planted(seed)[1])


def drift(year: int) -> int:
    """Return the number of years of drift."""
    return min(max(year - FIRST_YEAR, -LONGEST_DRIFT), LONGEST_DRIFT)


def compounded(rate: float, year: int) -> float:
    """Return the factor of a growth at a yearly rate.

    >>> round(compounded(0.03, 2022), 4)
    1.0609
    """
    return (1.0 + rate) ** drift(year)


def country_of(seed: int, year: int) -> Country:
    """Return a country in a year: the seed determines its places, and its shares drift."""
    constant, yearly = np.random.default_rng([seed, 1]), np.random.default_rng([seed, year, 2])
    n_areas = len(AREAS)
    residents = _residents(seed) * yearly.lognormal(0.0, 0.03, n_areas)
    civilian = np.array([11.0, 21.0, 12.0, 10.0, 16.0, 6.0, 7.0, 8.0, 2.0, 2.2])
    occupations = civilian * constant.lognormal(0.0, 0.3, (n_areas, civilian.size))
    soldiers = _SPREAD_OF_SOLDIERS * constant.lognormal(0.0, 0.2, n_areas) * yearly.lognormal(0.0, 0.1, n_areas)
    planted, towns = _planted(seed)
    times = constant.uniform(*_TIMES_AT_BASE, planted.size)
    soldiers[planted] = _SPREAD_OF_SOLDIERS * np.clip(
        times * yearly.lognormal(0.0, 0.08, planted.size), *_TIMES_AT_BASE
    )
    return Country(
        residents=residents / residents.sum(),
        occupations=occupations,
        soldiers=soldiers * compounded(-0.01, year),
        colleges=towns,
        public_transport=constant.beta(1.2, 18.0, n_areas),
    )


def _residents(seed: int) -> Reals:
    """Return the relative sizes of areas."""
    return np.random.default_rng([seed, 3]).lognormal(0.0, 0.3, len(AREAS))


def _planted(seed: int) -> tuple[Counts, Counts]:
    """Return the areas with a base and the college towns."""
    check_whole("seed", seed, 0)
    rng = np.random.default_rng([seed, 4])
    # neither the largest places, which stand out anyway, nor the smallest
    ranks = np.argsort(_residents(seed).reshape(len(STATES), AREAS_IN_STATE), axis=1)[:, 5:9]
    chosen = np.sort(rng.permutation(len(STATES))[:-1])
    planted = chosen * AREAS_IN_STATE + ranks[chosen, rng.integers(0, ranks.shape[1], chosen.size)]
    without_base = np.setdiff1d(np.arange(len(AREAS)), planted)
    return planted, np.sort(rng.permutation(without_base)[:_COLLEGE_TOWNS])
