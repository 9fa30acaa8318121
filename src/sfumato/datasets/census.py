"""A generated census of people with homes, work and habits, among whom soldiers stand out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.arrays import Flags
from sfumato.datasets import circumstances as known
from sfumato.datasets import households
from sfumato.datasets.circumstances import Circumstances, circumstances_of, weights_of
from sfumato.datasets.country import AREAS, AREAS_IN_STATE, OCCUPATIONS, STATES, country_of
from sfumato.datasets.drawing import check_whole, happens
from sfumato.datasets.households import People, people_of
from sfumato.datasets.work import AT_HOME, TRANSPORTS, Work, work_of
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
"""The share of answers that are missing, beside those to questions that were not put."""


def census(records: int = 50_000, *, seed: int = 1, year: int = 2020) -> Microfile:
    """Make a census of a made-up country, in the manner of the American Community Survey.

    Everything in it is drawn at random by rules of our own; nobody in it lives, and its figures are plausible, not
    estimates of anything. It is there to show and to test what happens to a group: people on active duty
    (``service`` 1, most of them ``occupation`` "military") are young, male, long at work, early on their way, near it
    or on foot, and have often moved, so that rules learnt from one year find them in another whose ``service`` and
    ``occupation`` were removed. A few places of work, :func:`bases`, have 12 to 20 times their share elsewhere. In
    college towns, :func:`colleges`, other young people walk to work too. The plan "military" of ``insurance`` tells
    nearly as much as ``service``; it also has soldiers' families and some veterans.

    Of one seed all years have the same places, with the same bases, and different people. From year to year incomes
    grow by 3 %, travel takes longer, more people work at home, people grow older, soldiers get fewer, and all shares
    of places vary; beyond 30 years from 2020 nothing drifts any further.

    Parameters
    ----------
    records
        How many people; those of a household follow each other.
    seed
        Which country and people.
    year
        When the census is taken.

    Returns
    -------
    A microfile on a polars frame. Missing are answers to questions that do not apply, as ``workplace`` of those who do
    not work, and some others. ``weight`` is a survey weight.

    Examples
    --------
    >>> people = census(1000)
    >>> people
    Microfile of 1,000 records: person (categorical), household (numeric), state (categorical), residence \
(categorical), age (numeric), sex (categorical), marital_status (categorical), education (ordinal) and 16 more
    """
    for name, given, least in (("records", records, 1), ("seed", seed, 0), ("year", year, 1)):
        check_whole(name, given, least)
    rng = np.random.default_rng([seed, year, 1])
    country = country_of(seed, year)
    people = people_of(rng, country, year=year, records=records)
    work = work_of(rng, country, people, year=year)
    rest = circumstances_of(rng, people, work, year=year)
    columns = [*_who(rng, people, year), *_work(work, records), *_rest(people, rest)]
    columns.append(pl.Series("weight", weights_of(rng, people)))
    frame = pl.DataFrame([_with_gaps(rng, column) for column in columns])
    return Microfile(frame, labels={"service": known.SERVICES}, titles=TITLES)


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


def _work(work: Work, records: int) -> list[pl.Series]:
    def of_all(values: NDArray[Any]) -> NDArray[Any]:
        every = np.zeros(records, dtype=values.dtype)
        every[work.workers] = values
        return every

    works = np.zeros(records, dtype=np.bool_)
    works[work.workers] = True
    travels = of_all(work.transport != AT_HOME) & works
    clock = work.departure // 60 * 100 + work.departure % 60
    return [
        _named("workplace", of_all(work.workplace), AREAS, asked=works),
        _named("occupation", of_all(work.occupation), OCCUPATIONS, asked=works),
        _asked("hours", of_all(work.hours), works),
        _asked("weeks", of_all(work.weeks), works),
        _named("transport", of_all(work.transport), TRANSPORTS, asked=works),
        _asked("departure", of_all(clock), travels),
        _asked("travel_minutes", of_all(work.travel), travels),
    ]


def _rest(people: People, rest: Circumstances) -> list[pl.Series]:
    return [
        _asked("income", rest.income, people.age >= known.EARNS),
        _asked("service", rest.service, people.age >= known.ADULT),
        _named("birthplace", rest.birthplace, known.BIRTHPLACES),
        _named("moved", rest.moved, known.MOVES, asked=people.age >= 1),
        _named("insurance", rest.insurance, known.INSURANCES),
        _named("disability", rest.disability.view(np.int8), ("no", "yes")),
    ]


def _named(
    name: str, codes: NDArray[np.int8], names: Sequence[str], *, asked: Flags | None = None, ordered: bool = False
) -> pl.Series:
    """Return a column of names; to the microfile an enum is ordinal."""
    listed = pl.Series(name, names, dtype=pl.Enum(names) if ordered else pl.Categorical).gather(codes.astype(np.uint32))
    return listed if asked is None else _blank(listed, asked)


def _asked(name: str, numbers: NDArray[Any], asked: Flags) -> pl.Series:
    return _blank(pl.Series(name, numbers), asked)


def _with_gaps(rng: np.random.Generator, column: pl.Series) -> pl.Series:
    """Leave out some answers."""
    share = _UNANSWERED.get(column.name)
    return column if share is None else _blank(column, ~happens(rng, share, len(column)))


def _blank(column: pl.Series, kept: Flags) -> pl.Series:
    """Return a column of which only some values are kept."""
    return pl.select(pl.when(pl.Series(kept)).then(column).alias(column.name)).to_series()
