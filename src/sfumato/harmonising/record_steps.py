"""The step that changes which records a file has."""

from __future__ import annotations

from pydantic import model_validator

from sfumato.array_types import Flags
from sfumato.errors import SettingError
from sfumato.harmonising.step import Step
from sfumato.microfile import Microfile
from sfumato.record_filter import Chosen, attributes_of, chosen_in


class Keep(Step):
    """Keeps the records that satisfy a condition; removes the others, including those with missing values."""

    keep: Chosen
    """What a record must have: a table of attributes with values (a list) or a range (least, most), several such tables
    of which one is enough, or a condition such as "AGEP >= 18 and ESR in [1, 4]"."""

    @model_validator(mode="after")
    def _check(self) -> Keep:
        attributes_of(self.keep, setting="keep")
        return self

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes of the condition."""
        return attributes_of(self.keep, setting="keep")

    def kept(self, microfile: Microfile) -> Flags:
        """Return which records stay."""
        retained = chosen_in(microfile, self.keep, setting="keep")
        if not retained.any():
            if unknown := [name for name in self.attributes if microfile.encoded(name).missing.all()]:
                raise SettingError(
                    f"keep: {unknown[0]!r} has no value in any record, so it cannot be used to select records",
                    hint="leave the step out, or release the attribute: a release is filtered by what it contains",
                    setting="keep",
                    column=unknown[0],
                )
            raise SettingError(
                f"keep: none of the {microfile.records:,} records remain",
                hint="check the codes and units of the attributes with sfumato profile",
                setting="keep",
            )
        return retained

    def _applied(self, microfile: Microfile) -> Microfile:
        return microfile.filter(self.kept(microfile))
