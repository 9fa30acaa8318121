"""The dialect of a delimited text file: encoding, delimiter and decimal sign, detected or given."""

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
    """How a file is written."""

    encoding: str
    delimiter: str
    decimal: str
    returns: bool = False
    """Whether lines end with a carriage return alone, as on old Macs."""
    blanks: bool = False
    """Whether a space follows every delimiter."""


def find_dialect(
    sample: bytes, *, complete: bool, encoding: str | None, delimiter: str | None, decimal: str | None
) -> Dialect:
    """Detect what is not given from the beginning of a file.

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
            f"the file is not encoded in {encoding}",
            hint="without a byte order mark, use utf-16-le or utf-16-be",
            setting="encoding",
        ) from None
    lines = text.splitlines()
    if len(lines) > 1 and not complete:
        lines.pop()
    if delimiter is None:
        delimiter = _find_delimiter(lines[:200])
    elif delimiter == "\\t":
        delimiter = "\t"
    elif len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\n\r\0':
        raise SettingError(
            f"delimiter {delimiter!r} is not supported",
            hint="use one character, such as , ; | or \\t for a tab",
            setting="delimiter",
        )
    if decimal is None:
        decimal = _find_decimal(lines[1:], delimiter)
    elif decimal not in (".", ","):
        raise SettingError(f"decimal {decimal!r} is not supported; allowed: '.' and ','", setting="decimal")
    if decimal == delimiter:
        raise SettingError(
            "decimal and delimiter are the same character",
            hint="set the delimiter of the file",
            setting="decimal",
        )
    content = "\n".join(lines)
    return Dialect(
        encoding,
        delimiter,
        decimal,
        returns="\r" in text and "\n" not in text,
        blanks=0 < content.count(delimiter) == content.count(f"{delimiter} "),
    )


def find_encoding(sample: bytes, *, complete: bool) -> str:
    """Detect the encoding: by a byte order mark, else UTF-8 if it fits, else Windows-1252."""
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding
    if b"\0" in sample:
        raise MicrofileError(
            "the file is not a text file",
            hint="set its encoding (such as utf-16-le), or correct the file name extension",
        )
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=complete)
    except UnicodeDecodeError as error:
        if mostly_utf8(sample):
            raise damaged(error.start) from None
        return "cp1252"
    return "utf-8"


def damaged(position: int) -> MicrofileError:
    """Return the error that a byte is not UTF-8 although the rest of the file is."""
    return MicrofileError(
        f"byte {position + 1:,} of the file is damaged: the rest is UTF-8",
        hint="correct the file, or set its encoding",
        setting="encoding",
    )


def mostly_utf8(sample: bytes) -> bool:
    """Whether more of the non-ASCII letters are valid UTF-8 than are not."""
    text = sample.decode("utf-8", errors="replace")
    wrong = text.count("\ufffd")
    return sum(not letter.isascii() for letter in text) - wrong > wrong


def _known_encoding(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        "".encode(encoding)
        is_text = isinstance(b"".decode(encoding), str)
    except (LookupError, UnicodeError):
        is_text = False
    if not is_text:
        raise SettingError(
            f"encoding {encoding!r} is not known",
            hint="use one such as utf-8, latin-1, cp1252 or utf-16",
            setting="encoding",
        )
    return "utf-8-sig" if name == "utf-8" else name


def rows(lines: Iterable[str], delimiter: str) -> list[list[str]]:
    """Split lines as the csv module does, without its limit on the length of fields."""
    limit = csv.field_size_limit(2**31 - 1)
    try:
        return list(csv.reader(lines, delimiter=delimiter))
    finally:
        csv.field_size_limit(limit)


def _find_delimiter(lines: list[str]) -> str:
    """Choose the delimiter that splits the header into most fields and all lines into equally many."""
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
