"""A protection in a file of its own: it rounds numeric quasi attributes. Only tests know it."""

from __future__ import annotations

from decimal import ROUND_CEILING
from typing import ClassVar

import numpy as np
from pydantic import Field

from sfumato.errors import UnattainableError
from sfumato.microfile.microfile import Microfile
from sfumato.progress import Progress
from sfumato.protections import (
    PersonProtection,
    ProtectedTable,
    broken_limits,
    check_input,
    records_within_limits,
    release_of,
)
from sfumato.randomness import Secret
from sfumato.release.public_settings import PublicSettings, short
from sfumato.release.release import Release
from sfumato.representations import Form, Interval


class RoundingPublicSettings(PublicSettings):
    """How values were rounded."""

    base: int = Field(default=10, ge=1)
    """Values are rounded to multiples of this number."""


class Rounding(PersonProtection):
    """Round numeric quasi attributes, and suppress the records of blocks that are still too small."""

    log_name: ClassVar[str] = "rounding"

    base: int = Field(default=10, ge=2)
    """Values are rounded to multiples of this number."""

    def _make_release(self, people: Microfile, progress: Progress, secret: Secret) -> Release:
        check_input(self, people)
        columns, forms = {}, dict[str, Form]()
        for name in self.quasi:
            forms[name] = Interval()
            rounded = np.floor(people.numbers(name) / self.base + 0.5) * self.base
            columns |= {f"{name}.lo": rounded - self.base / 2, f"{name}.hi": rounded + self.base / 2}
        unchanged = [name for name in people.names if name not in (*self.quasi, *self.identifiers)]
        table = people.with_columns(columns).select([*columns, *unchanged])
        is_retained = records_within_limits(self, table, forms)
        if (~is_retained).mean() > self.suppress or broken_limits(self, table.filter(is_retained), forms):
            raise UnattainableError("rounding leaves blocks that are too small", hint="choose a larger base")
        public = RoundingPublicSettings(
            method="round", suppress=short(self.suppress, rounding=ROUND_CEILING), base=self.base
        )
        protected = ProtectedTable(
            table.filter(is_retained), tuple(self.quasi), forms, np.flatnonzero(is_retained), public
        )
        return release_of(self, people, protected, secret)
