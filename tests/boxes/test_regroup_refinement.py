from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.boxes.axes import axes_of, space_of
from sfumato.boxes.category_label_groups import Present
from sfumato.boxes.constraints import limits_with
from sfumato.boxes.cut_engine import subdivide
from sfumato.boxes.regroup_refinement import closed_labels, regrouped, turns_for
from sfumato.progress import silent
from sfumato.randomness import Secret

K = 4


def table(records: int = 900) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    job = rng.choice(8, records, p=[0.3, 0.3, 0.2, 0.1, 0.05, 0.03, 0.01, 0.01])
    return pl.DataFrame(
        {
            "age": rng.integers(0, 90, records),
            "job": [f"job {code}" for code in job],
            "town": [f"town {code}" for code in (job + rng.integers(0, 3, records)) % 6],
        }
    )


class Case:
    """A table cut into boxes, before and after regrouping."""

    def __init__(self, *, closing=True, turns=3, threads=1, strata=None, rules=()):
        frame = table()
        self.axes = axes_of(sf.Microfile(frame), frame.columns, {})
        places = np.stack([axis.coordinates for axis in self.axes])
        self.space = space_of(self.axes, places, np.ones_like(places))
        kept = np.ones(frame.height, dtype=bool)
        limits, codes = limits_with(K, list(rules), kept), 32
        parts = [np.arange(frame.height)] if strata is None else [np.flatnonzero(strata == one) for one in (0, 1)]
        self.before = subdivide(self.space, limits, parts, codes, threads=threads, progress=silent)
        present = self.present if closing else None
        self.labels = closed_labels(self.axes, present, K)
        self.after = regrouped(
            self.space,
            limits,
            self.before,
            self.labels,
            codes,
            strata=strata,
            turns=turns,
            secret=Secret.from_seed(1),
            threads=threads,
            progress=lambda share: None,
        )

    def present(self, axis):
        boxes = self.before
        lacking = np.zeros(len(boxes), dtype=bool)
        return Present.of(axis.coordinates[boxes.records], boxes.starts, lacking, len(axis.values))

    def cost(self, boxes):
        """Add up what boxes cost, in plain Python."""
        total = 0.0
        for members in boxes.parts():
            for row, axis in enumerate(self.axes):
                values = axis.coordinates[members].astype(int)
                if axis.kind != "set":
                    total += len(members) * float(values.max() - values.min())
                    continue
                named, groups = set(values.tolist()), self.labels.groups[row]
                if len(named) == 1:
                    continue
                for category in set(named):
                    if (values == category).sum() == 1 or self.labels.rare[row, category]:
                        own = range(len(axis.values))
                        named |= {other for other in own if groups[other] == groups[category]}
                total += len(members) * len(named) / len(axis.values)
        return total


@pytest.mark.parametrize("closing", [True, False])
def test_every_record_stays_in_one_box_of_at_least_k(closing):
    case = Case(closing=closing)
    assert sorted(case.after.records.tolist()) == list(range(900))
    assert case.after.sizes.min() >= K


@pytest.mark.parametrize("closing", [True, False])
def test_regrouping_makes_more_boxes_that_cost_less(closing):
    case = Case(closing=closing)
    assert len(case.after) > len(case.before)
    assert case.cost(case.after) < 0.95 * case.cost(case.before)


def test_each_turn_lowers_the_cost():
    costs = [(case := Case(turns=turns)).cost(case.after) for turns in range(4)]
    assert costs[0] == pytest.approx(Case().cost(Case().before))
    assert costs == sorted(costs, reverse=True)
    assert costs[3] < costs[1]


def test_the_result_does_not_depend_on_threads():
    one, two = Case(threads=1).after, Case(threads=2).after
    assert (one.records == two.records).all()
    assert (one.ends == two.ends).all()


def test_records_of_different_strata_never_share_a_box():
    strata = (np.arange(900) % 3 == 0).astype(np.int64)
    case = Case(strata=strata)
    assert all(np.unique(strata[members]).size == 1 for members in case.after.parts())
    assert case.cost(case.after) < case.cost(case.before)


def test_limits_of_sensitive_attributes_hold_after_regrouping():
    frame = table().with_columns(ill=pl.Series(np.random.default_rng(0).choice(["flu", "cold", "gout"], 900)))
    release = sf.Boxes(quasi=["age", "job", "town"], sensitive="ill", k=K, l=2, t=0.45, seed=1).protect(frame)
    assert release.audit().holds
    plain = sf.Boxes(quasi=["age", "job", "town"], sensitive="ill", k=K, l=2, t=0.45, passes=0, seed=1).protect(frame)
    cells = ["age.lo", "age.hi", "job", "town"]
    assert pl.DataFrame(release.table).n_unique(cells) > pl.DataFrame(plain.table).n_unique(cells)


def test_large_files_and_large_k_are_regrouped_fewer_times():
    assert [turns_for(records, 5) for records in (1_000, 100_000, 300_000, 500_000)] == [6, 4, 1, 0]
    assert [turns_for(50_000, k) for k in (3, 10, 20)] == [6, 2, 0]
