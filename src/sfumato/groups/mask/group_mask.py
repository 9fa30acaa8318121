"""GroupMask: from a microfile to a release in which a group is hidden."""

from __future__ import annotations

from typing import Any

from sfumato.groups.mask.household_check import refuse_split
from sfumato.groups.mask.mask_protection import apply_mask, release_masked
from sfumato.groups.mask.mask_settings import MaskSettings
from sfumato.groups.mask.swap_traces import refuse_traces
from sfumato.logs import logged
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.progress import Progress, silent, whole
from sfumato.randomness import Secret
from sfumato.release.release import Release
from sfumato.release.steward_warnings import concerns_of, warn_of


class GroupMask(MaskSettings):
    """Hide where a group stands out, by exchanging places between records that are otherwise alike.

    Only values of the parameter attribute are exchanged: every place keeps its number of records, and every
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

    def protect(
        self, microfile: Microfile | Any, *, progress: Progress = silent, secret: Secret | str | None = None
    ) -> Release:
        """Return a release in which the group does not stand out where it must not.

        Parameters
        ----------
        microfile
            A microfile, or a frame that becomes one.
        progress
            Called while records are compared and exchanged.
        secret
            What all random numbers are derived from: the ``secret`` of another release, or the text in its confidential
            record, which repeats that release; default: a new one. A ``seed`` takes precedence.

        Raises
        ------
        UnattainableError
            If there are too few records to exchange; the message says where.

        Warns
        -----
        SfumatoWarning
            If an attribute that is released unchanged seems to name people.
        """
        people, drawn = as_microfile(microfile), Secret.chosen(self.seed, secret)
        with logged("group mask") as note, whole(progress) as overall:
            masked = apply_mask(self, people, overall, drawn)
            release = release_masked([self], [masked], drawn)
            note(records=people.records)
        refuse_split(people, masked.microfile, self.group.parameter, release.codebook)
        refuse_traces(self, people, masked.microfile, release)
        warn_of(concerns_of(release.microfile, release.codebook, people, (), (self.weight,)))
        return release
