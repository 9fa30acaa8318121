from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.kernels.boxes.box_cost import LINEAR, SET
from sfumato.kernels.boxes.boxes_to_tiles import find_cells, list_sets

N_CATEGORIES = 12
BOXES = st.lists(
    st.tuples(*[st.sets(st.integers(0, N_CATEGORIES - 1), min_size=1, max_size=3)] * 2, st.integers(0, 6)),
    min_size=1,
    max_size=12,
)


def plain_cells(boxes):
    """The cells as Python's own sets: two sets of categories, and a number with its place alone."""
    cells = [[set().union(*(box[row] for box in boxes)) for row in range(2)] + [(-1, 9)] for _ in boxes]

    def part(low, high):
        for row in range(3):
            possible = []
            for middle in range(low + 1, high):
                lower, upper = ([box[row] for box in side] for side in (boxes[low:middle], boxes[middle:high]))
                apart = max(lower) < min(upper) if row == 2 else not set().union(*lower) & set().union(*upper)
                if apart:
                    possible.append((abs(2 * middle - low - high), -middle))
            if possible:
                middle = -min(possible)[1]
                for box in range(low, high):
                    if row == 2:
                        cut, (lowest, highest) = boxes_lowest(boxes[middle:high]), cells[box][2]
                        cells[box][2] = (lowest, cut) if box < middle else (cut, highest)
                    else:
                        lower = set().union(*(side[row] for side in boxes[low:middle]))
                        cells[box][row] = cells[box][row] & lower if box < middle else cells[box][row] - lower
                part(low, middle)
                part(middle, high)
                return

    part(0, len(boxes))
    return cells


def boxes_lowest(boxes):
    return min(box[2] for box in boxes)


@settings(max_examples=300)
@given(BOXES)
def test_cells_are_those_of_a_plain_twin(boxes):
    n = len(boxes)
    lists = [sorted(box[row]) for row in range(2) for box in boxes]
    categories = np.array([category for members in lists for category in members], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, lists)])
    starts = np.stack([offsets[: n + 1], offsets[n:], np.zeros(n + 1, dtype=np.int64)])
    numbers = np.array([[0.0] * n, [0.0] * n, [float(box[2]) for box in boxes]])
    cell_lo, cell_hi = np.full((3, n), -1.0), np.full((3, n), 9.0)
    cell_sets, cuts = np.zeros((3, n), dtype=np.int64), np.zeros((n, 4), dtype=np.int64)
    n_cuts = find_cells(
        np.array([SET, SET, LINEAR], dtype=np.int32), np.ones(3, dtype=bool), numbers, numbers, categories, starts,
        0, n, cell_lo, cell_hi, cell_sets, cuts, 0, np.empty(N_CATEGORIES, dtype=np.int64),
    )  # fmt: skip
    expected = plain_cells(boxes)
    assert list(zip(cell_lo[2], cell_hi[2], strict=True)) == [cell[2] for cell in expected]
    for row in range(2):
        set_ids, of = np.unique(cell_sets[row], return_inverse=True)
        every = np.unique(categories[starts[row, 0] : starts[row, -1]])
        mark = np.zeros(N_CATEGORIES, dtype=np.int64)
        listed, ends = list_sets(categories, starts[row], every, cuts[:n_cuts], set_ids, mark)
        sets = [members.tolist() for members in np.split(listed, ends[:-1])]
        assert [sets[number] for number in of] == [sorted(cell[row]) for cell in expected]
