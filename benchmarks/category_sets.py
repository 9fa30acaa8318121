"""What closing labels of several categories costs, and what it prevents, on real microdata.

``python -m benchmarks.category_sets FOLDER`` prints a table; FOLDER holds the data (default: SFUMATO_DATA). Labels are
made exactly of what occurs, closed as releases are, closed more strictly, and exact with a larger k. NCP is the mean
penalty of the quasi attributes; a claim is "exactly one person of this block has this category", for the category of a
label that is rarest, second or third rarest in the file, whichever is true most often.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import numpy as np

import sfumato as sf
from sfumato.boxes import category_label_groups, regroup_refinement
from sfumato.measures.blocks import blocks_of
from sfumato.measures.utility import utility_of
from sfumato.representations import Sets

HAWAII = ["AGEP", "SEX", "RAC1P", "MAR", "SCHL", "COW", "PUMA", "WKHP"]
FILES = {
    "adult/adult_train.csv.gz": (
        ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"],
        {"missing": "?"},
    ),
    "pums_hi/pums_person_hi_2018.parquet": (HAWAII, {"kinds": dict.fromkeys(HAWAII[1:7], "categorical")}),
    "nhanes/nhanes_raw_2009_2012.csv.gz": (
        ["Age", "Gender", "Race1", "Education", "MaritalStatus", "HHIncome", "Work", "BMI"],
        {},
    ),
}
WAYS = (
    ("exact, k = 5", 5, None),
    ("closed, k = 5", 5, (2, 2)),
    ("closed below 3 records, k = 5", 5, (3, 2)),
    ("closed below k records, k = 5", 5, (5, 2)),
    ("closed over three or more, k = 5", 5, (2, 3)),
    ("exact, k = 6", 6, None),
    ("exact, k = 7", 7, None),
)


@contextmanager
def labels(closing: tuple[int, int] | None) -> Iterator[None]:
    """Make labels exact, or close them by (records of a category named by itself, categories of a group)."""
    if closing is None:
        with (
            patch.object(category_label_groups.Present, "few", lambda self, k: np.zeros(self.box.size, dtype=np.bool_)),
            patch.object(
                regroup_refinement, "set_groups", lambda present, k: np.arange(present.counts.size, dtype=np.int32)
            ),
        ):
            yield
    else:
        with (
            patch.object(category_label_groups, "SEVERAL", closing[0]),
            patch.object(category_label_groups, "FEWEST", closing[1]),
        ):
            yield


def claims(people: sf.Microfile, release: sf.Release) -> float:
    """Return the share of true claims, for the best choice of a category."""
    forms, quasi = release.codebook.forms(), release.promise.quasi
    blocks = blocks_of(release.microfile, [column for name in quasi for column in forms[name].columns(name)])
    first = np.unique(blocks.numbers, return_index=True)[1]
    true: list[list[bool]] = [[], [], []]
    for name in quasi:
        form, encoded = forms[name], people.encoded(name)
        if not isinstance(form, Sets):
            continue
        codes = {str(value): code for code, value in enumerate(encoded.values.tolist())}
        known = encoded.codes >= 0
        frequency = np.bincount(encoded.codes[known], minlength=len(codes))
        counts = np.zeros((len(blocks), len(codes)), dtype=np.int64)
        np.add.at(counts, (blocks.numbers[known], encoded.codes[known]), 1)
        for block, label in enumerate(release.microfile.series(name).gather(first).to_list()):
            named = [] if label is None else [codes[member] for member in form.members[label]]
            named.sort(key=lambda code: (frequency[code], code))
            for rank, its in enumerate(true if len(named) > 1 else ()):
                its.append(bool(counts[block, named[min(rank, len(named) - 1)]] == 1))
    return max(float(np.mean(its)) for its in true)


def main() -> None:
    data = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ["SFUMATO_DATA"])
    for file, (quasi, reading) in FILES.items():
        people = sf.read(data / file, **reading)
        print(f"{file}: {people.records:,} records")
        usual = 0.0
        for way, k, closing in WAYS:
            with labels(closing):
                release = sf.Boxes(quasi=quasi, k=k).protect(people)
            found = utility_of(people, release.microfile, quasi=quasi, forms=release.codebook.forms()).penalty
            usual = usual or found
            print(
                f"  {way:<34} NCP {found:.4f} ({found / usual - 1:+.1%})  claims {claims(people, release):.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
