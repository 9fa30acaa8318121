"""Reading a microfile from any of the formats that statistics live in."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from sfumato.errors import MicrofileError, SettingError, nearest
from sfumato.forking import begin_work
from sfumato.logs import logged
from sfumato.microfile.delimited import read_delimited
from sfumato.microfile.foreign import STATISTICAL, read_apart
from sfumato.microfile.memory import check_fits
from sfumato.microfile.microfile import Kinds, Microfile, Missing, codes_for
from sfumato.microfile.parquet import has_marks, layout_of
from sfumato.microfile.settling import settle_text
from sfumato.progress import Progress, silent

DELIMITED = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
PARQUET = (".parquet", ".pq")


def read(
    path: str | os.PathLike[str],
    *,
    kinds: Kinds | None = None,
    missing: Missing | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    progress: Progress = silent,
) -> Microfile:
    """Read a microfile.

    Parameters
    ----------
    path
        Delimited text (csv, tsv, txt, also gzipped), Parquet, SPSS (sav, zsav), Stata (dta) or SAS
        (sas7bdat).
    kinds, missing
        As for :class:`~sfumato.Microfile`.
    encoding, delimiter, decimal
        How a delimited text is written, where it is not found rightly.
    progress
        Called while reading.
    """
    refuse_address(os.fspath(path))
    begin_work()
    path = Path(path)
    _check_readable(path)
    with logged("reading") as note:
        found = _read(path, kinds, missing, encoding, delimiter, decimal, progress)
        note(records=found.records, attributes=len(found.names))
    return found


def _read(
    path: Path,
    kinds: Kinds | None,
    missing: Missing | None,
    encoding: str | None,
    delimiter: str | None,
    decimal: str | None,
    progress: Progress,
) -> Microfile:
    name = path.name.lower()
    try:
        if name.endswith(DELIMITED):
            kept = [column for column, kind in (kinds or {}).items() if kind != "numeric"]
            frame, dialect = read_delimited(
                path, encoding=encoding, delimiter=delimiter, decimal=decimal, text=kept, progress=progress
            )
            codes = {column: codes_for(column, missing) for column in frame.columns}
            frame = settle_text(frame, decimal=dialect.decimal, missing=codes, kept=kept)
            return Microfile(frame, kinds=kinds, missing=missing)
        if name.endswith(PARQUET):
            return Microfile(_read_parquet(path), kinds=kinds, missing=missing)
        if name.endswith(STATISTICAL):
            from sfumato.microfile.statistical import read_statistical

            return read_statistical(path, kinds=kinds, missing=missing, encoding=encoding)
    except MicrofileError as error:
        raise MicrofileError(f"{path.name}: {error.message}", hint=error.hint) from None
    except MemoryError:
        raise MicrofileError(f"{path.name}: there is not enough memory to read the file") from None
    endings = ", ".join(ending.lstrip(".") for ending in (*DELIMITED, *PARQUET, *STATISTICAL))
    raise SettingError(f"{path.name} has an ending that is not known", hint=f"known are: {endings}")


def refuse_address(path: str) -> None:
    """Refuse an address of another machine, without telling what stands in it: it may hold a password."""
    scheme, between, _ = path.partition("://")
    if between and scheme.replace("+", "").isalnum():
        raise SettingError(
            f"{scheme}:// is an address, not a file", hint="read it into a frame yourself, and give sf.Microfile(frame)"
        )


def _check_readable(path: Path) -> None:
    try:
        there = path.exists()
    except OSError:
        raise MicrofileError("the file's name is too long or cannot be a name") from None
    if not there:
        beside = [p.name for p in path.parent.iterdir() if p.is_file()] if path.parent.is_dir() else []
        hint = nearest(path.name, beside) if beside else "check the folder's name"
        raise MicrofileError(f"there is no file {path}", hint=hint)
    if path.is_dir():
        raise MicrofileError(f"{path} is a folder, not a file")
    if not path.is_file():
        raise MicrofileError(
            f"{path} is a pipe or a device", hint="write it to a file first: it is read more than once"
        )
    if not os.access(path, os.R_OK):
        raise MicrofileError(f"{path} may not be read", hint="ask its owner for permission")
    if path.stat().st_size == 0:
        raise MicrofileError(f"{path.name}: the file is empty")


def _read_parquet(path: Path) -> pl.DataFrame:
    """Read Parquet, text going into a dictionary while it streams by.

    Polars believes the counts in page headers, and a false one can abort the process. A file whose headers do not add
    up, or that is nested, is read in a process of its own.
    """
    try:
        unpacked = layout_of(path).largest
    except MicrofileError:
        if not has_marks(path):
            raise
        scanned = read_apart(path, encoding=None).frame.lazy()
    else:
        check_fits(unpacked)
        scanned = pl.scan_parquet(path, glob=False)
    try:
        schema = scanned.collect_schema()
        # a few bytes of a file can stand for very many records
        check_fits(scanned.select(pl.len()).collect().item() * sum(map(_width, schema.values())))
        text = [name for name, dtype in schema.items() if dtype == pl.String]
        categories = pl.Categorical(pl.Categories.random())
        return scanned.with_columns(pl.col(text).cast(categories)).collect(engine="streaming")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise MicrofileError("the file is not a Parquet file, or is damaged") from None


def _width(dtype: pl.DataType) -> float:
    """Return how many bytes a value takes at least; text becomes codes."""
    if not (dtype.is_numeric() or dtype.is_temporal() or dtype == pl.Boolean):
        return 4.0
    # eight values, and a byte that says which are missing
    return (pl.Series([None] * 8, dtype=dtype).estimated_size() - 1) / 8
