"""The files of a written release, read with the csv module and pyarrow."""

from __future__ import annotations

import csv
import datetime
import json
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from tests.generated_cases.tables import EPOCH


class Failure(NamedTuple):
    """Something that a recount found wrong."""

    kind: str
    message: str


@dataclass
class Written:
    """The files of a release: cells by column, in the file's order."""

    cells: dict[str, list[Any]]
    codebook: dict[str, Any]
    certificate: dict[str, Any]
    failures: list[Failure] = field(default_factory=list)

    @property
    def tags(self) -> list[int]:
        return self.cells["tag"]

    def form(self, name: str) -> dict[str, Any]:
        return self.codebook[name]["form"]

    def columns(self, name: str) -> list[str]:
        """Return the file's columns of an attribute."""
        form = self.form(name)
        if form["form"] == "interval":
            return [f"{name}.lo", f"{name}.hi"]
        if form["form"] == "fuzzy" and form.get("shown") == "grades":
            return [f"{name}.{word}" for word in form["sets"]]
        return [name]

    def is_numeric(self, name: str) -> bool:
        return name in self.codebook and self.codebook[name]["kind"] == "numeric"


def read(folder: Path) -> Written:
    """Read the files of a release."""
    certificate = json.loads((folder / "certificate.json").read_text())
    codebook = json.loads((folder / "codebook.json").read_text())["attributes"]
    types = {name: facts["type"] for name, facts in certificate["data"]["columns"].items()}
    data = folder / certificate["data"]["file"]
    cells = _read_parquet(data) if data.suffix == ".parquet" else _read_csv(data, types)
    return Written(cells, codebook, certificate)


def _read_parquet(path: Path) -> dict[str, list[Any]]:
    from pyarrow import parquet

    table = parquet.ParquetFile(path).read()
    return {name: [plain(cell) for cell in table.column(name).to_pylist()] for name in table.column_names}


def plain(cell: Any) -> Any:
    """Make a date or time the number of nanoseconds since 1970."""
    if isinstance(cell, datetime.datetime):
        return _nanoseconds(cell)
    if isinstance(cell, datetime.date):
        return (cell - EPOCH.date()).days * 86_400 * 10**9
    return cell


def _nanoseconds(moment: datetime.datetime) -> int:
    since = moment.replace(tzinfo=None) - EPOCH
    return ((since.days * 86_400 + since.seconds) * 10**6 + since.microseconds) * 1000


def _read_csv(path: Path, types: dict[str, str]) -> dict[str, list[Any]]:
    with path.open(newline="", encoding="utf-8") as lines:
        header, *rows = list(csv.reader(lines))
    names = [name if name in types else name[1:] for name in header]
    return {name: [_cell(row[place], types[name]) for row in rows] for place, name in enumerate(names)}


def _cell(text: str, wanted: str) -> Any:
    if text == "":
        return None
    if wanted == "integer":
        return int(text)
    if wanted == "real":
        return float(text)
    if wanted == "decimal":
        return Decimal(text)
    if wanted == "date":
        return plain(datetime.date.fromisoformat(text))
    if wanted == "datetime":
        return _nanoseconds(datetime.datetime.fromisoformat(text))
    if wanted == "boolean":
        return {"true": True, "false": False}[text]
    # an apostrophe guards what a spreadsheet would run
    bare = text.lstrip("'")
    runs = bare.lstrip()[:1] in tuple("=+-@＝＋－＠") or bare[:1] in tuple("\t\r\n")
    return text[1:] if text.startswith("'") and bare and runs else text
