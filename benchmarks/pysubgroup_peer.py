"""Runs in pysubgroup's own environment: a beam search for rules about who is vital.

``pysubgroup_peer.py NPZ``, where NPZ holds ``values``, variables by records from 0 on, and ``vital``. Prints JSON:
seconds, how many rules were tried, and the rules found as genes with how many of the vital records and of the others
each describes.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import pandas
import pysubgroup

given = np.load(sys.argv[1])
values, vital = given["values"], given["vital"]
frame = pandas.DataFrame({str(number): column for number, column in enumerate(values)})
frame["vital"] = vital


class Counted(pysubgroup.WRAccQF):
    """Weighted relative accuracy, which is the discriminative factor up to a constant, counting what is tried."""

    tried = 0

    def evaluate(self, *arguments: object, **more: object) -> float:
        """Return the quality of a rule."""
        Counted.tried += 1
        return super().evaluate(*arguments, **more)


target = pysubgroup.BinaryTarget("vital", True)
selectors = [
    pysubgroup.EqualitySelector(str(number), value)
    for number, column in enumerate(values)
    for value in np.unique(column)
]
task = pysubgroup.SubgroupDiscoveryTask(frame, target, selectors, result_set_size=20, depth=5, qf=Counted())
begun = time.perf_counter()
result = pysubgroup.BeamSearch(beam_width=20).execute(task)
seconds = time.perf_counter() - begun

rules, hits, false_alarms = [], [], []
for _, description, _ in result.results:
    rule = [0] * len(values)
    held = np.ones(vital.size, dtype=bool)
    for selector in description.selectors:
        rule[int(selector.attribute_name)] = int(selector.attribute_value) + 1
        held &= values[int(selector.attribute_name)] == selector.attribute_value
    rules.append(rule)
    hits.append(int((held & vital).sum()))
    false_alarms.append(int((held & ~vital).sum()))
print(
    json.dumps({"seconds": seconds, "tried": Counted.tried, "rules": rules, "hits": hits, "false_alarms": false_alarms})
)
