"""Recognises the values of a property: origins, such as file names, and machine-readable text, such as hashes."""

import re
from collections.abc import Collection

from gear_neo4j.adoption.profile import words_of

_EXTENSIONS = "txt|md|rst|pdf|docx?|odt|rtf|xlsx?|pptx?|html?|csv|tsv|jsonl?|xml|ya?ml|toml|png|jpe?g|gif|svg|zip|gz|py"
_ORIGIN = re.compile(
    r"[a-z][a-z0-9+.-]*://\S+"  # an address
    r"|www\.\S+"
    r"|(?:[a-z]:[\\/]|[\\/]|~[\\/]|\.{1,2}[\\/]).+"  # a path
    r"|[^\s\\/]+(?:[\\/][^\s\\/]+){2,}"
    rf"|.*\.(?:{_EXTENSIONS})",
    re.IGNORECASE,
)
_OPAQUE = re.compile(
    r"\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?"
    r"|(?=.*\d)(?:0x)?[0-9a-f]{16,}"
    r"|\d{4}-\d{2}(?:-\d{2})?(?:[t ]\d{2}:\d{2}.*)?"
    r"|[\[{].*[\]}]",  # JSON
    re.IGNORECASE | re.DOTALL,
)
_NUMBERED = re.compile(r"([^\W\d_]{1,3})\d+")
_ORIGIN_WORDS = frozenset({"file", "path", "url", "uri", "href", "folder", "directory", "source", "document", "doc"})


def is_origin(name: str) -> bool:
    """Whether the name of a property suggests an origin.

    Example:
        >>> [name for name in ("fileName", "file_name", "filename", "sourceUrl", "profile", "name") if is_origin(name)]
        ['fileName', 'file_name', 'filename', 'sourceUrl']
    """
    words = words_of(name).split()
    return not _ORIGIN_WORDS.isdisjoint(words) or any(word in ("filename", "filepath") for word in words)


def are_origins(values: Collection[str]) -> bool:
    """Whether most of the values are file names, paths or addresses.

    Example:
        >>> are_origins({"report.pdf", "notes/2024/may", "https://example.org"}), are_origins({"HIV/AIDS", "Node.js"})
        (True, False)
    """
    return _mostly(_ORIGIN, values)


def are_opaque(values: Collection[str]) -> bool:
    """Whether most of the values are times, UUIDs, hashes, or JSON.

    Example:
        >>> are_opaque({"2026-11-21T17:40:31+00:00", "d41d8cd98f00b204e9800998ecf8427e"}), are_opaque({"Curie"})
        (True, False)
    """
    return _mostly(_OPAQUE, values)


def are_numbered(values: Collection[str]) -> bool:
    """Whether the values are only numbered: the same few letters before a number.

    Example:
        >>> are_numbered({"n1034", "n207"}), are_numbered({"HER2", "BRCA1"}), are_numbered({"n1034"})
        (True, False, False)
    """
    matches = [_NUMBERED.fullmatch(value) for value in values]
    return len(matches) > 1 and all(matches) and len({match[1] for match in matches if match}) == 1


def _mostly(pattern: re.Pattern[str], values: Collection[str]) -> bool:
    filled = [value.strip() for value in values if value.strip()]
    return 2 * sum(bool(pattern.fullmatch(value)) for value in filled) > len(filled)
