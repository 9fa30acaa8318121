"""Microfiles: reading them, and what their columns are."""

from sfumato.microfile.attribute import Attribute, Kind
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.reader import read

__all__ = ["Attribute", "Kind", "Microfile", "read"]
