"""What the generator leaves out, because it is known not to work yet.

Every entry names a trait that the generator would otherwise draw, with the reason. Take an entry out to draw the trait
again; ``python -m tests.generated_cases --wide`` draws everything.
"""

from __future__ import annotations

NARROWED: dict[str, str] = {
    # kinds of columns
    "integers around 2^53": "values outside their boxes, edges that show values, ranges without the truth",
    "integers above 2^53": "as around 2^53",
    "integers above 2^63": "as around 2^53",
    "decimals": "tight edges are rounded to reals, so that values lie outside them",
    "decimals beyond 2^53": "as around 2^53",
    "times in ns": "edges are cut off to microseconds, so that values lie outside them",
    "one missing code": "a code beside an empty cell is visible and counted as the same value",
    "several missing codes": "visible codes are counted as one value",
    # ways of protecting
    "placing": "records are placed into other boxes than their own",
    "three places": "IndexError in masks over three places",
    "reshaping by moments": "places stand out after the mask",
    "k-means": "a warning of scikit-learn where there are fewer values than sets",
    # what is compared
    "rounding of a range": "an exact attribute has a range of no width, one rounding error beside the truth",
}
