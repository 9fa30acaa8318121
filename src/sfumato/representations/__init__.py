"""How attributes are released: exactly, as an interval, as a set of categories, or by fuzzy sets.

A new representation is a class in a file of its own, added to :data:`Form`.
"""

from typing import Annotated

from pydantic import Field

from sfumato.representations.attribute_pair import Comparable, OutsideFile
from sfumato.representations.category_set import Sets
from sfumato.representations.exact import Exact
from sfumato.representations.fuzzy_sets import Fuzzy
from sfumato.representations.interval import Interval
from sfumato.representations.label_text import set_label
from sfumato.representations.representation import Misfit, Representation, is_plain_number

Form = Annotated[Exact | Interval | Sets | Fuzzy, Field(discriminator="form")]
"""What a codebook can hold."""

__all__ = [
    "Comparable",
    "Exact",
    "Form",
    "Fuzzy",
    "Interval",
    "Misfit",
    "OutsideFile",
    "Representation",
    "Sets",
    "is_plain_number",
    "set_label",
]
