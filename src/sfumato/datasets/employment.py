"""Employment: workplace, occupation, hours and commuting; soldiers have habits of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.array_types import Counts, Flags
from sfumato.datasets.geography import AREAS, AREAS_IN_STATE, MILITARY, OCCUPATIONS, STATES, Country, compounded, drift
from sfumato.datasets.households import BACHELOR, HIGH_SCHOOL, MALE, NOT_CITIZEN, People
from sfumato.datasets.sampling import Small, happens, pick, pick_within

TRANSPORTS = ("car", "public transport", "bicycle", "walked", "other", "worked at home")
CAR, PUBLIC, WALKED, AT_HOME = (
    TRANSPORTS.index(name) for name in ("car", "public transport", "walked", "worked at home")
)

_EARLY = ("construction", "production", "transportation", "agriculture", "protective service")
_LONG = ("management", "agriculture", "protective service")
_AT_DESKS = ("management", "professional", "office", "sales")
_LIVE_AT_WORK = {"service": 0.05, "agriculture": 0.25, "protective service": 0.1}
"""The share of workers in some occupations who live where they work, and walk."""


@dataclass(frozen=True)
class Employment:
    """The work of those who have any, one element per worker."""

    workers: Counts
    """Their row numbers among all people."""
    workplace: Small
    occupation: Small
    soldier: Flags
    hours: NDArray[np.int16]
    weeks: NDArray[np.int16]
    transport: Small
    departure: NDArray[np.int16]
    """Minutes after midnight; meaningless for those who work at home, like travel."""
    travel: NDArray[np.int16]
    """Minutes."""


def employment_of(rng: np.random.Generator, country: Country, people: People, *, year: int) -> Employment:
    """Give people work."""
    by_age = np.array([0.0, 0.34, 0.66, 0.81, 0.63, 0.25, 0.07], dtype=np.float32)
    ages = np.searchsorted([16, 20, 25, 55, 65, 75], np.arange(100), side="right")
    workers = np.flatnonzero(happens(rng, by_age[ages[people.age]], people.age.size))
    age, residence = people.age[workers], people.area[workers]
    workplace = _workplaces(rng, country, residence)
    soldier = _soldiers(rng, country, people, workers, workplace)
    occupation = pick_within(rng, country.occupations, workplace)
    occupation[soldier & happens(rng, 0.93, workers.size)] = MILITARY
    few_hours = np.where(people.student[workers], 0.65, np.where(age >= 65, 0.5, 0.16))
    part_time = ~soldier & happens(rng, few_hours, workers.size)
    near = workplace == residence
    transport = _transports(rng, country, workplace, occupation, soldier & near, age, year)
    return Employment(
        workers=workers,
        workplace=workplace,
        occupation=occupation,
        soldier=soldier,
        hours=_hours(rng, occupation, soldier, part_time),
        weeks=_weeks(rng, soldier, part_time),
        transport=transport,
        departure=_departures(rng, occupation, soldier, part_time),
        travel=_travel(rng, transport, near, soldier, year),
    )


def _workplaces(rng: np.random.Generator, country: Country, residence: Small) -> Small:
    """Return places of work: mostly the area of residence, else another in the state, rarely anywhere else."""
    state = residence // AREAS_IN_STATE
    shares = country.residents.reshape(len(STATES), AREAS_IN_STATE)
    within = AREAS_IN_STATE * state + pick_within(rng, shares, state)
    anywhere = pick(rng, country.residents.tolist(), residence.size)
    reach = pick(rng, [70, 27, 3], residence.size)
    return np.choose(reach, [residence, within.astype(np.int8), anywhere])


def _soldiers(rng: np.random.Generator, country: Country, people: People, workers: Counts, workplace: Small) -> Flags:
    """Return who is on active duty: mostly young men with a school degree, by the share of the place."""
    by_age = np.array([3.6, 2.0, 0.7, 0.05, 0.0])
    ages = np.searchsorted([25, 35, 45, 60], np.arange(100), side="right")
    leaning = by_age[ages][people.age[workers]]
    leaning *= np.where(people.sex[workers] == MALE, 1.7, 0.3)
    school = people.education[workers]
    leaning *= np.where(school < HIGH_SCHOOL, 0.03, np.where(school < BACHELOR, 1.3, 0.6))
    leaning *= np.where(people.student[workers], 0.15, 1.0)
    leaning *= np.where(people.citizenship[workers] == NOT_CITIZEN, 0.15, 1.0)
    leaning[people.age[workers] < 18] = 0.0
    # a place has its share of soldiers whoever works there
    heads = np.bincount(workplace, minlength=len(AREAS))
    total = np.bincount(workplace, weights=leaning, minlength=len(AREAS))
    scale = country.soldiers * heads / np.maximum(total, 1e-9)
    return happens(rng, np.minimum(leaning * scale[workplace], 0.95), workers.size)


def _hours(rng: np.random.Generator, occupation: Small, soldier: Flags, part_time: Flags) -> NDArray[np.int16]:
    n = occupation.size
    usual = np.array([38, 40, 40, 40, 45, 50, 55, 60, 72, 84])
    # civilians, those with long days, soldiers
    shares = [[12, 30, 25, 10, 11, 7, 2, 2.4, 0.3, 0.1], [4, 18, 14, 8, 18, 20, 8, 8, 1.5, 0.5]]
    shares.append([2, 7, 7, 5, 9, 24, 11, 23, 7, 5])
    group = np.where(soldier, 2, _is_one_of(_LONG)[occupation])
    hours = usual[pick_within(rng, shares, group)] + np.where(happens(rng, 0.2, n), rng.integers(-3, 4, n), 0)
    return np.where(part_time, rng.integers(6, 34, n), hours).astype(np.int16)


def _weeks(rng: np.random.Generator, soldier: Flags, part_time: Flags) -> NDArray[np.int16]:
    full_year = happens(rng, np.where(soldier, 0.95, np.where(part_time, 0.5, 0.86)), soldier.size)
    return np.where(full_year, rng.integers(50, 53, soldier.size), rng.integers(1, 50, soldier.size)).astype(np.int16)


def _transports(
    rng: np.random.Generator,
    country: Country,
    workplace: Small,
    occupation: Small,
    in_quarters: Flags,
    age: NDArray[np.int16],
    year: int,
) -> Small:
    """Return means of transport; soldiers who live at their base often walk, and so do the young of college towns."""
    at_home = np.clip(0.09 + 0.006 * drift(year), 0.02, 0.25)
    public = country.public_transport
    plain = np.tile([0.95, 0.0, 0.006, 0.024, 0.02], (len(AREAS), 1))
    plain[:, CAR] -= public
    plain[:, PUBLIC] = public
    college = plain.copy()
    college[country.colleges] = [0.57, 0.08, 0.08, 0.25, 0.02]
    quarters = np.tile([0.5, 0.02, 0.06, 0.4, 0.02], (len(AREAS), 1))
    group = np.where(in_quarters, 2, (age < 26).astype(np.int8)).astype(np.int16)
    transport = pick_within(rng, np.concatenate([plain, college, quarters]), group * len(AREAS) + workplace)
    live_there = np.array([_LIVE_AT_WORK.get(name, 0.0) for name in OCCUPATIONS])
    transport[happens(rng, live_there[occupation], occupation.size)] = WALKED
    # at desks twice as often as on average, elsewhere rarely, soldiers hardly ever
    chance = np.where(_is_one_of(_AT_DESKS), 1.7, 0.25) * at_home
    chance[MILITARY] = 0.01
    transport[happens(rng, chance[occupation], occupation.size)] = AT_HOME
    return transport


def _departures(rng: np.random.Generator, occupation: Small, soldier: Flags, part_time: Flags) -> NDArray[np.int16]:
    """Return minutes after midnight, as people round them: to five minutes, most of them to a quarter."""
    n = occupation.size
    # in the early morning, the morning, later; civilians, those of early occupations, part-timers, soldiers
    shares = [[8, 83, 9], [30, 60, 10], [5, 58, 37], [76, 21, 3]]
    group = np.where(soldier, 3, np.where(part_time, 2, _is_one_of(_EARLY)[occupation]))
    time_of_day = pick_within(rng, shares, group)
    noise = rng.standard_normal(n, dtype=np.float32)
    later = rng.uniform(600.0, 1380.0, n)
    minutes = np.where(time_of_day == 0, 325.0 + 28.0 * noise, np.where(time_of_day == 1, 455.0 + 42.0 * noise, later))
    step = np.where(happens(rng, 0.7, n), 15.0, 5.0)
    return np.clip(np.round(minutes / step) * step, 5, 1435).astype(np.int16)


def _travel(rng: np.random.Generator, transport: Small, near: Flags, soldier: Flags, year: int) -> NDArray[np.int16]:
    """Return minutes of travel, which grow from year to year and are few within an area."""
    typical = np.array([17.0, 34.0, 15.0, 9.0, 22.0, 0.0]) * compounded(0.006, year)
    minutes = typical[transport] * np.exp(0.55 * rng.standard_normal(near.size, dtype=np.float32))
    minutes *= np.where(near, np.where(soldier, 0.6, 0.85), np.where(transport == WALKED, 1.3, 1.9))
    step = np.where(minutes > 12.0, 5.0, 1.0)
    rounded: NDArray[np.int16] = np.clip(np.round(minutes / step) * step, 1, 180).astype(np.int16)
    return rounded


def _is_one_of(names: tuple[str, ...]) -> Flags:
    return np.isin(OCCUPATIONS, names)
