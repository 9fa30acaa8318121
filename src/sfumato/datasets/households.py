"""Households: who lives where and with whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.array_types import Counts, Flags
from sfumato.datasets.geography import Country, drift
from sfumato.datasets.sampling import Small, happens, pick, pick_within

SEXES = ("male", "female")
MALE = SEXES.index("male")

MARITAL_STATUSES = ("married", "separated", "divorced", "widowed", "never married")
MARRIED = MARITAL_STATUSES.index("married")

SCHOOLS = (
    "no schooling",
    "primary",
    "some high school",
    "high school",
    "some college",
    "associate",
    "bachelor",
    "master",
    "doctorate",
)
HIGH_SCHOOL, BACHELOR = SCHOOLS.index("high school"), SCHOOLS.index("bachelor")

CITIZENSHIPS = ("by birth", "naturalized", "not a citizen")
BY_BIRTH, NOT_CITIZEN = CITIZENSHIPS.index("by birth"), CITIZENSHIPS.index("not a citizen")

_EARLIEST_AGES = np.array([0, 6, 14, 17, 18, 20, 21, 23, 26])
"""The earliest age of each level of schooling."""


@dataclass(frozen=True)
class People:
    """All people, one element per person; members of a household are adjacent."""

    household: Counts
    area: Small
    """The area of residence."""
    age: NDArray[np.int16]
    sex: Small
    marital_status: Small
    education: Small
    student: Flags
    citizenship: Small


def people_of(rng: np.random.Generator, country: Country, *, year: int, records: int) -> People:
    """Generate people in households."""
    sizes = 1 + pick(rng, [30, 36, 15, 12, 7], records)
    starts = np.cumsum(sizes, dtype=np.int64)
    n_households = int(np.searchsorted(starts, records)) + 1
    sizes, starts = sizes[:n_households], np.concatenate([[0], starts[: n_households - 1]])
    household = np.repeat(np.arange(n_households), sizes)[:records]
    member = (np.arange(records) - starts[household]).astype(np.int8)
    home = np.searchsorted(np.cumsum(country.residents), rng.random(n_households) * (1.0 - 1e-12)).astype(np.int8)
    area = home[household]
    heads = _ages_of_heads(rng, sizes, np.isin(home, country.colleges), year)
    paired = (sizes >= 2) & happens(rng, np.where(heads < 25, 0.3, 0.72), n_households)
    partner = (member == 1) & paired[household]
    age = _ages(rng, heads[household], member, partner)
    sex = pick(rng, [49, 51], records)
    sex[1:][partner[1:]] = 1 - sex[:-1][partner[1:]]
    couple = (member <= 1) & paired[household]
    student = happens(rng, _shares_of_students()[np.minimum(age, 40)], records)
    return People(
        household=household,
        area=area,
        age=age,
        sex=sex,
        marital_status=_marital_statuses(rng, age, couple),
        education=_schooling(rng, age, student),
        student=student,
        citizenship=_citizenships(rng, household, n_households),
    )


def _ages_of_heads(rng: np.random.Generator, sizes: Small, college: Flags, year: int) -> NDArray[np.int16]:
    n_households = sizes.size
    ages = 19.0 + 76.0 * rng.beta(1.6, 1.75, n_households) + 0.08 * drift(year)
    # families with children are middle-aged
    ages = np.where(sizes >= 3, 22.0 + 0.52 * (ages - 19.0), ages)
    young = (sizes == 1) & happens(rng, np.where(college, 0.6, 0.06), n_households)
    ages[young] = rng.integers(18, 25, int(young.sum()))
    return np.clip(ages, 18, 97).astype(np.int16)


def _ages(rng: np.random.Generator, heads: NDArray[np.int16], member: Small, partner: Flags) -> NDArray[np.int16]:
    """Return ages: partners are about as old as heads; all others are their children, few of them grown up."""
    apart = rng.normal(0.0, 4.0, heads.size)
    youngest, oldest = np.maximum(heads - 42, 0), np.clip(heads - 19, 0, 60)
    grown = happens(rng, 0.25, heads.size)
    child = youngest + (np.where(grown, oldest, np.minimum(oldest, 22)) - youngest) * rng.random(heads.size)
    ages = np.where(member == 0, heads, np.where(partner, np.maximum(heads + apart, 18), np.maximum(child, 0)))
    return np.clip(ages, 0, 97).astype(np.int16)


def _marital_statuses(rng: np.random.Generator, age: NDArray[np.int16], couple: Flags) -> Small:
    by_age = [[0, 0, 0, 0, 1], [1, 1, 2, 0, 96], [3, 4, 13, 1, 79], [4, 6, 36, 6, 48], [4, 3, 36, 42, 15]]
    status = pick_within(rng, by_age, np.searchsorted([18, 25, 40, 65], age, side="right"))
    married = couple & happens(rng, np.where(age < 25, 0.4, 0.84), age.size)
    status[married] = MARRIED
    return status


def _schooling(rng: np.random.Generator, age: NDArray[np.int16], student: Flags) -> Small:
    by_age = [[1, 3, 7, 29, 20, 9, 20, 9, 2], [3, 8, 9, 31, 17, 7, 15, 8, 2]]
    school = pick_within(rng, by_age, (age >= 60).astype(np.int8))
    possible = np.searchsorted(_EARLIEST_AGES, np.arange(100), side="right") - 1
    school = np.minimum(school, possible[age]).astype(np.int8)
    # college students have finished high school
    school[student & (age >= 18)] = np.maximum(school[student & (age >= 18)], HIGH_SCHOOL)
    return school


def _citizenships(rng: np.random.Generator, household: Counts, n_households: int) -> Small:
    foreign = happens(rng, 0.16, n_households)[household] & happens(rng, 0.75, household.size)
    return np.where(foreign, 1 + pick(rng, [52, 48], household.size), BY_BIRTH).astype(np.int8)


def _shares_of_students() -> NDArray[np.float32]:
    """Return by age, up to 40, the share of people at school or college."""
    shares = np.full(41, 0.03, dtype=np.float32)
    shares[:3], shares[3:6], shares[6:18] = 0.0, 0.6, 0.98
    shares[18:25] = [0.7, 0.55, 0.48, 0.42, 0.3, 0.2, 0.15]
    return shares
