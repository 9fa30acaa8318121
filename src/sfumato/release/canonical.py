"""That a data file holds its cells and nothing else: written again, they give the same bytes."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import polars as pl

from sfumato.release.certificate import ColumnFacts, ColumnType
from sfumato.release.data import write_data
from sfumato.release.parquet import layout_of

NUMERALS: dict[ColumnType, str] = {
    "integer": r"^(0|-?[1-9]\d*)$",
    "decimal": r"^-?(0|[1-9]\d*)(\.\d+)?$",
    "real": r"^-?(0|[1-9]\d*)(\.0|\.\d*[1-9])?([eE]-?[1-9]\d*)?$",
}
"""How numbers are written in a CSV: each in one way only."""


def odd_cells(frame: pl.DataFrame) -> Iterator[str]:
    """Say which columns have cells that mean the same as another and are written otherwise."""
    for column in frame.get_columns():
        if column.dtype == pl.String and (empty := int((column == "").sum())):
            yield f"column {column.name!r} has {empty:,} empty texts beside missing values"
        if column.dtype == pl.Float64:
            numbers = column.fill_null(1.0).to_numpy()
            if nan := int(np.isnan(numbers).sum()):
                yield f"column {column.name!r} has {nan:,} cells that are no number (NaN) and not missing"
            if negative := int(((numbers == 0) & np.signbit(numbers)).sum()):
                yield f"column {column.name!r} has {negative:,} negative zeros"


def same_bytes(path: Path, frame: pl.DataFrame, digest: str) -> bool:
    """Whether a file with this digest is what these cells give when they are written."""
    sink = _Digesting()
    write_data(frame, cast(IO[bytes], sink), path.suffix)
    return sink.digest.hexdigest() == digest


def odd_structure(path: Path, frame: pl.DataFrame, columns: Mapping[str, ColumnFacts]) -> Iterator[str]:
    """Say what a file holds beside its cells, as far as its structure shows it.

    For files of other versions, whose bytes may differ although nothing is wrong.
    """
    if path.suffix == ".csv":
        yield from _odd_numerals(path, columns)
        return
    layout = layout_of(path)
    yield from (f"{path.name} has {what}" for what in layout.oddities)
    start: dict[str, int] = dict.fromkeys(frame.columns, 0)
    for chunk in layout.chunks:
        cells = frame.get_column(chunk.column).slice(start[chunk.column], chunk.rows)
        start[chunk.column] += chunk.rows
        if chunk.dictionary is not None and chunk.dictionary != cells.drop_nulls().n_unique():
            yield f"{path.name} has a dictionary of column {chunk.column!r} with values that no record has"


def _odd_numerals(path: Path, columns: Mapping[str, ColumnFacts]) -> Iterator[str]:
    with path.open("rb") as file:
        cells = pl.read_csv(file, infer_schema=False, has_header=True)
    for name, (column, facts) in zip(cells.columns, columns.items(), strict=True):
        wanted = NUMERALS.get(facts.type)
        if wanted and (odd := int((~cells.get_column(name).str.contains(wanted)).sum())):
            yield f"column {column!r} has {odd:,} numbers that are not written in their usual way"


class _Digesting(io.RawIOBase):
    """Takes what is written and keeps its digest alone."""

    def __init__(self) -> None:
        super().__init__()
        self.digest = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self.digest.update(content)
        return memoryview(content).nbytes
