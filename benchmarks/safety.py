"""k, l and t, risk and special uniques against a plain group-by of polars."""

from __future__ import annotations

from collections.abc import Iterator

import sfumato as sf
from benchmarks.tables import QUASI, people, with_gaps
from benchmarks.timing import Row, in_turns

SDCMICRO_RISK = 6.4
SDCMICRO_SUDA = 3.4
"""Seconds of sdcMicro for the same sizes on a machine of this kind; it needs R, which is not run here."""


def run() -> Iterator[Row]:
    table = people(3_000_000)
    keys = [*QUASI, "job"]

    def k_l_t() -> object:
        safety = sf.measure(table, quasi=QUASI, sensitive="illness")
        return safety.k.worst, safety.l, safety.t

    def risk() -> object:
        return sf.measure(table, quasi=keys, weight="weight").risk.by_record

    ours, theirs = in_turns(k_l_t, lambda: table.group_by(QUASI).len()["len"].min())
    yield Row(
        "k, l and t of 3,000,000 records, 5 quasi attributes", ours, "polars, k alone", theirs, "1", ours <= theirs
    )
    ours, theirs = in_turns(risk, lambda: table.group_by(keys).len())
    yield Row("risk of 3,000,000 records, 6 keys", ours, "polars group-by", theirs, "3", ours <= 3 * theirs)
    yield Row("risk of 3,000,000 records, 6 keys", ours, "sdcMicro (quoted)", SDCMICRO_RISK, "1", ours <= SDCMICRO_RISK)

    small = table.head(300_000)
    gaps = with_gaps(small, share=0.05)

    def wildcards() -> object:
        return sf.measure(gaps, quasi=QUASI, weight="weight", missing="wildcard").risk.expected

    ours, theirs = in_turns(wildcards, lambda: small.group_by(QUASI).len())
    what = "risk of 300,000 records, 5 keys, 5 % missing as wildcards"
    yield Row(what, ours, "polars group-by, complete", theirs, "20", ours <= 20 * theirs)
    (ours,) = in_turns(lambda: sf.minimal_uniques(sf.Microfile(small), keys), rounds=3)
    what = "minimal sample uniques of 300,000 records, 6 keys"
    yield Row(what, ours, "sdcMicro's suda2 (quoted)", SDCMICRO_SUDA, "1", ours <= SDCMICRO_SUDA)
