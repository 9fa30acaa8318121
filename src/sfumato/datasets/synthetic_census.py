"""A synthetic census of people with homes, work and habits, in which soldiers stand out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.array_types import Flags
from sfumato.datasets import households, person_background
from sfumato.datasets.employment import AT_HOME, TRANSPORTS, Employment, employment_of
from sfumato.datasets.geography import AREAS, AREAS_IN_STATE, OCCUPATIONS, STATES, country_of
from sfumato.datasets.households import People, people_of
from sfumato.datasets.person_background import Circumstances, circumstances_of, weights_of
from sfumato.datasets.sampling import check_whole, happens
from sfumato.microfile import Microfile

TITLES = {
    "person": "Who it is",
    "household": "Number of the household",
    "state": "State of residence",
    "residence": "Area of residence",
    "workplace": "Area of the place of work",
    "hours": "Usual hours of work a week",
    "weeks": "Weeks worked last year",
    "departure": "Time of departure for work (HHMM)",
    "travel_minutes": "Minutes of travel to work",
    "transport": "Means of transport to work",
    "income": "Income of the last year from all sources",
    "service": "Military service",
    "moved": "Whether the person moved in the last year",
    "insurance": "Health insurance",
    "weight": "For how many people the record stands",
}

_UNANSWERED = {"education": 0.01, "hours": 0.02, "weeks": 0.02, "departure": 0.04, "travel_minutes": 0.03}
_UNANSWERED |= {"income": 0.04, "moved": 0.01, "insurance": 0.02}
"""The share of missing answers, in addition to questions that do not apply."""


def census(records: int = 50_000, *, seed: int = 1, year: int = 2020) -> Microfile:
    """Generate a census of a fictional country, modelled on the American Community Survey.

    Everything in it is drawn at random; nobody in it exists, and its figures are plausible but estimate nothing. It
    shows, and tests, what can be learned about a group: people on active duty (``service`` 1, most of them
    ``occupation`` "military") are mostly young and male, work long hours, leave early, live near their work or walk,
    and have often moved, so that rules learned from one year find them in another whose ``service`` and ``occupation``
    were removed. A few places of work, :func:`bases`, have 12 to 20 times the share of other places. In college towns,
    :func:`colleges`, other young people walk to work too. The plan "military" of ``insurance`` reveals nearly as much
    as ``service``; it also covers soldiers' families and some veterans.

    For one seed, all years have the same places and bases, but different people. From year to year, incomes grow by
    3 %, travel takes longer, more people work at home, people get older, there are fewer soldiers, and the shares of
    places vary; more than 30 years from 2020 nothing drifts any further.

    Parameters
    ----------
    records
        The number of people; members of a household are adjacent.
    seed
        Selects the country and its people.
    year
        The year of the census.

    Returns
    -------
    A microfile on a polars frame. Answers to questions that do not apply, such as ``workplace`` of those who do not
    work, and a few others are missing. ``weight`` is a survey weight.

    Examples
    --------
    >>> people = census(1000)
    >>> people
    Microfile of 1,000 records: person (categorical), household (numeric), state (categorical), residence \
(categorical), age (numeric), sex (categorical), marital_status (categorical), education (ordinal) and 16 more
    """
    for name, value, least in (("records", records, 1), ("seed", seed, 0), ("year", year, 1)):
        check_whole(name, value, least)
    rng = np.random.default_rng([seed, year, 1])
    country = country_of(seed, year)
    people = people_of(rng, country, year=year, records=records)
    work = employment_of(rng, country, people, year=year)
    rest = circumstances_of(rng, people, work, year=year)
    columns = [*_who(rng, people, year), *_work(work, records), *_rest(people, rest)]
    columns.append(pl.Series("weight", weights_of(rng, people)))
    frame = pl.DataFrame([_with_gaps(rng, column) for column in columns])
    return Microfile(frame, labels={"service": person_background.SERVICES}, titles=TITLES)


def _who(rng: np.random.Generator, people: People, year: int) -> list[pl.Series]:
    numbers = pl.Series("person", rng.permutation(people.age.size).astype(np.int32))
    state = people.area // AREAS_IN_STATE
    return [
        (f"P{year}-" + numbers.cast(pl.String).str.zfill(8)).alias("person"),
        pl.Series("household", people.household.astype(np.int32) + 1),
        _named("state", state, STATES),
        _named("residence", people.area, AREAS),
        pl.Series("age", people.age),
        _named("sex", people.sex, households.SEXES),
        _named("marital_status", people.marital_status, households.MARITAL_STATUSES),
        _named("education", people.education, households.SCHOOLS, ordered=True),
        _named("student", people.student.view(np.int8), ("no", "yes")),
        _named("citizenship", people.citizenship, households.CITIZENSHIPS),
    ]


def _work(work: Employment, records: int) -> list[pl.Series]:
    def of_all(values: NDArray[Any]) -> NDArray[Any]:
        every = np.zeros(records, dtype=values.dtype)
        every[work.workers] = values
        return every

    works = np.zeros(records, dtype=np.bool_)
    works[work.workers] = True
    travels = of_all(work.transport != AT_HOME) & works
    clock = work.departure // 60 * 100 + work.departure % 60
    return [
        _named("workplace", of_all(work.workplace), AREAS, eligible=works),
        _named("occupation", of_all(work.occupation), OCCUPATIONS, eligible=works),
        _of_eligible("hours", of_all(work.hours), works),
        _of_eligible("weeks", of_all(work.weeks), works),
        _named("transport", of_all(work.transport), TRANSPORTS, eligible=works),
        _of_eligible("departure", of_all(clock), travels),
        _of_eligible("travel_minutes", of_all(work.travel), travels),
    ]


def _rest(people: People, rest: Circumstances) -> list[pl.Series]:
    return [
        _of_eligible("income", rest.income, people.age >= person_background.EARNS),
        _of_eligible("service", rest.service, people.age >= person_background.ADULT),
        _named("birthplace", rest.birthplace, person_background.BIRTHPLACES),
        _named("moved", rest.moved, person_background.MOVES, eligible=people.age >= 1),
        _named("insurance", rest.insurance, person_background.INSURANCES),
        _named("disability", rest.disability.view(np.int8), ("no", "yes")),
    ]


def _named(
    name: str, codes: NDArray[np.int8], names: Sequence[str], *, eligible: Flags | None = None, ordered: bool = False
) -> pl.Series:
    """Return a column of names; a microfile reads an enum as ordinal."""
    listed = pl.Series(name, names, dtype=pl.Enum(names) if ordered else pl.Categorical).gather(codes.astype(np.uint32))
    return listed if eligible is None else _blank(listed, eligible)


def _of_eligible(name: str, numbers: NDArray[Any], eligible: Flags) -> pl.Series:
    return _blank(pl.Series(name, numbers), eligible)


def _with_gaps(rng: np.random.Generator, column: pl.Series) -> pl.Series:
    """Remove some answers."""
    share = _UNANSWERED.get(column.name)
    return column if share is None else _blank(column, ~happens(rng, share, len(column)))


def _blank(column: pl.Series, retained: Flags) -> pl.Series:
    """Return a column with only the retained values."""
    return pl.select(pl.when(pl.Series(retained)).then(column).alias(column.name)).to_series()
