"""Runs in scikit-fuzzy's own environment: fuzzy c-means from a given start, with the seconds of an iteration.

``skfuzzy_peer.py NPZ FEW MANY``, where NPZ holds ``records`` and ``start``, the first centres. Prints JSON: seconds, by
which a fit of MANY iterations takes longer than one of FEW for each more (0 if there are none), and the centres.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import skfuzzy

path, *iterations = sys.argv[1:]
few, many = map(int, iterations)
given = np.load(path)
records, start = given["records"], given["start"]
distances = np.array([((records - centre) ** 2).sum(axis=1) for centre in start])
# fuzzy c-means with the fuzzifier 2; it bounds distances from below just so
memberships = 1.0 / np.fmax(distances, np.finfo(np.float64).eps ** 2)
memberships /= memberships.sum(axis=0)


def fit(n: int) -> tuple[np.ndarray, float]:
    begun = time.perf_counter()
    centres = skfuzzy.cmeans(records.T, len(start), 2.0, error=0.0, maxiter=n, init=memberships)[0]
    return centres, time.perf_counter() - begun


centres, longer = fit(many)
seconds = (longer - fit(few)[1]) / (many - few) if many > few else 0.0
print(json.dumps({"seconds": seconds, "centres": centres.tolist()}))
