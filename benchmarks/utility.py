"""What releases of real files are worth: detail lost, widths of guaranteed ranges, and NIST's k-marginal score."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

import sfumato as sf
from benchmarks.tables import DATA
from benchmarks.timing import Row
from sfumato.measures.utility import utility_of
from sfumato.representations import Interval, Sets
from sfumato.statistics.estimate import Estimate

BINS = 20
"""Numbers are compared by twentieths of the original's records."""
SEED = 1


@dataclass(frozen=True)
class Study:
    """A real file, and how it is protected."""

    name: str
    file: str
    quasi: tuple[str, ...]
    preserve: tuple[str, ...]
    k: int = 6


STUDIES = (
    Study(
        "Adult",
        "adult/adult_train.csv.gz",
        ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"),
        ("mean(age)", "std(age)"),
    ),
    Study(
        "PUMS Hawaii",
        "pums_hi/pums_person_hi_2018.parquet",
        ("AGEP", "SEX", "RAC1P", "MAR", "SCHL", "WKHP", "PUMA"),
        ("mean(AGEP)", "corr(AGEP, WKHP)"),
    ),
    Study(
        "NHANES",
        "nhanes/nhanes_raw_2009_2012.csv.gz",
        ("Gender", "Age", "Race1", "Education", "MaritalStatus", "HHIncome"),
        ("mean(Age)", "std(Age)"),
    ),
    Study(
        "national2019",
        "nist_acs_excerpts/national2019.csv.gz",
        ("AGEP", "SEX", "MSP", "RAC1P", "OWN_RENT", "EDU", "PINCP_DECILE", "HOUSING_TYPE", "DVET", "DEYE"),
        ("mean(AGEP)", "std(AGEP)"),
    ),
)
NOMINAL = {"SEX", "RAC1P", "MAR", "PUMA", "MSP", "OWN_RENT", "HOUSING_TYPE", "DVET", "DEYE"}


def read(study: Study) -> sf.Microfile:
    path = DATA / study.file
    if path.suffix == ".parquet":
        frame = pl.read_parquet(path)
    else:
        frame = pl.read_csv(path, null_values=["NA", "?"], infer_schema_length=None)
    frame = frame.select(study.quasi)
    nominal = [name for name in frame.columns if name in NOMINAL]
    return sf.Microfile(frame.with_columns(pl.col(nominal).cast(pl.String)))


def points(release: sf.Release, rng: np.random.Generator) -> pl.DataFrame:
    """Draw one value for every cell: evenly between the ends of an interval, among the categories of a set."""
    drawn = {}
    frame = pl.DataFrame(release.table)
    for name, entry in release.codebook.attributes.items():
        if isinstance(entry.form, Interval):
            low, high = (frame[column] for column in entry.form.columns(name))
            values = low + (high - low) * pl.Series(rng.random(frame.height))
            drawn[name] = values.round() if low.dtype.is_integer() else values
        elif isinstance(entry.form, Sets):
            members = {label: np.array(its, dtype=object) for label, its in entry.form.members.items()}
            choices = rng.random(frame.height)
            cells = zip(frame[name].to_list(), choices, strict=True)
            drawn[name] = pl.Series(
                [None if label is None else members[label][int(at * members[label].size)] for label, at in cells],
                dtype=pl.String,
            )
        else:
            drawn[name] = frame[name]
    return pl.DataFrame(drawn)


def binned(frame: pl.DataFrame, original: pl.DataFrame) -> pl.DataFrame:
    """Put numbers into twentieths of the original's values; categories stay as they are."""
    columns = []
    for name in original.columns:
        values = original[name]
        if values.dtype.is_numeric():
            cuts = np.unique(np.nanquantile(values.drop_nulls().to_numpy(), np.arange(1, BINS) / BINS))
            numbers = frame[name].cast(pl.Float64).to_numpy()
            bins = np.searchsorted(cuts, numbers, side="right")
            columns.append(pl.Series(name, np.where(np.isnan(numbers), -1, bins)).cast(pl.String))
        else:
            columns.append(frame[name].cast(pl.String).fill_null("-"))
    return pl.DataFrame(columns)


def k_marginal(original: pl.DataFrame, released: pl.DataFrame, names: Sequence[str]) -> float:
    """Return 1000 times one minus the mean total variation over all pairs of attributes."""
    before, after = binned(original, original), binned(released, original)
    scores = []
    for pair in itertools.combinations(names, 2):
        shares = [frame.group_by(pair).agg(pl.len() / frame.height) for frame in (before, after)]
        both = shares[0].join(shares[1], on=pair, how="full", coalesce=True).fill_null(0.0)
        scores.append(1000 * (1 - float((both["len"] - both["len_right"]).abs().sum()) / 2))
    return float(np.mean(scores))


def run() -> Iterator[Row]:
    # with detail = 1 all attributes count alike; by default preserved statistics come first
    for study, detail in itertools.product(STUDIES, (1.0, None)):
        people = read(study)
        boxes = sf.Boxes(quasi=study.quasi, k=study.k, preserve=list(study.preserve), detail=detail, seed=SEED)
        release = boxes.protect(people)
        utility = utility_of(people, release.table, quasi=study.quasi, forms=release.codebook.forms())
        score = k_marginal(people.frame, points(release, np.random.default_rng(SEED)), study.quasi)
        widths = []
        for statistic in study.preserve:
            found = release.estimate(statistic)
            assert isinstance(found, Estimate)
            widths.append(f"{statistic} {found.upper - found.lower:.4g}")
        name = f"{study.name}, detail {'chosen' if detail is None else detail}"
        print(f"    {name}: GCP {utility.penalty:.4f}, k-marginal {score:.1f}, widths {'; '.join(widths)}")
        loss = utility.penalty
        yield Row(f"{name}, k = {study.k}: GCP", loss, "one box", 1.0, "below 1", loss < 1, unit="")
