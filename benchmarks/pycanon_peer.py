"""Runs in pycanon's own environment: its measures of one table, with the seconds each took.

``pycanon_peer.py CSV TASK``, where TASK is JSON: quasi, sensitive, and the measures wanted.
"""

from __future__ import annotations

import json
import sys
import time

import pandas as pd
from pycanon import anonymity

MEASURES = {
    "k": lambda table, quasi, sensitive: anonymity.k_anonymity(table, quasi),
    "alpha": lambda *task: anonymity.alpha_k_anonymity(*task)[0],
    "l": anonymity.l_diversity,
    "entropy_l": anonymity.entropy_l_diversity,
    "recursive_c": lambda *task: anonymity.recursive_c_l_diversity(*task)[0],
    "beta": anonymity.basic_beta_likeness,
    "enhanced_beta": anonymity.enhanced_beta_likeness,
    "t": anonymity.t_closeness,
    "delta": anonymity.delta_disclosure,
}

file, given = sys.argv[1:]
task = json.loads(given)
table = pd.read_csv(file, keep_default_na=False)
found = {}
for name in task["measures"]:
    start = time.perf_counter()
    value = MEASURES[name](table, task["quasi"], task["sensitive"])
    found[name] = {"value": float(value), "seconds": time.perf_counter() - start}
print(json.dumps(found))
