from .attribute import Attribute, Code, Kind, kind_named
from .attribute_combinations import JOINT, joined, label_of, listed_values
from .delimited_text import read_delimited
from .encoded_column import DENSE_CELLS, Encoded, encode, is_one_of, written_codes
from .generalization_rules import EVERYTHING, Described, Intervals, Listed, plain
from .hierarchy import Hierarchy, readable
from .microfile import Kinds, Microfile, as_microfile
from .parquet_footer import MAGIC, Content, Fields, Layout, ParquetPage, Reader, content_of, layout_of
from .reader import check_readable, read, refuse_address
from .times import FIRST_DAY, LAST_DAY

__all__ = [
    "DENSE_CELLS",
    "EVERYTHING",
    "FIRST_DAY",
    "JOINT",
    "LAST_DAY",
    "MAGIC",
    "Attribute",
    "Code",
    "Content",
    "Described",
    "Encoded",
    "Fields",
    "Hierarchy",
    "Intervals",
    "Kind",
    "Kinds",
    "Layout",
    "Listed",
    "Microfile",
    "ParquetPage",
    "Reader",
    "as_microfile",
    "check_readable",
    "content_of",
    "encode",
    "is_one_of",
    "joined",
    "kind_named",
    "label_of",
    "layout_of",
    "listed_values",
    "plain",
    "read",
    "read_delimited",
    "readable",
    "refuse_address",
    "written_codes",
]
