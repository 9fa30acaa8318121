"""On real microdata the truth lies in the range, with survey weights and missing values too."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.statistics import Regression, range_of

FILES = {
    "adult/adult_train.csv.gz": {"age": 10, "hours-per-week": 8, "capital-gain": 5000},
    "pums_hi/pums_person_hi_2018.parquet": {"AGEP": 5, "WKHP": 10, "PINCP": 20_000},
    "sdcmicro/Tarragona.csv": {"FIXED.ASSETS": 50_000, "SALES": 100_000, "LABOR.COSTS": 20_000},
}
WEIGHTS = {"pums_hi/pums_person_hi_2018.parquet": "PWGTP"}


def flat(found):
    return list(found.values()) if isinstance(found, Regression) else [found]


@pytest.mark.parametrize("file", list(FILES))
def test_the_truth_lies_in_the_range(file, real_data, tmp_path):
    people = sf.read(real_data(file))
    steps, weight = FILES[file], WEIGHTS.get(file)
    columns = {"group": pl.Series(np.zeros(people.records, dtype=int).astype(str))}
    for name, step in steps.items():
        low = np.floor(people.numbers(name) / step) * step
        columns |= {
            f"{name}.lo": pl.Series(low).fill_nan(None),
            f"{name}.hi": pl.Series(low + step).fill_nan(None),
        }
    if weight:
        columns[weight] = people.series(weight)
    release = sf.Release(
        pl.DataFrame(columns),
        promise=sf.Promise(quasi="group", k=2),
        forms={name: sf.Interval() for name in steps},
    )
    release.write(tmp_path / "out")
    opened = sf.open_release(tmp_path / "out")
    a, b, c = steps
    for text in (
        f"mean({a})",
        f"var({b})",
        f"std({c})",
        f"cov({a}, {c})",
        f"corr({a}, {b})",
        f"corr({b}, {c})",
        f"regress({c} ~ {a})",
        f"regress({c} ~ {a} + {b})",
    ):
        names = [name for name in steps if name in text]
        truth = {name: people.numbers(name) for name in names}
        known = ~np.isnan(np.sum(list(truth.values()), axis=0))
        exact = {name: values[known] for name, values in truth.items()}
        weights = people.numbers(weight)[known] if weight else None
        found, true = opened.estimate(text, weight=weight), range_of(text, exact, exact, weights)
        for one, other in zip(flat(found), flat(true), strict=True):
            assert one.records == int(known.sum())
            assert one.lower <= other.value <= one.upper, text
            assert one.guaranteed or text.startswith("regress")
