from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.threads import BATCHES, batches_of, side_by_side


@given(size=st.integers(0, 500), least=st.integers(1, 100))
def test_batches_cover_everything_once(size, least):
    batches = batches_of(size, least=least)
    assert [place for first, last in batches for place in range(first, last)] == list(range(size))
    assert len(batches) <= BATCHES
    assert len(batches) < 2 or min(last - first for first, last in batches) >= least


@pytest.mark.parametrize("count", [0, 1, 5])
def test_results_come_in_order(count):
    shares: list[float] = []
    assert side_by_side(lambda x: x * x, range(count), 2, shares.append) == [x * x for x in range(count)]
    assert shares == [(x + 1) / count for x in range(count)]


def test_who_interrupts_does_not_wait_for_what_has_begun():
    go_on, ended = threading.Event(), []

    def work(number):
        if number:
            go_on.wait(60)
            ended.append(number)

    def interrupt(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        side_by_side(work, [0, 1, 2], 2, interrupt)
    assert not ended
    go_on.set()
