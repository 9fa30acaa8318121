"""Reading a microfile from any supported file format."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from sfumato.errors import MicrofileError, SettingError, nearest
from sfumato.fork_guard import begin_work
from sfumato.logs import logged
from sfumato.microfile.delimited_text import read_delimited
from sfumato.microfile.isolated_reader import STATISTICAL, read_apart
from sfumato.microfile.memory_limit import check_fits
from sfumato.microfile.microfile import Kinds, Microfile, Missing, codes_for
from sfumato.microfile.parquet_footer import has_marks, layout_of
from sfumato.microfile.times import unsupported_zone
from sfumato.microfile.type_inference import infer_types
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
        The text encoding, delimiter and decimal sign, if auto-detection gets them wrong.
    progress
        Called while reading.
    """
    refuse_address(os.fspath(path))
    begin_work()
    path = Path(path)
    check_readable(path)
    with logged("reading") as note:
        microfile = _read(path, kinds, missing, encoding, delimiter, decimal, progress)
        note(records=microfile.records, attributes=len(microfile.names))
    return microfile


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
            categorical = [column for column, kind in (kinds or {}).items() if kind != "numeric"]
            frame, dialect = read_delimited(
                path, encoding=encoding, delimiter=delimiter, decimal=decimal, text=categorical, progress=progress
            )
            codes = {column: codes_for(column, missing) for column in frame.columns}
            frame = infer_types(frame, decimal=dialect.decimal, missing=codes, categorical=categorical)
            return Microfile(frame, kinds=kinds, missing=missing)
        if name.endswith(PARQUET):
            return Microfile(_read_parquet(path), kinds=kinds, missing=missing)
        if name.endswith(STATISTICAL):
            from sfumato.microfile.spss_stata_sas import read_statistical

            return read_statistical(path, kinds=kinds, missing=missing, encoding=encoding)
    except MicrofileError as error:
        raise error.prefixed(path.name) from None
    except MemoryError:
        raise MicrofileError(f"{path.name}: not enough memory to read the file") from None
    endings = ", ".join(ending.lstrip(".") for ending in (*DELIMITED, *PARQUET, *STATISTICAL))
    raise SettingError(f"{path.name}: unsupported file type", hint=f"supported: {endings}", setting="path")


def refuse_address(path: str) -> None:
    """Refuse a URL, without repeating it: it may hold a password."""
    scheme, between, _ = path.partition("://")
    if between and scheme.replace("+", "").isalnum():
        raise SettingError(
            f"{scheme}:// is a URL, not a file",
            hint="read it into a frame, and pass that to sf.Microfile(frame)",
            setting="path",
        )


def check_readable(path: Path) -> None:
    """Refuse a path that is not a file."""
    try:
        exists = path.exists()
    except OSError:
        raise MicrofileError("the file name is too long or invalid", setting="path") from None
    if not exists:
        beside = [p.name for p in path.parent.iterdir() if p.is_file()] if path.parent.is_dir() else []
        hint = nearest(path.name, beside) if beside else "check the name of the folder"
        raise MicrofileError(f"file {path} does not exist", hint=hint, setting="path")
    if path.is_dir():
        raise MicrofileError(f"{path} is a folder, not a file", hint="name a file in it", setting="path")
    if not path.is_file():
        raise MicrofileError(
            f"{path} is a pipe or a device", hint="save it as a file first: it is read more than once", setting="path"
        )
    if not os.access(path, os.R_OK):
        raise MicrofileError(
            f"{path}: permission denied", hint="ask the owner of the file for permission", setting="path"
        )
    if path.stat().st_size == 0:
        raise MicrofileError(f"{path.name}: the file is empty")


def _read_parquet(path: Path) -> pl.DataFrame:
    """Read Parquet as a stream, with text encoded in a dictionary.

    Polars trusts the counts in page headers, and a wrong one can abort the process. A file whose headers are
    inconsistent, or that is nested, is read in a separate process.
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
        # a few bytes of a file can represent very many records
        check_fits(scanned.select(pl.len()).collect().item() * sum(map(_width, schema.values())))
        text = [name for name, dtype in schema.items() if dtype == pl.String]
        categories = pl.Categorical(pl.Categories.random())
        return scanned.with_columns(pl.col(text).cast(categories)).collect(engine="streaming")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        if "time zone" in str(error):
            raise unsupported_zone() from None
        raise MicrofileError("the file is not a Parquet file, or is damaged") from None


def _width(dtype: pl.DataType) -> float:
    """Return the least number of bytes per value; text becomes codes."""
    if not (dtype.is_numeric() or dtype.is_temporal() or dtype == pl.Boolean):
        return 4.0
    # eight values, and one byte that marks the missing ones
    return (pl.Series([None] * 8, dtype=dtype).estimated_size() - 1) / 8
