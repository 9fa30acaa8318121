"""Runs in pysubgroup's own environment: a beam search for rules about who is vital.

``pysubgroup_peer.py NPZ``, where NPZ holds ``values``, variables by records from 0 on, and ``vital``. Prints JSON:
seconds, how many rules were tried, those of them that ask for no two values of a variable, as genes, and how many of
the vital records and of the others each of these describes.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
import pandas
import pysubgroup

given = np.load(sys.argv[1])
values, vital = given["values"], given["vital"]
frame = pandas.DataFrame({str(number): column for number, column in enumerate(values)})
frame["vital"] = vital
tried: list[Any] = []


class Kept(pysubgroup.WRAccQF):
    """Weighted relative accuracy, which is the discriminative factor up to a constant; keeps what is tried."""

    def evaluate(self, subgroup: Any, *arguments: object, **more: object) -> float:
        """Return the quality of a rule."""
        tried.append(subgroup)
        return super().evaluate(subgroup, *arguments, **more)


target = pysubgroup.BinaryTarget("vital", True)
selectors = [
    pysubgroup.EqualitySelector(str(number), value)
    for number, column in enumerate(values)
    for value in np.unique(column)
]
task = pysubgroup.SubgroupDiscoveryTask(frame, target, selectors, result_set_size=30, depth=6, qf=Kept())
begun = time.perf_counter()
pysubgroup.BeamSearch(beam_width=30).execute(task)
seconds = time.perf_counter() - begun

found: dict[str, list[Any]] = {"rules": [], "hits": [], "false_alarms": []}
for conditions in (subgroup.selectors for subgroup in tried):
    if len({condition.attribute_name for condition in conditions}) < len(conditions):
        continue
    rule = [0] * len(values)
    held = np.ones(vital.size, dtype=bool)
    for condition in conditions:
        number, value = int(condition.attribute_name), int(condition.attribute_value)
        rule[number] = value + 1
        held &= values[number] == value
    found["rules"].append(rule)
    found["hits"].append(int((held & vital).sum()))
    found["false_alarms"].append(int((held & ~vital).sum()))
print(json.dumps({"seconds": seconds, "tried": len(tried), **found}))
