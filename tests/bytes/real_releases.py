"""Releases of real files by every method: which file, how many of its records, and the recipe."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

ADULT, HAWAII, NATIONAL = (
    "adult/adult_train.csv.gz",
    "pums_hi/pums_person_hi_2018.parquet",
    "nist_acs_excerpts/national2019.csv.gz",
)
NHANES, TESTDATA, FARS = (
    "nhanes/nhanes_raw_2009_2012.csv.gz",
    "sdcmicro/testdata.csv.gz",
    "fars/fars_1998_2010.parquet",
)
TARRAGONA, CENSUS, ARX = "sdcmicro/Tarragona.csv", "sdcmicro/CASCrefmicrodata.csv", "arx_adult/adult.csv.gz"
TREES = ("education", "native-country", "occupation")
SERVICE = """
[[protect]]
method = "group"
vital = { MIL = [1] }
parameter = "PUMA"
influential = ["AGEP", "SEX"]
"""
QUARTERS = """
[[protect]]
method = "group"
vital = { HOUSING_TYPE = [3] }
parameter = "PUMA"
influential = ["AGEP", "SEX"]
"""


@dataclass(frozen=True)
class ReleaseCase:
    """A release of the first records of a real file, and what is estimated from it."""

    file: str
    """Where the file stands in the data folder."""
    columns: tuple[str, ...]
    """Which of its columns are protected."""
    records: int
    """How many of its first records."""
    recipe: str
    """All of the recipe but for the path."""
    estimates: tuple[str, ...] = ()
    """Statistics, and the weight behind a bar: ``mean(age) | weight``."""
    format: Literal["parquet", "csv"] = "parquet"
    """How the release is written."""
    trees: tuple[str, ...] = ()
    """Hierarchies of the same folder that the recipe names."""

    @property
    def files(self) -> tuple[str, ...]:
        """All files of the data folder that it needs."""
        return (self.file, *(f"arx_adult/adult_hierarchy_{name}.csv" for name in self.trees))

    def prepare(self, data: Path, folder: Path) -> Path:
        """Write the records and the recipe into a folder, and return the recipe's path."""
        path = folder / ("people.parquet" if self.file.endswith("parquet") else "people.csv")
        people = read_table(data / self.file).select(self.columns).head(self.records)
        if path.suffix == ".parquet":
            people.write_parquet(path)
        else:
            people.write_csv(path)
        for name in self.trees:
            (folder / f"{name}.csv").write_bytes((data / f"arx_adult/adult_hierarchy_{name}.csv").read_bytes())
        recipe = folder / "recipe.toml"
        recipe.write_text(f'seed = 1\n[microfile]\npath = "{path.name}"\n{self.recipe}')
        return recipe


def read_table(path: Path) -> pl.DataFrame:
    """Read a file of the data folder without sfumato."""
    if path.suffix == ".parquet":
        return pl.read_parquet(path)
    separator = ";" if path.parent.name == "arx_adult" else ","
    return pl.read_csv(path, infer_schema_length=None, separator=separator)


RELEASES = {
    "snapped boxes, Adult": ReleaseCase(
        ADULT,
        ("age", "hours-per-week", "education-num", "occupation"),
        4000,
        """missing = "?"
[[protect]]
method = "boxes"
quasi = ["age", "hours-per-week", "education-num"]
k = 8
preserve = ["mean(age)", "corr(age, `hours-per-week`)", "regress(`hours-per-week` ~ age + `education-num`)"]
dismiss = "fuzzy"
""",
        (
            "mean(age)",
            "std(`hours-per-week`)",
            "cov(age, `education-num`)",
            "corr(age, `hours-per-week`)",
            "regress(`hours-per-week` ~ age + `education-num`)",
        ),
        "csv",
    ),
    "boxes of categories with l, Adult": ReleaseCase(
        ADULT,
        ("age", "sex", "race", "marital-status", "workclass", "occupation"),
        3000,
        """missing = "?"
[[protect]]
method = "boxes"
quasi = ["sex", "race", "marital-status", "workclass", "age"]
sensitive = ["occupation"]
k = 5
l = 2.5
diversity = "entropy"
suppress = 0.02
""",
        ("mean(age)", "var(age)"),
    ),
    "boxes with hierarchies, l and t, Adult of ARX": ReleaseCase(
        ARX,
        ("sex", "age", "education", "native-country", "occupation", "salary-class"),
        4000,
        """[[protect]]
method = "boxes"
quasi = ["age", "education", "native-country", "sex"]
sensitive = ["occupation", "salary-class"]
hierarchies = { education = "education.csv", native-country = "native-country.csv", occupation = "occupation.csv" }
k = 5
l = 2
t = 0.4
""",
        ("mean(age)",),
        trees=TREES,
    ),
    "boxes with households kept, PUMS Hawaii": ReleaseCase(
        HAWAII,
        ("SERIALNO", "AGEP", "WKHP", "PUMA", "PWGTP"),
        3000,
        """kinds = { PUMA = "categorical" }
weight = "PWGTP"
[[protect]]
method = "boxes"
quasi = ["AGEP", "WKHP", "PUMA"]
household = "SERIALNO"
keep_household = true
k = 4
""",
        ("mean(AGEP) | PWGTP", "corr(AGEP, WKHP)"),
    ),
    "tight boxes with weights, testdata": ReleaseCase(
        TESTDATA,
        ("urbrur", "sex", "age", "expend", "sampling_weight"),
        4000,
        """kinds = { sex = "categorical", urbrur = "categorical" }
weight = "sampling_weight"
[[protect]]
method = "boxes"
quasi = ["age", "expend", "sex", "urbrur"]
edges = "tight"
k = 6
""",
        ("var(expend) | sampling_weight", "corr(age, expend) | sampling_weight", "mean(expend)"),
        "csv",
    ),
    "tiling boxes with missing values, NHANES": ReleaseCase(
        NHANES,
        ("Age", "Poverty", "BMI", "Diabetes"),
        4000,
        """[[protect]]
method = "boxes"
quasi = ["Age", "Poverty", "BMI"]
sensitive = ["Diabetes"]
edges = "tiling"
k = 10
""",
        ("mean(BMI)", "regress(BMI ~ Age)"),
    ),
    "refined boxes with preferred cuts, Tarragona": ReleaseCase(
        TARRAGONA,
        ("SALES", "LABOR.COSTS", "FIXED.ASSETS"),
        834,
        """[[protect]]
method = "boxes"
quasi = ["SALES", "LABOR.COSTS", "FIXED.ASSETS"]
k = 5
suppress = 0.05
refine = true
seconds = 0.2
prefer = { SALES = [100000, 1000000] }
""",
        ("corr(SALES, `LABOR.COSTS`)",),
    ),
    "fuzzy c-means with weights, NHANES": ReleaseCase(
        NHANES,
        ("Age", "Poverty", "BMI", "Gender", "WTINT2YR"),
        3000,
        """weight = "WTINT2YR"
[[protect]]
method = "fuzzy-c-means"
quasi = ["Age", "Poverty", "BMI", "Gender"]
sets = 4
fuzzifier = 1.7
k = 5
q = 20
suppress = 0.3
""",
    ),
    "Gustafson-Kessel by grades, Census": ReleaseCase(
        CENSUS,
        ("AGI", "FEDTAX", "INTVAL"),
        1080,
        """[[protect]]
method = "gustafson-kessel"
quasi = ["AGI", "FEDTAX", "INTVAL"]
sets = 3
k = 4
suppress = 0.3
shown = "grades"
""",
    ),
    "k-means with t, FARS": ReleaseCase(
        FARS,
        ("age", "modelyr", "injury"),
        5000,
        """[[protect]]
method = "k-means"
quasi = ["age", "modelyr"]
sensitive = ["injury"]
sets = 6
k = 5
t = 0.6
suppress = 0.1
""",
        format="csv",
    ),
    "sets of each attribute with households, testdata": ReleaseCase(
        TESTDATA,
        ("age", "expend", "sex", "ori_hid"),
        4000,
        """kinds = { sex = "categorical" }
[[protect]]
method = "sets"
quasi = ["age", "expend", "sex"]
sets = { age = 4, expend = 3 }
household = "ori_hid"
k = 5
suppress = 0.1
""",
    ),
    "least mask by exact swaps, PUMS Hawaii": ReleaseCase(
        HAWAII,
        ("PUMA", "MIL", "AGEP", "SEX", "WKHP"),
        14400,
        f'{SERVICE}hide = "outliers"\n',
        ("mean(AGEP)",),
    ),
    "wavelet mask of shares, national2019": ReleaseCase(
        NATIONAL,
        ("PUMA", "HOUSING_TYPE", "AGEP", "SEX", "DENSITY"),
        27253,
        f'{QUARTERS}hide = "outliers"\nreshape = "wavelet"\nsignal = "concentration"\n',
    ),
    "moments mask by greedy swaps, national2019": ReleaseCase(
        NATIONAL,
        ("PUMA", "HOUSING_TYPE", "AGEP", "SEX"),
        27253,
        f'{QUARTERS}hide = "outliers"\nreshape = "moments"\nswap = "greedy"\n',
        format="csv",
    ),
    "decoy mask by exact swaps, national2019": ReleaseCase(
        NATIONAL,
        ("PUMA", "HOUSING_TYPE", "AGEP", "SEX"),
        27253,
        f'{QUARTERS}hide = ["08-00803"]\nreshape = "decoy"\n',
    ),
    "least mask by memetic search, PUMS Hawaii": ReleaseCase(
        HAWAII,
        ("PUMA", "MIL", "AGEP", "SEX"),
        14400,
        f'{SERVICE}hide = ["308"]\nswap = "memetic"\nmemetic = {{ population = 30, generations = 60, centre = 60 }}\n',
    ),
    "mask, then boxes, PUMS Hawaii": ReleaseCase(
        HAWAII,
        ("PUMA", "MIL", "AGEP", "SEX", "WKHP"),
        14400,
        f"""{SERVICE}hide = "outliers"
[[protect]]
method = "boxes"
quasi = ["AGEP", "WKHP"]
k = 10
preserve = ["mean(AGEP)", "corr(AGEP, WKHP)"]
""",
        ("mean(AGEP)", "corr(AGEP, WKHP)"),
    ),
}
"""Every kind of protection, by name."""
