"""Files with some bytes changed: each must be read, or refused by an error of our own.

``python -m tests.microfile.mutated 5000`` tries many; the tests try a few hundred.
"""

from __future__ import annotations

import argparse
import datetime
import io
import random
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import polars as pl
import pyreadstat

import sfumato as sf
from sfumato.errors import SfumatoError

FORMS = ("csv", "parquet", "sav", "dta", "sas7bdat")
SAS = Path(__file__).parent / "data" / "people.sas7bdat"


@cache
def intact(form: str) -> tuple[bytes, ...]:
    """Return the bytes of some good files of a form."""
    n = 60
    frame = pl.DataFrame(
        {
            "number": [i % 17 for i in range(n)],
            "amount": [i / 7 for i in range(n)],
            "word": [["a", "bb", None, 'q"u,o\nte'][i % 4] for i in range(n)],
            "day": [datetime.date(2020, 1, 1 + i % 20) for i in range(n)],
            "flag": [i % 2 == 0 for i in range(n)],
        }
    )
    if form == "csv":
        return (frame.write_csv().encode(), frame.write_csv(separator=";").encode("utf-16"))
    if form == "parquet":
        kinds = ("uncompressed", "zstd", "snappy")
        return tuple(_bytes(lambda file, kind=kind: frame.write_parquet(file, compression=kind)) for kind in kinds)
    if form == "sas7bdat":
        # nothing else than SAS writes them
        return (SAS.read_bytes(),)
    plain = frame.with_columns(pl.col("word").fill_null(""), pl.col("flag").cast(pl.Int64))
    labels = {"number": {1: "one", 2: "two"}}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"good.{form}"
        if form == "sav":
            written = []
            for compress in (False, True):
                pyreadstat.write_sav(plain, str(path), variable_value_labels=labels, row_compress=compress)
                written.append(path.read_bytes())
            return tuple(written)
        written = []
        for version in (8, 15):
            pyreadstat.write_dta(plain, str(path), variable_value_labels=labels, version=version)
            written.append(path.read_bytes())
        return tuple(written)


def _bytes(write) -> bytes:
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def mutated(form: str, seed: int) -> bytes:
    """Return a file of a form with some bytes changed, cut out, doubled or cut off."""
    rng = random.Random(f"{form} {seed}")
    data = bytearray(rng.choice(intact(form)))
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        # headers and footers break more than data do
        where = rng.choice(
            [rng.randrange(len(data)), rng.randrange(min(400, len(data))), -1 - rng.randrange(400) % len(data)]
        )
        match rng.randrange(6):
            case 0 | 1 | 2:
                data[where] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
            case 3:
                data[where] ^= 1 << rng.randrange(8)
            case 4:
                del data[where : where + rng.choice([1, 4, 50])]
            case 5:
                data[where:where] = data[where : where + rng.choice([1, 8])]
        if len(data) < 40:
            break
    return bytes(data[: rng.randrange(len(data)) + 1] if rng.random() < 0.05 else data)


def outcome(form: str, seed: int, folder: Path) -> str:
    """Read a mutated file; a foreign error is not caught."""
    path = folder / f"mutated.{form}"
    path.write_bytes(mutated(form, seed))
    try:
        people = sf.read(path)
        for name in people.names:
            people.encoded(name)
    except SfumatoError as error:
        return error.message.partition(": ")[2][:60]
    return "read"


def main() -> None:
    """Try many, and count how they end."""
    parser = argparse.ArgumentParser(prog="python -m tests.microfile.mutated", description=__doc__)
    parser.add_argument("files", type=int, help="how many of each form")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--forms", nargs="*", default=FORMS, help=f"of {', '.join(FORMS)}")
    given = parser.parse_args()
    ends: Counter[str] = Counter()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for form in given.forms:
            for seed in range(given.first, given.first + given.files):
                try:
                    ends[f"{form}: {outcome(form, seed, Path(folder))}"] += 1
                except Exception as error:
                    wrong += 1
                    print(f"{form} {seed}: {type(error).__name__}")
    for end, times in sorted(ends.items(), key=lambda item: -item[1]):
        print(f"{times:6,}  {end}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
