from __future__ import annotations

import numpy as np
import pytest

from sfumato.measures.block_measure import TOLERANCE, BlockMeasure, Violations


def measured(values, *, safer="higher", strict=False):
    return BlockMeasure("m", np.array(values), np.arange(1, len(values) + 1), safer=safer, strict=strict)


@pytest.mark.parametrize("limit", [0.15, 5.0, 1000.0])
@pytest.mark.parametrize("safer", ["higher", "lower"])
def test_a_limit_is_kept_by_itself_and_broken_just_beyond(limit, safer):
    step = TOLERANCE * max(1.0, limit) * (-1 if safer == "higher" else 1)
    values = [limit, limit + 0.5 * step, limit + 2 * step, limit - 2 * step, np.nan]
    assert measured(values, safer=safer).breaking(limit).tolist() == [False, False, True, False, True]
    # where the limit itself breaks, so does what is as good as it
    assert measured(values, safer=safer, strict=True).breaking(limit).tolist() == [True, True, True, False, True]


def test_violations_count_the_records_of_the_blocks_that_break_a_limit():
    assert measured([3.0, 2.0, 1.0]).violations(2.0) == Violations(records=3, blocks=1)
    assert measured([3.0, 2.0, 1.0], strict=True).violations(2.0) == Violations(records=5, blocks=2)
    assert measured([0.1, 0.2], safer="lower").violations(0.1) == Violations(records=2, blocks=1)
