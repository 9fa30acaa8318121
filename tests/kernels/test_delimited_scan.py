from __future__ import annotations

import numpy as np
import pytest

from sfumato.kernels.delimited_scan import ABSENT, EMPTY, INTEGER, LONG, REAL, TEXT, field_form, scan_records
from sfumato.microfile.delimited_text import _absent_words


def form(text: str, decimal: str = ".") -> int:
    return field_form(
        np.frombuffer(text.encode(), dtype=np.uint8), 0, len(text.encode()), ord(decimal), _absent_words()
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", EMPTY),
        ("0", INTEGER),
        ("-12", INTEGER),
        ("1.5", REAL),
        (".5", REAL),
        ("1e-3", REAL),
        ("1E+3", REAL),
        ("007", TEXT),
        ("-007", TEXT),
        ("+5", TEXT),
        ("1e", TEXT),
        ("1e+", TEXT),
        ("-", TEXT),
        (".", ABSENT),
        ("1.2.3", TEXT),
        ("12a", TEXT),
        (" 12", TEXT),
        ("123456789012345", INTEGER),
        ("1234567890123456", INTEGER | LONG),
        ("1234567890123456789", TEXT),
        ("NA", ABSENT),
        ("N/A", ABSENT),
        ("N", TEXT),
        ("NAA", TEXT),
    ],
)
def test_what_a_field_can_be(text, expected):
    assert form(text) == expected


def test_decimal_comma():
    assert form("1,5", ",") == REAL
    assert form("1.5", ",") == TEXT


def scan(text: str, fields: int, *, last: bool = True):
    forms, quotes = np.zeros(fields, dtype=np.uint8), np.zeros(2, dtype=np.int64)
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    scanned = scan_records(data, ord(","), ord("."), _absent_words(), forms, quotes, last)
    return scanned, forms.tolist()


def test_quoted_fields_may_hold_delimiters_quotes_and_newlines():
    scanned, forms = scan('1,"a,""b""\nc"\r\n2,""\n', 2)
    assert scanned == (20, 2, -1, 0)
    assert forms == [INTEGER, TEXT]


@pytest.mark.parametrize(
    ("text", "record", "fields"),
    [
        ("1,2\n3\n", 1, 1),
        ("1,2\n3,4,5\n", 1, 3),
        ("1,2\n\n3,4\n", 1, 0),
        ('1,2\n"3,4\n', 1, -1),
        ('1,2\n"3"x,4\n', 1, -2),
    ],
)
def test_ragged_records_are_named(text, record, fields):
    scanned, _ = scan(text, 2)
    assert scanned[2:] == (record, fields)


def test_an_unfinished_record_waits_for_the_next_block():
    scanned, _ = scan("1,2\n3,", 2, last=False)
    assert scanned == (4, 1, -1, 0)
    scanned, forms = scan("3,", 2, last=True)
    assert scanned == (2, 1, -1, 0)
    assert forms == [INTEGER, EMPTY]


def test_blank_lines_end_a_file():
    assert scan("1,2\n\n\n", 2)[0] == (4, 1, -1, 0)
