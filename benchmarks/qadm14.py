"""What QADM14 prints of its experiments, as numbers: Tables 5 to 8 and the tests beside them.

Columns are k-means, Gustafson-Kessel, fuzzy c-means; None where nothing is printed or cannot be read.
"""

from __future__ import annotations

Figures = dict[str, tuple[float | None, ...]]

BESTS: dict[str, Figures] = {
    "Census": {
        "k": (25, 18, 57),
        "Q": (None, 14, 86),
        "PTOTVAL l": (53, 16, 31),
        "PTOTVAL t": (0, 78, 22),
        # sums to 129: ERRATA 002-15
        "TAXINC l": (51, 30, 48),
        "TAXINC t": (0, 78, 22),
    },
    "Tarragona": {
        "k": (21, 55, 24),
        "Q": (None, 72, 28),
        "GROSS.PROFIT l": (22, 64, None),
        "GROSS.PROFIT t": (0, 51, None),
        "NET.PROFIT l": (23, 65, None),
        "NET.PROFIT t": (0, 38, None),
    },
}
"""Percentages of best results."""

MEANS: dict[str, Figures] = {
    "Census": {
        "k": (213.62, 200.78, 278.42),
        "risk": (164.42, 236.78, 109.22),
        "Q": (None, 184.36, 262.29),
        "PTOTVAL l": (97.73, 89.55, 109.56),
        "PTOTVAL t": (0.0867, 0.0049, 0.0129),
        "TAXINC l": (93.76, 86.13, 104.6),
        "TAXINC t": (0.0879, 0.0047, 0.0122),
    },
    "Tarragona": {
        "k": (9.79, 18.82, 12.79),
        "risk": (61.4, 167.35, 88.63),
        "Q": (None, 17.05, 10.82),
        "GROSS.PROFIT l": (9.91, 16.76, 10.8),
        "GROSS.PROFIT t": (0.0263, 0.001, 0.0008),
        "NET.PROFIT l": (10, 17.85, 10.71),
        "NET.PROFIT t": (0.027, 0.0012, 0.0003),
    },
}
"""Averages over the pairs."""

DISTANCES: dict[str, Figures] = {
    "Census": {
        "k": (100.27, 107.05, 23.78),
        "risk": (189.36, 257.83, 107.9),
        "Q": (None, 99.3, 47.63),
        "PTOTVAL l": (41.88, 32.54, None),
        "PTOTVAL t": (0.0827, 0.0042, None),
        "TAXINC l": (37.42, 30.96, None),
        "TAXINC t": (0.0841, 0.004, 0.0107),
    },
    "Tarragona": {
        "k": (13.76, 3.76, 10.44),
        "risk": (5.69, 119.11, 31.4),
        "Q": (None, 3.53, 9.93),
        "GROSS.PROFIT l": (11.33, 4.18, None),
        "GROSS.PROFIT t": (0.0256, 0.0008, None),
        "NET.PROFIT l": (12.6, 4.35, None),
        "NET.PROFIT t": (0.0264, 0.0008, None),
    },
}
"""Average distances to the best where a method is not the best."""

TESTS: dict[str, dict[str, tuple[str, int, float]]] = {
    "Census": {"Q": ("c-means", 86, 4.66e-8), "PTOTVAL t": ("Gustafson-Kessel", 78, 7.29e-5)},
    "Tarragona": {
        "Q": ("Gustafson-Kessel", 72, 5.10e-5),
        "GROSS.PROFIT l": ("Gustafson-Kessel", 64, 0.011),
        "NET.PROFIT l": ("Gustafson-Kessel", 65, 0.007),
        "NET.PROFIT t": ("c-means", 62, 0.026),
    },
}
"""The method said to be best most often, its percentage, and the p-value of that."""
