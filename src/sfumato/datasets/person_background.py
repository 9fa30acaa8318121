"""Further attributes of people: service, origin, moves, insurance, disability, income."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.array_types import Counts, Flags
from sfumato.datasets.employment import Employment
from sfumato.datasets.geography import OCCUPATIONS, compounded
from sfumato.datasets.households import BY_BIRTH, MALE, People
from sfumato.datasets.sampling import Small, happens, pick_within
from sfumato.microfile import Code

SERVICES: Mapping[Code, str] = {
    1: "now on active duty",
    2: "on active duty in the past",
    3: "training for reserves only",
    4: "never served",
}
BIRTHPLACES = ("this state", "another state", "abroad")
MOVES = ("no", "within the state", "from another state", "from abroad")
INSURANCES = ("employer", "bought", "medicare", "medicaid", "military", "none")
MILITARY_PLAN = INSURANCES.index("military")

ADULT = 17
"""Service is asked about from this age on."""
EARNS = 15
"""Income is asked about from this age on."""

_PAY = dict(zip(OCCUPATIONS, (1.5, 1.25, 0.85, 0.9, 0.65, 0.95, 0.9, 0.85, 0.7, 1.05, 0.95), strict=True))
"""The relative pay per hour of occupations."""


@dataclass(frozen=True)
class Circumstances:
    """One element per person."""

    service: Small
    """As in :data:`SERVICES`; 0 for children."""
    birthplace: Small
    moved: Small
    insurance: Small
    disability: Flags
    income: NDArray[np.int32]
    """Meaningless for children."""


def circumstances_of(rng: np.random.Generator, people: People, work: Employment, *, year: int) -> Circumstances:
    """Generate the further attributes."""
    records = people.age.size
    soldier = np.zeros(records, dtype=np.bool_)
    soldier[work.workers[work.soldier]] = True
    service = _services(rng, people, soldier)
    birthplace = pick_within(rng, [[62, 37, 1], [16, 80, 4]], soldier.astype(np.int8))
    birthplace[people.citizenship != BY_BIRTH] = BIRTHPLACES.index("abroad")
    disability = happens(rng, np.where(soldier, 0.01, _shares_of_disabled()[people.age]), records)
    return Circumstances(
        service=service,
        birthplace=birthplace,
        moved=_moves(rng, people, soldier),
        insurance=_insurances(rng, people, work.workers, soldier, service),
        disability=disability,
        income=_incomes(rng, people, work, year),
    )


def _services(rng: np.random.Generator, people: People, soldier: Flags) -> Small:
    veterans = np.array([0.0, 0.02, 0.06, 0.1, 0.3])
    ages = np.searchsorted([ADULT + 4, 30, 45, 68], np.arange(100), side="right")
    chance = veterans[ages][people.age] * np.where(people.sex == MALE, 1.0, 0.12)
    service = np.where(happens(rng, chance, soldier.size), 2, np.where(happens(rng, 0.012, soldier.size), 3, 4))
    service[soldier] = 1
    service[people.age < ADULT] = 0
    return service.astype(np.int8)


def _moves(rng: np.random.Generator, people: People, soldier: Flags) -> Small:
    # children and old people, the middle-aged, the young, soldiers
    shares: list[list[float]] = [[93, 5.5, 1.2, 0.3], [88, 9, 2.4, 0.6], [75, 19, 5, 1], [60, 8, 26, 6]]
    by_age = np.array([0, 2, 1, 0])[np.searchsorted([18, 30, 50], people.age, side="right")]
    return pick_within(rng, shares, np.where(soldier, 3, by_age))


def _insurances(rng: np.random.Generator, people: People, workers: Counts, soldier: Flags, service: Small) -> Small:
    """Return plans; the military plan also covers soldiers' households and some veterans."""
    works = np.zeros(soldier.size, dtype=np.int8)
    works[workers] = 1
    # others and workers below 65, then older people
    shares: list[list[float]] = [[38, 13, 3, 33, 0.2, 12.8], [70, 11, 0.3, 8, 0.2, 10.5], [8, 9, 76, 5, 1, 1]]
    insurance = pick_within(rng, shares, np.where(people.age >= 65, 2, works))
    family = np.zeros(int(people.household[-1]) + 1, dtype=np.bool_)
    family[people.household[soldier]] = True
    chance = np.where(soldier, 0.92, np.where(family[people.household], 0.75, np.where(service == 2, 0.22, 0.0)))
    insurance[happens(rng, chance, soldier.size)] = MILITARY_PLAN
    return insurance


def _incomes(rng: np.random.Generator, people: People, work: Employment, year: int) -> NDArray[np.int32]:
    """Return incomes of all kinds, which grow by 3 % a year; pay rises with schooling, age, hours and occupation."""
    records = people.age.size
    age = people.age.astype(np.float32)
    school = people.education.astype(np.float32)
    noise = rng.standard_normal(records, dtype=np.float32)
    # people who do not work have a pension, an allowance or nothing
    income = np.exp(8.6 + 0.022 * np.minimum(age, 75) + 0.07 * school + 0.7 * noise)
    income[happens(rng, np.where(age < 25, 0.6, np.where(age < 62, 0.3, 0.04)), records)] = 0.0
    workers = work.workers
    experience = np.clip((age[workers] - 18.0) / 30.0, 0.0, 1.0)
    rate = np.exp(2.35 + 0.11 * school[workers] + 0.65 * experience)
    rate *= np.array([_PAY[name] for name in OCCUPATIONS])[work.occupation]
    rate *= np.where(people.sex[workers] == MALE, 1.08, 0.94)
    # soldiers are paid by rank, so their pay varies less
    spread = np.where(work.soldier, 0.16, 0.48) * noise[workers]
    paid_hours = np.where(work.soldier, 45.0, work.hours)
    income[workers] = rate * paid_hours * work.weeks * np.exp(spread)
    grown = income * compounded(0.03, year)
    step = np.where(grown < 10_000.0, 10.0, 100.0)
    rounded: NDArray[np.int32] = (np.round(grown / step) * step).astype(np.int32)
    return rounded


def _shares_of_disabled() -> NDArray[np.float64]:
    ages = np.arange(100)
    return np.where(ages < 18, 0.04, 0.04 + 0.4 * (ages / 97.0) ** 3)


def weights_of(rng: np.random.Generator, people: People) -> NDArray[np.int16]:
    """Return survey weights: the young respond less often, and areas are sampled at different rates."""
    usual = np.where((people.age >= 18) & (people.age < 35), 25.0, 20.0) * (0.8 + 0.04 * (people.area % 10))
    drawn = usual * rng.gamma(12.0, 1.0 / 12.0, people.age.size)
    weights: NDArray[np.int16] = np.maximum(np.round(drawn), 1).astype(np.int16)
    return weights
