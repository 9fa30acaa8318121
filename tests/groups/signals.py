"""Signals that the tests of groups share."""

from __future__ import annotations

QUANTITY = [19, 12, 153, 71, 13, 79, 7, 33, 16, 270, 812, 135, 241, 14, 60, 4337]
"""CT10's quantity signal."""
FINAL = [6, 183, 300, 310, 343, 334, 323, 341, 348, 496, 654, 624, 704, 399, 221, 686]
"""What CT10 makes of it."""
CONCENTRATION = [0.004, 0.002, 0.033, 0.009, 0.002, 0.012, 0.002, 0.007, 0.001, 0.035, 0.058, 0.017, 0.03, 0.003,
                 0.004, 0.128]  # fmt: skip  # rows of numbers, as printed
"""CT10's concentration signal."""
