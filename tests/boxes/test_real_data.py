"""On real microdata the truth lies in every guaranteed range, and every promise is kept."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import sfumato as sf
from sfumato.microfile.hierarchy import Hierarchy
from sfumato.statistics import Regression

FILES = {
    "arx_adult/adult.csv.gz": ["age", "education", "sex", "workclass"],
    "adult/adult_train.csv.gz": ["age", "hours-per-week", "capital-gain", "race"],
    "california_housing/california_housing.parquet": ["MedInc", "HouseAge", "Latitude", "Longitude"],
    "sdcmicro/CASCrefmicrodata.csv": ["AGI", "FEDTAX", "PTOTVAL"],
    "sdcmicro/Tarragona.csv": ["FIXED.ASSETS", "SALES", "NET.PROFIT"],
    "cps_tax_units/cps_tax_units.parquet": ["age_head", "e00200", "e00300", "XTOT"],
    "nhanes/nhanes_raw_2009_2012.csv.gz": ["Age", "Poverty", "BMI", "Gender", "Education"],
    "census2000_ca_10k/PUMS5extract10000.csv.gz": ["age", "educ", "income"],
    "german_credit/german_credit.csv": ["duration_months", "credit_amount", "age", "purpose"],
    "pums_hi/pums_person_hi_2018.parquet": ["AGEP", "WKHP", "PINCP", "SEX"],
}
KINDS = {"pums_hi/pums_person_hi_2018.parquet": {"SEX": "categorical"}}
WEIGHTS = {"pums_hi/pums_person_hi_2018.parquet": "PWGTP", "cps_tax_units/cps_tax_units.parquet": "s006"}
RECORDS = 3000


def statistics(names):
    one, *others = (f"`{name}`" for name in names)
    yield from (f"{kind}({name})" for kind in ("mean", "var", "std") for name in (one, *others))
    yield from (f"{kind}({a}, {b})" for kind in ("cov", "corr") for a, b in itertools.combinations((one, *others), 2))
    if others:
        yield f"regress({one} ~ {' + '.join(others)})"


def truth(text, columns, weights):
    """The statistic by numpy alone; a regression's coefficients, the intercept first."""
    kind = text.partition("(")[0]
    if kind == "regress":
        design = np.column_stack([np.ones(weights.size), *columns[1:]]) * np.sqrt(weights)[:, None]
        return np.linalg.lstsq(design, columns[0] * np.sqrt(weights), rcond=None)[0].tolist()
    if kind == "mean":
        return [np.average(columns[0], weights=weights)]
    table = np.atleast_2d(np.cov(np.stack(columns), aweights=weights, ddof=0))
    if kind == "corr":
        return [table[0, 1] / np.sqrt(table[0, 0] * table[1, 1])]
    return [np.sqrt(table[0, 0]) if kind == "std" else table[0, -1]]


def read(file, real_data):
    people = sf.read(real_data(file))
    people = people.filter(np.random.default_rng(0).permutation(people.records) < RECORDS)
    if file not in KINDS:
        return people
    frame = people.frame
    return sf.Microfile(frame, kinds=KINDS[file])


def check_ranges(people, release, numeric, weight):
    """Compare every range with the truth about the records whose values are released."""
    places = release.microfile.numbers("place").astype(int) if "place" in release.microfile.names else slice(None)
    for text in statistics(numeric):
        names = [name for name in numeric if f"`{name}`" in text]
        complete = ~np.any([np.isnan(release.microfile.numbers(f"{name}.lo")) for name in names], axis=0)
        columns = [people.numbers(name)[places][complete] for name in names]
        weights = people.numbers(weight)[places][complete] if weight else np.ones(int(complete.sum()))
        found = release.estimate(text, weight=weight)
        estimates = list(found.values()) if isinstance(found, Regression) else [found]
        for one, true in zip(estimates, truth(text, columns, weights), strict=True):
            slack = 1e-9 * max(1.0, abs(true))
            assert one.lower - slack <= true <= one.upper + slack, text
            assert one.records == int(complete.sum())
            assert one.guaranteed or text.startswith("regress")


@pytest.mark.parametrize(
    ("file", "k", "edges"),
    [
        (file, (2, 5, 10, 50)[number % 4], ("snapped", "tight", "tiling")[number % 3])
        for number, file in enumerate(FILES)
    ],
)
def test_the_truth_lies_in_every_range(file, k, edges, real_data):
    people, quasi, weight = read(file, real_data), FILES[file], WEIGHTS.get(file)
    release = sf.Boxes(quasi=quasi, k=k, edges=edges, weight=weight).protect(people)
    audit = release.audit()
    assert audit.holds, audit.findings
    assert audit.k >= k
    numeric = [name for name in quasi if f"{name}.lo" in release.microfile.names]
    check_ranges(people, release, numeric, weight)


def test_hierarchies_diversity_and_closeness_on_adult(real_data, tmp_path):
    people = read("arx_adult/adult.csv.gz", real_data)
    trees = {
        name: Hierarchy.from_csv(real_data(f"arx_adult/adult_hierarchy_{name}.csv"))
        for name in ("education", "native-country", "occupation")
    }
    release = sf.Boxes(
        quasi=["age", "education", "native-country", "sex"],
        sensitive=["occupation", "salary-class"],
        hierarchies=trees,
        k=5,
        l=2,
        t=0.4,
    ).protect(people)
    release.write(tmp_path / "out")
    audit = sf.open_release(tmp_path / "out").audit()
    assert audit.holds, audit.findings
    assert audit.k >= 5
    assert audit.l >= 2
    assert audit.t <= 0.4


def test_a_refined_release_of_records_left_out(real_data):
    people = read("sdcmicro/CASCrefmicrodata.csv", real_data)
    people = people.with_columns({"place": np.arange(people.records)})
    quasi = FILES["sdcmicro/CASCrefmicrodata.csv"]
    release = sf.Boxes(quasi=quasi, k=5, suppress=0.05, refine=True, seconds=0.2).protect(people)
    assert 0 < release.private["left_out"] <= 0.05 * people.records
    assert release.audit().holds
    check_ranges(people, release, quasi, None)


def test_real_households_tell_nothing_more_together(real_data):
    people = sf.read(real_data("pums_hi/pums_person_hi_2018.parquet"), kinds={"PUMA": "categorical"})
    people = people.take(np.arange(RECORDS))
    roles = {"quasi": ["AGEP", "WKHP", "PUMA"], "household": "SERIALNO", "k": 5}
    plain, kept = (sf.Boxes(**roles, keep_household=keep).protect(people) for keep in (False, True))
    assert "PUMA" in kept.promise.shared
    audit = kept.audit()
    assert audit.holds
    assert audit.measured["together"]["laid"] | {"shared": []} == {
        "shared": [],
        "sharpened": 0,
        "contradicted": 0,
        "k": audit.k,
        "households": audit.measured["households"],
    }
    # the same boxes beside household numbers, as they were cut for everybody alone
    beside = plain.microfile.with_columns({"SERIALNO": people.series("SERIALNO")})
    promise = kept.promise.model_copy(update={"shared": ("PUMA",)})
    broken = sf.Release(beside, promise=promise, forms=plain.codebook.forms()).audit()
    assert broken.k >= 5
    assert broken.measured["together"]["laid"]["k"] < 5
    assert not broken.holds
