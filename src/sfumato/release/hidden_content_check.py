"""Whether a data file holds its cells and nothing else: written again, they give the same bytes."""

from __future__ import annotations

import hashlib
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import polars as pl

from sfumato.release.data_file import write_data
from sfumato.release.parquet_pages import additions


def odd_cells(frame: pl.DataFrame) -> Iterator[str]:
    """Say which columns have cells that mean the same as others but are written differently."""
    for column in frame.get_columns():
        if column.dtype == pl.String and (empty := int((column == "").sum())):
            yield f"column {column.name!r} has {empty:,} empty texts beside missing values"
        if column.dtype == pl.Float64:
            numbers = column.fill_null(1.0).to_numpy()
            if nan := int(np.isnan(numbers).sum()):
                yield f"column {column.name!r} has {nan:,} cells that are NaN instead of missing"
            if negative := int(((numbers == 0) & np.signbit(numbers)).sum()):
                yield f"column {column.name!r} has {negative:,} negative zeros"


def same_bytes(path: Path, frame: pl.DataFrame, digest: str) -> bool:
    """Whether a file with this digest is what these cells give when they are written."""
    sink = _Digesting()
    write_data(frame, cast(IO[bytes], sink), path.suffix)
    return sink.digest.hexdigest() == digest


def odd_content(path: Path, frame: pl.DataFrame, version: str) -> Iterator[str]:
    """Say what a Parquet file of another version of Polars holds besides its cells.

    Parameters
    ----------
    path
        The data of a release.
    frame
        Its cells.
    version
        The version of Polars that it claims to be written with.
    """
    with path.open("rb") as file, tempfile.TemporaryFile() as rewritten:
        write_data(frame, rewritten, path.suffix)
        rewritten.flush()
        yield from (f"{path.name} has {addition}" for addition in additions(file, rewritten, version))


class _Digesting(io.RawIOBase):
    """Takes what is written and keeps only its digest."""

    def __init__(self) -> None:
        super().__init__()
        self.digest = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self.digest.update(content)
        return memoryview(content).nbytes
