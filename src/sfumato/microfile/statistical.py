"""Reading the files of SPSS, Stata and SAS, with their value labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from sfumato.errors import MicrofileError, needs
from sfumato.microfile.microfile import Kinds, Microfile, Missing
from sfumato.microfile.settling import all_whole

_MEASURES = {"nominal": "categorical", "ordinal": "ordinal", "scale": "numeric"}


def read_statistical(path: Path, *, kinds: Kinds | None, missing: Missing | None, encoding: str | None) -> Microfile:
    """Read a sav, zsav, dta or sas7bdat file.

    Values that the file itself declares missing (SPSS user-missing values and the like) are missing. The
    value labels of a SAS file are read from the catalogue of its name, ``sas7bcat``, if that lies beside it.
    """
    try:
        import pyreadstat
    except ImportError:
        raise needs(f"{path.suffix} files", "pyreadstat", extra="files") from None
    readers: dict[str, Any] = {
        ".sav": pyreadstat.read_sav,
        ".zsav": pyreadstat.read_sav,
        ".dta": pyreadstat.read_dta,
        ".sas7bdat": pyreadstat.read_sas7bdat,
    }
    options = {"encoding": encoding} if encoding else {}
    try:
        frame, meta = readers[path.suffix.lower()](str(path), output_format="polars", **options)
        labels = {**meta.variable_value_labels, **_catalogued(path, meta)}
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError, ArithmeticError):
        raise MicrofileError(
            f"the file is not a {path.suffix.lstrip('.')} file, is damaged, or has another encoding"
        ) from None
    frame = _settled(frame)
    guessed = {**_measures(frame, meta), **(kinds or {})}
    return Microfile(
        frame,
        kinds=guessed,
        missing=missing,
        labels=labels,
        titles={name: title for name, title in meta.column_names_to_labels.items() if title},
    )


def _catalogued(path: Path, meta: Any) -> dict[str, dict[Any, str]]:
    """Return the value labels of a SAS file, which stand in a catalogue beside it."""
    catalogue = path.with_suffix(".sas7bcat")
    if path.suffix.lower() != ".sas7bdat" or not catalogue.is_file():
        return {}
    import pyreadstat

    _, formats = pyreadstat.read_sas7bcat(str(catalogue), output_format="polars")
    return {
        name: formats.value_labels[kind]
        for name, kind in meta.variable_to_label.items()
        if kind in formats.value_labels
    }


def _settled(frame: pl.DataFrame) -> pl.DataFrame:
    """Make whole numbers of the reals that these formats use for everything, categories of text."""
    whole = [
        name
        for name, dtype in frame.schema.items()
        if dtype.is_float() and all_whole(frame.get_column(name).drop_nulls().drop_nans())
    ]
    text = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    return frame.with_columns(
        pl.col(whole).fill_nan(None).cast(pl.Int64), pl.col(text).cast(pl.Categorical(pl.Categories.random()))
    )


def _measures(frame: pl.DataFrame, meta: Any) -> dict[str, str]:
    """Return the kinds that an SPSS file declares, where they fit what its columns hold."""
    kinds = {}
    for name, measure in meta.variable_measure.items():
        kind = _MEASURES.get(measure)
        labels = meta.variable_value_labels.get(name)
        if kind is None or (kind == "numeric" and not frame.schema[name].is_numeric()):
            continue
        if kind != "numeric" and frame.schema[name].is_numeric() and not labels:
            continue
        kinds[name] = kind
    return kinds
