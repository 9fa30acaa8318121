"""Why a limit is broken, in one sentence: for findings of an audit, and for JSON."""

from __future__ import annotations

from sfumato.formatting import counted
from sfumato.measures import BrokenLimit, BrokenLimitFacts

INTERSECTED = "after intersecting the records of each household"


def broken_limit_message(broken: BrokenLimit) -> str:
    """Say why a limit is broken and what would relax it."""
    subject = f"{broken.setting} of {broken.attribute!r}" if broken.attribute else broken.setting
    subject += f" {INTERSECTED}" * broken.intersected
    records, blocks = counted(broken.records, "record"), counted(broken.blocks, "block")
    message = (
        f"{subject}: promised {broken.limit:g}, measured {broken.reached:.6g}; {records} in {blocks} "
        f"{'violates' if broken.records == 1 else 'violate'} it (worst: block {broken.worst_block} with "
        f"{counted(broken.worst_block_records, 'record')})"
    )
    if broken.without:
        name, violating = min(broken.without.items(), key=lambda item: item[1])
        message += f"; dropping {name!r} would leave {violating:,} violating"
    return message + f"; relaxing the limit to {broken.relaxed_limit:g} would leave {broken.relaxed_records:,}"


class ExplainedLimitFacts(BrokenLimitFacts):
    """The same facts with their sentence."""

    message: str


def broken_limit_facts(broken: BrokenLimit) -> ExplainedLimitFacts:
    """Return the facts of a broken limit with its sentence, for JSON."""
    return {**broken.facts(), "message": broken_limit_message(broken)}
