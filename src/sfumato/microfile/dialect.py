"""How a delimited text file is written: encoding, delimiter and decimal sign, found or given."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass

from sfumato.errors import MicrofileError, SettingError

DELIMITERS = (",", ";", "\t", "|")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the file is written."""

    encoding: str
    delimiter: str
    decimal: str
    returns: bool = False
    """Whether lines end with a lone return, as on old Macs."""
    blanks: bool = False
    """Whether a blank follows every delimiter."""


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
    try:
        text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(sample, final=complete)
    except UnicodeError:
        raise MicrofileError(
            f"the file is not written in {encoding}", hint="without a byte order mark, say utf-16-le or utf-16-be"
        ) from None
    lines = text.splitlines()
    if len(lines) > 1 and not complete:
        lines.pop()
    if delimiter is None:
        delimiter = _find_delimiter(lines[:200])
    elif delimiter == "\\t":
        delimiter = "\t"
    elif len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\n\r\0':
        raise SettingError(f"delimiter {delimiter!r} cannot be one", hint="such as , ; | or \\t for a tab")
    if decimal is None:
        decimal = _find_decimal(lines[1:], delimiter)
    elif decimal not in (".", ","):
        raise SettingError(f"decimal {decimal!r} is not known; allowed: '.' and ','")
    if decimal == delimiter:
        raise SettingError("decimal and delimiter are the same character", hint="give the delimiter that the file has")
    whole = "\n".join(lines)
    return Dialect(
        encoding,
        delimiter,
        decimal,
        returns="\r" in text and "\n" not in text,
        blanks=0 < whole.count(delimiter) == whole.count(f"{delimiter} "),
    )


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
    except UnicodeDecodeError as error:
        if mostly_utf8(sample):
            raise damaged(error.start) from None
        return "cp1252"
    return "utf-8"


def damaged(place: int) -> MicrofileError:
    """Say where a file that is otherwise UTF-8 is not."""
    return MicrofileError(
        f"byte {place + 1:,} of the file is damaged: the rest is UTF-8",
        hint="correct it, or give the encoding that the file is written in",
    )


def mostly_utf8(sample: bytes) -> bool:
    """Whether more letters beyond ASCII fit UTF-8 than do not."""
    text = sample.decode("utf-8", errors="replace")
    wrong = text.count("\ufffd")
    return sum(not letter.isascii() for letter in text) - wrong > wrong


def _known_encoding(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        "".encode(encoding)
        known = isinstance(b"".decode(encoding), str)
    except (LookupError, UnicodeError):
        known = False
    if not known:
        raise SettingError(f"encoding {encoding!r} is not known", hint="such as utf-8, latin-1, cp1252 or utf-16")
    return "utf-8-sig" if name == "utf-8" else name


def rows(lines: Iterable[str], delimiter: str) -> list[list[str]]:
    """Split lines as the csv module does, however long a field is."""
    limit = csv.field_size_limit(2**31 - 1)
    try:
        return list(csv.reader(lines, delimiter=delimiter))
    finally:
        csv.field_size_limit(limit)


def _find_delimiter(lines: list[str]) -> str:
    """Choose the delimiter that cuts the header into most fields and the lines into equally many."""
    best, best_rank = ",", (False, 1)
    for delimiter in DELIMITERS:
        widths = [len(row) for row in rows(lines, delimiter) if row]
        if widths and widths[0] > 1:
            rank = (len(set(widths)) == 1, widths[0])
            if rank > best_rank:
                best, best_rank = delimiter, rank
    return best


def _find_decimal(lines: list[str], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    fields = [field.strip() for row in rows(lines, delimiter) for field in row]
    commas = sum(bool(re.fullmatch(r"[+-]?\d+,\d+", field)) for field in fields)
    points = sum(bool(re.fullmatch(r"[+-]?\d*\.\d+", field)) for field in fields)
    return "," if commas > points else "."
