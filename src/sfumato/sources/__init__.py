"""Sources: where a microfile comes from.

A new source is a class in a module of its own, and one more entry in ``AnySource``.
"""

from typing import Annotated, Any, get_args

from pydantic import Discriminator, Tag
from pydantic.json_schema import SkipJsonSchema

from sfumato.sources.file_source import FileSource, check_file_exists
from sfumato.sources.frame_source import FrameSource
from sfumato.sources.source import Source

__all__ = ["AnySource", "FileSource", "FrameSource", "Source", "check_file_exists"]


def _class_name(settings: Any) -> str:
    """Return which source the settings are of: the one whose key they have, or a file."""
    # pydantic puts the name into the path of an error, where it must not be taken for a key
    if isinstance(settings, Source):
        return type(settings).__name__
    sources = [get_args(member)[0] for member in get_args(get_args(AnySource)[0])]
    return next(
        (source.__name__ for source in sources if isinstance(settings, dict) and source.key in settings), "FileSource"
    )


AnySource = Annotated[
    Annotated[FileSource, Tag("FileSource")]
    # a recipe's file cannot hold a frame
    | Annotated[FrameSource, Tag("FrameSource"), SkipJsonSchema()],
    Discriminator(_class_name),
]
"""What ``[microfile]`` holds: the settings of any source."""
