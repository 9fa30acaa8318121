"""Reading the files of SPSS, Stata and SAS, with their value labels."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import polars as pl

from sfumato.errors import needs
from sfumato.microfile.isolated_reader import Foreign, read_apart
from sfumato.microfile.microfile import Kinds, Microfile, Missing
from sfumato.microfile.type_inference import all_whole

_MEASURES = {"nominal": "categorical", "ordinal": "ordinal", "scale": "numeric"}


def read_statistical(path: Path, *, kinds: Kinds | None, missing: Missing | None, encoding: str | None) -> Microfile:
    """Read a sav, zsav, dta or sas7bdat file.

    Values that the file itself declares missing (SPSS user-missing values and the like) are missing. The
    value labels of a SAS file are read from the catalogue ``sas7bcat`` of the same name, if there is one beside it.
    """
    if find_spec("pyreadstat") is None:
        raise needs(f"{path.suffix} files", "pyreadstat", extra="files")
    foreign = read_apart(path, encoding=encoding)
    frame = _with_types(foreign.frame)
    return Microfile(
        frame,
        kinds={**_measures(frame, foreign), **(kinds or {})},
        missing=missing,
        labels=foreign.labels,
        titles=foreign.titles,
    )


def _with_types(frame: pl.DataFrame) -> pl.DataFrame:
    """Convert floats to integers where all are whole (these formats know only floats), and text to categories."""
    integers = [
        name
        for name, dtype in frame.schema.items()
        if dtype.is_float() and all_whole(frame.get_column(name).drop_nulls().drop_nans())
    ]
    text = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    return frame.with_columns(
        pl.col(integers).fill_nan(None).cast(pl.Int64), pl.col(text).cast(pl.Categorical(pl.Categories.random()))
    )


def _measures(frame: pl.DataFrame, foreign: Foreign) -> dict[str, str]:
    """Return the kinds that an SPSS file declares, where they fit the content of its columns."""
    kinds = {}
    for name, measure in foreign.measures.items():
        kind = _MEASURES.get(measure)
        labels = foreign.labels.get(name)
        if kind is None or (kind == "numeric" and not frame.schema[name].is_numeric()):
            continue
        if kind != "numeric" and frame.schema[name].is_numeric() and not labels:
            continue
        kinds[name] = kind
    return kinds
