"""A synthetic health survey of people in households."""

from __future__ import annotations

import numpy as np
import polars as pl

from sfumato.array_types import Reals
from sfumato.datasets.sampling import check_whole
from sfumato.microfile import Microfile

_REGIONS = ("Anmoor", "Birkfeld", "Celtau", "Dornach", "Elmwald", "Fahrenholt", "Gernsee", "Halmstedt")
_SCHOOLS = ("none", "primary", "lower secondary", "upper secondary", "vocational", "bachelor", "master", "doctorate")
_ILLNESSES = ("none", "asthma", "back pain", "depression", "diabetes", "heart disease", "hypertension", "migraine")


def health_survey(records: int = 50_000, *, seed: int = 1) -> Microfile:
    """Generate a microfile of people in households, with names, weights and some missing answers.

    >>> health_survey(1000)
    Microfile of 1,000 records: name (categorical), household (numeric), region (categorical), zip \
(categorical), sex (categorical), age (numeric), education (ordinal), hours (numeric) and 3 more
    """
    check_whole("records", records, 1)
    rng = np.random.default_rng(seed)
    sizes = rng.choice([1, 2, 3, 4, 5], p=[0.35, 0.32, 0.14, 0.13, 0.06], size=records)
    household = np.repeat(np.arange(records), sizes)[:records]
    region = (rng.beta(0.9, 1.6, records) * len(_REGIONS)).astype(np.int64)[household]
    district = rng.integers(0, 40, records)[household]
    age = np.clip(rng.gamma(3.4, 13.0, records), 0, 99).astype(np.int64)
    school = np.clip(rng.normal(3.6, 1.7, records).round(), 0, 7).astype(np.int64)
    school = np.minimum(school, np.clip((age - 5) // 4, 0, 7))
    hours = _hours(rng, age)
    income = np.where(age < 16, 0, np.exp(9.2 + 0.16 * school + 0.012 * hours + rng.normal(0, 0.5, records)))
    ill = rng.random(records) < 0.1 + 0.005 * age
    illness = np.where(ill, rng.choice(np.arange(1, 8), p=_frequencies(), size=records), 0)
    silent = rng.random(records) < 0.03
    return Microfile(
        pl.DataFrame(
            {
                "name": [f"Person {number:06d}" for number in rng.permutation(records)],
                "household": household + 1,
                "region": np.array(_REGIONS)[region],
                "zip": [f"{r + 1}{d:02d}{h % 10}0" for r, d, h in zip(region, district, household, strict=True)],
                "sex": np.where(rng.random(records) < 0.51, "female", "male"),
                "age": age,
                "education": np.array(_SCHOOLS)[school],
                "hours": pl.Series(hours).set(pl.Series(silent), None),
                "income": (income / 100).astype(np.int64) * 100,
                "illness": np.array(_ILLNESSES)[illness],
                "weight": rng.gamma(20.0, 1.0, records).round(2) + 0.01,
            }
        ),
        kinds={"education": _SCHOOLS},
    )


def _hours(rng: np.random.Generator, age: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Reals:
    """Return weekly hours of work: none for children and most of the old, about 38 for the others."""
    works = (age >= 16) & (rng.random(age.size) < np.where(age < 66, 0.74, 0.08))
    usual = rng.choice([20.0, 30.0, 38.0, 40.0, 50.0], p=[0.15, 0.1, 0.35, 0.3, 0.1], size=age.size)
    return np.where(works, usual + rng.integers(-2, 3, age.size), 0.0)


def _frequencies() -> Reals:
    counts = np.array([9.0, 20.0, 12.0, 9.0, 8.0, 24.0, 12.0])
    frequencies: Reals = counts / counts.sum()
    return frequencies
