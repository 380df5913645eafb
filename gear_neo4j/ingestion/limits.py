"""What a document may take at most, so that one hostile or broken file costs no more than its share."""

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The most that one document may be and take: a document beyond any of them is a problem of its own.

    ``bytes`` is the size of its file, ``characters`` the text that comes out of it, ``pages`` those of a PDF or
    the slides of a presentation, ``expanded`` what an office file holds once it is decompressed (bytes);
    ``seconds`` and ``memory`` (bytes, on Linux) are what its conversion may take.
    """

    bytes: int = 256 * MIB
    characters: int = 50_000_000
    pages: int = 5_000
    expanded: int = 1024 * MIB
    seconds: float = 120.0
    memory: int = 4096 * MIB


DEFAULT_LIMITS = Limits()
