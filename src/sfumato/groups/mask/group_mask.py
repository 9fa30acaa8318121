"""GroupMask: from a microfile to a release in which a group is hidden."""

from __future__ import annotations

from sfumato.groups.mask.mask_settings import MaskSettings
from sfumato.microfile import Microfile
from sfumato.progress import Progress
from sfumato.randomness import Secret
from sfumato.release import Release


class GroupMask(MaskSettings):
    """Hide where a group stands out, by swapping places between records that are otherwise alike.

    Only values of the parameter attribute are swapped: every place keeps its number of records, and every
    attribute its distribution. The release does not say which group was hidden.

    Examples
    --------
    >>> import polars as pl
    >>> from sfumato.groups import Group
    >>> rows = [(area, "army" if number < members else "shop", number) for area, members in
    ...         (("A", 4), ("B", 5), ("C", 40), ("D", 3), ("E", 6)) for number in range(60)]
    >>> people = pl.DataFrame(rows, schema=["area", "work", "age"], orient="row")
    >>> army = Group(vital={"work": ["army"]}, parameter="area")
    >>> release = GroupMask(group=army, hide=["C"], influential=["age"]).protect(people)
    >>> army.quantity(release.table).outliers().labels
    ()
    """

    def _make_release(self, people: Microfile, progress: Progress, secret: Secret) -> Release:
        from sfumato.groups.mask.mask_protection import protect

        return protect(self, people, progress, secret)
