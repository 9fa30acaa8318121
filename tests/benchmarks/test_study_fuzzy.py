"""The study of fuzzy partitions: what it compares by, and that it goes the way of the toolbox."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from benchmarks.qadm14 import BESTS, TESTS
from benchmarks.study_fuzzy import READINGS, above_main_part, compare, one_sided, totals_that_fit
from benchmarks.toolbox import toolbox_memberships, toolbox_start
from sfumato.fuzzy.c_means import FuzzyCMeans
from sfumato.fuzzy.gustafson_kessel import GustafsonKessel


def three_heaps():
    random = np.random.default_rng(0)
    return np.concatenate([random.normal(centre, 0.3, (60, 2)) for centre in ((0, 0), (4, 1), (1, 5))])


@pytest.mark.parametrize(("method", "own_norms"), [(FuzzyCMeans, False), (GustafsonKessel, True)])
def test_the_way_of_the_toolbox_ends_where_ours_does_if_there_is_one_end_only(method, own_norms):
    records = three_heaps()
    ours = method(3, init=toolbox_start(records), tol=1e-9).fit(records).memberships_
    theirs = toolbox_memberships(records, own_norms=own_norms)
    assert theirs.sum(axis=1) == pytest.approx(1)
    order = [int(np.abs(ours - column[:, None]).sum(axis=0).argmin()) for column in theirs.T]
    assert np.abs(ours[:, order] - theirs).max() < 1e-3


def test_methods_that_tie_are_all_best_and_distances_are_of_the_others():
    found = compare(np.array([[5.0, 5.0, 1.0], [2.0, 8.0, 4.0]]), safer="higher")
    assert found.bests.tolist() == [1, 2, 0]
    assert found.shares == pytest.approx([100 / 3, 200 / 3, 0])
    assert found.distances[[0, 2]].tolist() == [6, 4]
    assert np.isnan(found.distances[1])
    assert compare(np.array([[5.0, 1.0]]), safer="lower").bests.tolist() == [0, 1]


def test_risk_above_the_main_part_by_hand():
    # of 100 records 60 have the median risk 1/60 and mad 0, so that all others stand out
    assert above_main_part(np.array([60, 30, 10])) == 40
    # median 1/40, mad 1.4826 (1/35 - 1/40): 1/25 lies above 1/40 + 2 mad = 0.0356
    assert above_main_part(np.array([40, 35, 25])) == 25


def test_totals_tell_how_many_bests_were_counted():
    assert 56 in totals_that_fit(BESTS["Census"]["k"])
    assert 55 not in totals_that_fit(BESTS["Census"]["k"])
    assert totals_that_fit(BESTS["Census"]["TAXINC l"]) == []


def test_pairs_leave_out_the_sensitive_attribute_so_that_printed_p_values_come_out(real_data):
    for reading in READINGS[::2]:
        names = pl.read_csv(real_data(f"sdcmicro/{reading.file}"), n_rows=1).columns
        for measure, (_, percent, printed) in TESTS[reading.table].items():
            found = one_sided(percent / 100, len(reading.pairs(names, measure)))
            # the odd one out would need 46 pairs
            assert (found == pytest.approx(printed, rel=0.06)) == (measure != "PTOTVAL t")
