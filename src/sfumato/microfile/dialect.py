"""How a delimited text file is written: encoding, delimiter and decimal sign, found or given."""

from __future__ import annotations

import codecs
import csv
import re
from dataclasses import dataclass

from sfumato.errors import MicrofileError, SettingError

DELIMITERS = (",", ";", "\t", "|")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the file is written."""

    encoding: str
    delimiter: str
    decimal: str


def find_dialect(
    sample: bytes, *, complete: bool, encoding: str | None, delimiter: str | None, decimal: str | None
) -> Dialect:
    """Find what is not given from the file's beginning.

    Parameters
    ----------
    sample
        The first bytes of the file.
    complete
        Whether the sample is the whole file.
    """
    encoding = _known_encoding(encoding) if encoding else find_encoding(sample, complete=complete)
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(sample, final=complete)
    lines = text.splitlines()
    if len(lines) > 1 and not complete:
        lines.pop()
    if delimiter is None:
        delimiter = _find_delimiter(lines[:200])
    elif len(delimiter) != 1 or not delimiter.isascii():
        raise SettingError(f"delimiter {delimiter!r} is not a single plain character", hint="such as , ; | or a tab")
    if decimal is None:
        decimal = _find_decimal(lines[1:200], delimiter)
    elif decimal not in (".", ","):
        raise SettingError(f"decimal {decimal!r} is not known; allowed: '.' and ','")
    if decimal == delimiter:
        raise SettingError("decimal and delimiter are the same character", hint="give the delimiter that the file has")
    return Dialect(encoding, delimiter, decimal)


def find_encoding(sample: bytes, *, complete: bool) -> str:
    """Find the encoding: a byte order mark, else UTF-8 where it fits, else Windows-1252."""
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding
    if b"\0" in sample:
        raise MicrofileError(
            "the file is not a text file", hint="give its encoding (such as utf-16-le), or read it by its right ending"
        )
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=complete)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _known_encoding(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        raise SettingError(
            f"encoding {encoding!r} is not known", hint="such as utf-8, latin-1, cp1252 or utf-16"
        ) from None
    return "utf-8-sig" if name == "utf-8" else name


def _find_delimiter(lines: list[str]) -> str:
    """Choose the delimiter that cuts the header into most fields and the lines into equally many."""
    best, best_rank = ",", (False, 1)
    for delimiter in DELIMITERS:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        if widths and widths[0] > 1:
            rank = (len(set(widths)) == 1, widths[0])
            if rank > best_rank:
                best, best_rank = delimiter, rank
    return best


def _find_decimal(lines: list[str], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    fields = [field for row in csv.reader(lines, delimiter=delimiter) for field in row]
    commas = sum(bool(re.fullmatch(r"[+-]?\d+,\d+", field)) for field in fields)
    points = sum(bool(re.fullmatch(r"[+-]?\d*\.\d+", field)) for field in fields)
    return "," if commas > points else "."
