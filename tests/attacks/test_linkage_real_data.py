"""Linkage on real microdata: a file with itself, and with its releases."""

from __future__ import annotations

import numpy as np
import pytest

import sfumato as sf

RECORDS = 5000
FILES = {
    "arx_adult/adult.csv.gz": (["age", "education", "sex", "workclass"], ["age"]),
    "adult/adult_train.csv.gz": (["age", "hours-per-week", "education-num", "race"], ["age", "hours-per-week"]),
    "census2000_ca_10k/PUMS5extract10000.csv.gz": (["age", "educ", "income"], ["age", "income"]),
    "nhanes/nhanes_raw_2009_2012.csv.gz": (["Age", "Poverty", "Gender", "Education"], ["Age", "Poverty"]),
}


def read(file, real_data):
    people = sf.read(real_data(file))
    return people.filter(np.random.default_rng(0).permutation(people.records) < RECORDS)


@pytest.mark.parametrize("file", FILES)
def test_boxes_and_fuzzy_sets_leave_one_in_k(file, real_data):
    people, (quasi, numbers) = read(file, real_data), FILES[file]
    blocks = sf.measure(people, quasi=quasi).blocks
    raw = sf.Linkage(on=quasi, truth="order", missing="own").attack(people, people)["containment"]
    assert raw.right == raw.unique == (blocks.sizes == 1).sum() / people.records
    boxes = sf.Boxes(quasi=quasi, k=10).protect(people)
    for missing in ("any", "own"):
        linked = sf.Linkage(truth="order", missing=missing).attack(boxes, people)
        links = linked["containment"]
        assert (links.covered, links.unique) == (1.0, 0.0)
        assert links.fewest >= 10
        assert all(links.expected <= 0.1 for links in linked.methods.values())
    fuzzy = sf.FuzzyPartition(quasi=numbers, k=10, sets=3, levels=2, suppress=0.02).protect(people)
    if fuzzy.microfile.records == people.records:
        linked = sf.Linkage(truth="order", missing="own").attack(fuzzy, people)
        assert linked["containment"].covered == 1.0
        assert linked["containment"].fewest >= 10
        assert linked["inversion"].expected <= linked["containment"].expected <= 0.1
    assert sf.Linkage(methods=["containment"]).attack(fuzzy, people)["containment"].fewest >= 10
