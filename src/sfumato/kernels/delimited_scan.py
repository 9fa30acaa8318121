"""One pass over the bytes of a delimited text file: its shape, and what each field can be."""

from __future__ import annotations

from sfumato.array_types import Bytes, Counts
from sfumato.kernels.argument_types import BytesRead, ByteTable
from sfumato.kernels.compiled import compiled, compiled_within

QUOTE, NEWLINE, RETURN = 34, 10, 13
MINUS, PLUS, ZERO, NINE = 45, 43, 48, 57

EMPTY, INTEGER, REAL, TEXT, LONG, ABSENT = 1, 2, 4, 8, 16, 32
"""Bits that say what the fields of a column have been: LONG is an integer that no real holds exactly,
ABSENT one of the texts that mean a missing number."""

RAGGED_QUOTE, RAGGED_TAIL = -1, -2
"""What stands for the number of fields of a record whose quote is never closed, or is followed by text."""


@compiled_within
def _is_absent(data: Bytes, start: int, end: int, absent: Bytes) -> bool:
    length = end - start
    for row in range(absent.shape[0]):
        same = length < absent.shape[1] and absent[row, length] == 0
        for i in range(length if same else 0):
            same = same and data[start + i] == absent[row, i]
        if same:
            return True
    return False


@compiled
def field_form(data: BytesRead, start: int, end: int, decimal: int, absent: ByteTable) -> int:
    """Say what one unquoted field can be: EMPTY, INTEGER (perhaps LONG), REAL, ABSENT or TEXT.

    A leading zero (``007``) makes text: as a number it would lose its zeros. So does an integer of
    more than 18 digits, which no 64-bit number holds safely. ``absent`` (IN) holds words that mean a
    missing number, as rows that end with zeros.
    """
    if start == end:
        return EMPTY
    i = start + (data[start] == MINUS or data[start] == PLUS)
    digits, point, exponent, number = 0, False, False, True
    leading_zero = i + 1 < end and data[i] == ZERO and ZERO <= data[i + 1] <= NINE
    while i < end:
        byte = data[i]
        if ZERO <= byte <= NINE:
            digits += 1
        elif byte == decimal and not point and not exponent:
            point = True
        elif (byte == 101 or byte == 69) and digits > 0 and not exponent and i + 1 < end:
            exponent = True
            if data[i + 1] == MINUS or data[i + 1] == PLUS:
                i += 1
                number = i + 1 < end
        else:
            number = False
            break
        i += 1
    if number and digits > 0 and not leading_zero and data[start] != PLUS:
        if point or exponent:
            return REAL
        if digits <= 15:
            return INTEGER
        return INTEGER | LONG if digits <= 18 else TEXT
    return ABSENT if _is_absent(data, start, end, absent) else TEXT


@compiled
def scan_records(
    data: BytesRead, delimiter: int, decimal: int, absent: ByteTable, forms: Bytes, quotes: Counts, last: bool
) -> tuple[int, int, int, int]:
    """Walk over complete records, collecting what each column's fields can be.

    Parameters
    ----------
    data
        (IN) bytes that begin at a record's start.
    absent
        (IN) words that mean a missing number, as rows that end with zeros.
    forms
        (IN, OUT) bits of each column.
    quotes
        (OUT) whether a field was quoted, and the first record with a quote inside an unquoted field, or -1.
    last
        Whether the data ends the file, so that a record without a final newline counts.

    Returns
    -------
    The bytes used by complete records, the number of these, the position of the first record with another
    number of fields (-1 if all agree), and that number of fields, or RAGGED_QUOTE or RAGGED_TAIL.
    Blank lines may only end the file; elsewhere a blank line counts as a record without fields, unless the file has
    only one column.
    """
    used, records = 0, 0
    field, start, i = 0, 0, 0
    size, n_fields = data.size, forms.size
    quotes[0], quotes[1] = 0, -1
    while i < size or (last and used < size):
        quoted = i < size and data[i] == QUOTE
        start = i
        if quoted:
            i += 1
            while i < size:
                if data[i] == QUOTE:
                    if i + 1 < size and data[i + 1] == QUOTE:
                        i += 2
                        continue
                    break
                i += 1
            if i >= size:
                return (used, records, records, RAGGED_QUOTE) if last else (used, records, -1, 0)
            i += 1
            quotes[0] = 1
            if i < size and data[i] == RETURN and (i + 1 == size or data[i + 1] == NEWLINE):
                i += 1
            if i < size and data[i] != delimiter and data[i] != NEWLINE:
                return used, records, records, RAGGED_TAIL
        while i < size and data[i] != delimiter and data[i] != NEWLINE:
            if data[i] == QUOTE and quotes[1] < 0:
                quotes[1] = records
            i += 1
        if i >= size and not last:
            break
        end = i
        ends_record = i >= size or data[i] == NEWLINE
        if ends_record and end > start and data[end - 1] == RETURN:
            end -= 1
        if ends_record and field == 0 and end == start and n_fields > 1:
            while i < size and (data[i] == NEWLINE or data[i] == RETURN):
                i += 1
            return (used, records, -1, 0) if i >= size else (used, records, records, 0)
        # what is text once stays text
        if field < n_fields and not forms[field] & TEXT:
            if quoted and end - start > 1 and data[end - 1] == QUOTE:
                form = field_form(data, start + 1, end - 1, decimal, absent)
            else:
                form = field_form(data, start, end, decimal, absent)
            forms[field] |= form
        field += 1
        i += 1
        if ends_record:
            if field != n_fields:
                return used, records, records, field
            records += 1
            field = 0
            used = min(i, size)
    return used, records, -1, 0
