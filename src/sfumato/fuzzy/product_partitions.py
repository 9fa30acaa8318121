"""Products: combine partitions of single attributes into one of all of them."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from sfumato.array_types import Reals
from sfumato.errors import SettingError
from sfumato.fuzzy.memberships import as_partition


def product(partitions: Sequence[ArrayLike]) -> Reals:
    """Combine partitions: every set of the first with every set of the second, and so on.

    The membership of a record in a combination is the product of its memberships. Any other t-norm breaks the partition
    (ERRATA 002-12): for a record that is half in each of two sets of two attributes, the memberships in the four
    combinations would sum to 2 with the minimum, and to 0 with Lukasiewicz' norm.

    Parameters
    ----------
    partitions
        Tables of records by sets, of the same records.

    Returns
    -------
    The memberships in all combinations; the sets of the last partition change fastest.

    Examples
    --------
    >>> product([[[0.5, 0.5]], [[0.25, 0.75]]]).tolist()
    [[0.125, 0.375, 0.125, 0.375]]
    """
    if not partitions:
        raise SettingError("a product needs at least one partition")
    combined, *further = (as_partition(partition) for partition in partitions)
    for partition in further:
        if partition.shape[0] != combined.shape[0]:
            raise SettingError(
                f"partitions of a product must have the same records (given: {combined.shape[0]:,} and "
                f"{partition.shape[0]:,} records)"
            )
        # sum_ij mu_i nu_j = (sum_i mu_i) (sum_j nu_j) = 1
        combined = (combined[:, :, None] * partition[:, None, :]).reshape(combined.shape[0], -1)
    return combined
