"""Products: from a partition of each attribute to one of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as combinations

from numpy.typing import ArrayLike

from sfumato.arrays import Reals
from sfumato.errors import SettingError
from sfumato.fuzzy.memberships import as_partition


def product(partitions: Sequence[ArrayLike]) -> Reals:
    """Combine partitions: every set of the first with every set of the second, and so on.

    A record belongs to a combination by the product of its memberships. Any other t-norm breaks the partition (ERRATA
    002-12): a record half in each of two sets of two attributes would belong to the four combinations by 2 in all with
    the minimum, and by 0 with Lukasiewicz' norm.

    Parameters
    ----------
    partitions
        Tables of records by sets, of the same records.

    Returns
    -------
    The memberships in all combinations, those of the last partition changing fastest.

    Examples
    --------
    >>> product([[[0.5, 0.5]], [[0.25, 0.75]]]).tolist()
    [[0.125, 0.375, 0.125, 0.375]]
    """
    if not partitions:
        raise SettingError("a product needs at least one partition")
    first, *others = (as_partition(partition) for partition in partitions)
    for other in others:
        if other.shape[0] != first.shape[0]:
            raise SettingError(
                f"partitions of a product must be of the same records (given: {first.shape[0]:,} and "
                f"{other.shape[0]:,} records)"
            )
        # sum_ij mu_i nu_j = (sum_i mu_i) (sum_j nu_j) = 1
        first = (first[:, :, None] * other[:, None, :]).reshape(first.shape[0], -1)
    return first


def product_names(names: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Name the combinations, in the order of :func:`product`.

    >>> product_names([["young", "old"], ["poor", "rich"]])
    ('young, poor', 'young, rich', 'old, poor', 'old, rich')
    """
    return tuple(", ".join(combination) for combination in combinations(*names))
