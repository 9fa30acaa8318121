"""Repeated draws of sets, if those that were drawn must not be released.

In a small file, the start of a clustering and the rounding of its sets decide whether they rest on enough records. A
refusal that another secret would not give helps nobody. This reveals a little: the probability of released sets is
divided by the share of accepted draws of this file. To somebody who has all other records, values of the last one with
which few draws are accepted become more probable by that ratio. The number of draws is not released.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from sfumato.errors import UnattainableError
from sfumato.randomness import Secret
from sfumato.release import Release

MOST, LEAST = 24, 4
"""The number of draws that are tried for a small file, and for a large one."""
WORK = 200_000
"""In between, all draws together have about this number of records."""


def attempts_for(records: int) -> int:
    """Return the number of draws to try: fewer for large files, where they take longer and hardly differ.

    >>> [attempts_for(records) for records in (60, 10_000, 1_000_000)]
    [24, 20, 4]
    """
    return min(max(WORK // max(records, 1), LEAST), MOST)


def first_accepted(attempt: Callable[[Secret], Release], secret: Secret, records: int) -> Release:
    """Return the first attempt that is not refused; if all are, raise what most of them were refused for.

    The first one draws from the secret itself, each further one from a part of it.
    """
    refusals = []
    for number in range(attempts_for(records)):
        try:
            return attempt(secret.part(f"attempt {number}") if number else secret)
        except UnattainableError as refusal:
            refusals.append(refusal)
    (message, _), *_ = Counter(refusal.message for refusal in refusals).most_common(1)
    usual = next(refusal for refusal in refusals if refusal.message == message)
    raise UnattainableError(
        message,
        hint=f"{usual.hint}; other draws of the sets are refused as well",
        setting=usual.setting,
        column=usual.column,
    )
