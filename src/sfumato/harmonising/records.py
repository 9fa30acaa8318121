"""The step that changes which records a file has."""

from __future__ import annotations

from pydantic import model_validator

from sfumato.arrays import Flags
from sfumato.errors import SettingError
from sfumato.harmonising.step import Step
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.selection import Chosen, attributes_of, chosen_in


class Keep(Step):
    """Keeps the records that have something, and removes the others, also those of whom it is not known."""

    keep: Chosen
    """What a record must have: a table of attributes with values (a list) or a range (least, most), several such tables
    of which one is enough, or a condition such as "AGEP >= 18 and ESR in [1, 4]"."""

    @model_validator(mode="after")
    def _check(self) -> Keep:
        try:
            attributes_of(self.keep, setting="keep")
        except SettingError as error:
            raise ValueError(error.message) from None
        return self

    @property
    def attributes(self) -> tuple[str, ...]:
        """Those that decide."""
        return attributes_of(self.keep, setting="keep")

    def kept(self, microfile: Microfile) -> Flags:
        """Say which records stay."""
        kept = chosen_in(microfile, self.keep, setting="keep")
        if not kept.any():
            if unknown := [name for name in self.attributes if microfile.encoded(name).missing.all()]:
                raise SettingError(
                    f"keep: {unknown[0]!r} has no value in any record, so that none can be chosen by it",
                    hint="who gets a release cannot choose by what it does not tell; leave the step out, or release it",
                )
            raise SettingError(
                f"keep: none of the {microfile.records:,} records is left",
                hint="look at the codes and units of the attributes with sfumato profile",
            )
        return kept

    def _applied(self, microfile: Microfile) -> Microfile:
        return microfile.filter(self.kept(microfile))
