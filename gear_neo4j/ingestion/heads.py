"""The metadata of documents, from the file and its head, as fields for filters.

The heads of HTML, PDF and office files provide ``author``, ``date``, ``description``, ``keywords`` and ``language``;
front matter provides its own fields. Every file has a ``file`` name and the time it was ``modified``.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from gear_neo4j.ingestion.lines import to_metadata

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from pypdf import DocumentInformation

# Every passage of a document stores its metadata, so the size of a head must be limited, in bytes.
LARGEST_HEAD = 8_192
LONGEST_TEXT = 1_000
MOST_ITEMS = 100
MOST_FIELDS = 50
# Merge keys of YAML multiply what they name.
MOST_MERGED = 1_000
# Names of <meta> elements, in order of precedence.
_META = {
    "author": ("author", "dc.creator", "dcterms.creator", "citation_author", "article:author"),
    "date": ("date", "dc.date", "dcterms.date", "dcterms.created", "citation_date", "article:published_time"),
    "description": ("description", "dc.description", "dcterms.abstract", "og:description"),
    "keywords": ("keywords", "dc.subject", "news_keywords"),
    "language": ("language", "dc.language", "content-language"),
}
_BETWEEN_KEYWORDS = re.compile(r"[,;]")


class _Loader(yaml.SafeLoader):
    """Reads front matter; a mapping that merges too many others is refused."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        super().flatten_mapping(node)
        if len(node.value) > MOST_MERGED:
            raise yaml.constructor.ConstructorError(None, None, "a mapping merges too many others", node.start_mark)


def fields(given: Mapping[Any, Any]) -> dict[str, Any]:
    """The fields that a passage can store, at most 50 in 8 KiB of JSON.

    Nested values, overlong texts, and fields for which there is no room left are left out.

    Dates become texts in ISO 8601; times with a zone become UTC.

    Example:
        >>> fields({"year": 2024, "team": ["red", "blue"], "seen": date(2024, 5, 31), "nested": {"a": 1}})
        {'year': 2024, 'team': ['red', 'blue'], 'seen': '2024-05-31'}
    """
    kept: dict[str, Any] = {}
    room = LARGEST_HEAD
    for name, value in given.items():
        # A time in the year 1 may not exist in UTC.
        with suppress(ValueError, OverflowError):
            field = to_metadata({str(name): _value(value)})
            if (size := size_of(field)) <= room:
                kept |= field
                room -= size
        if len(kept) == MOST_FIELDS:
            break
    return kept


def size_of(metadata: Mapping[str, Any]) -> int:
    """The size of metadata as JSON, in bytes.

    Example:
        >>> size_of({"year": 2024})
        14
    """
    return len(json.dumps(metadata, ensure_ascii=False).encode())


def from_file(path: Path) -> dict[str, Any]:
    """The name of a file, and the time of its last modification."""
    modified = datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
    return fields({"file": path.name, "modified": modified})


def from_front_matter(block: str) -> dict[str, Any]:
    """The front matter of a Markdown text, given as YAML without its delimiters; empty if it cannot be parsed.

    Example:
        >>> from_front_matter("title: Minutes\\nteam: [red]\\ndate: 2024-05-31T10:00:00+02:00")
        {'title': 'Minutes', 'team': ['red'], 'date': '2024-05-31T08:00:00Z'}
    """
    return fields(_settings(block))


def keeps_all(block: str) -> bool:
    """Whether all fields of a block of front matter become metadata.

    Example:
        >>> keeps_all("title: Minutes"), keeps_all("team: {red: 1}"), keeps_all("no settings")
        (True, False, False)
    """
    settings = _settings(block)
    return bool(settings) and len(settings) == len(fields(settings))


def _settings(block: str) -> dict[Any, Any]:
    if len(block.encode()) > LARGEST_HEAD:
        return {}
    try:
        settings = yaml.load(block, _Loader)
    except Exception:
        # Besides YAML errors, the constructor of a tag can raise anything.
        return {}
    return settings if isinstance(settings, dict) else {}


def from_html(soup: "BeautifulSoup") -> dict[str, Any]:
    """The metadata from the ``<meta>`` elements of a page and the ``lang`` of its root.

    Example:
        >>> from bs4 import BeautifulSoup
        >>> from_html(BeautifulSoup('<html lang="de"><meta name="Author" content="Ada">', "lxml"))
        {'author': 'Ada', 'language': 'de'}
    """
    given: dict[str, str] = {}
    for element in soup("meta"):
        name = element.get("name") or element.get("property") or element.get("http-equiv")
        given.setdefault(str(name).lower(), str(element.get("content") or ""))
    root = soup.find("html")
    given.setdefault("language", str(root.get("lang") or "") if root else "")
    return described({field: next(filter(None, map(given.get, names)), None) for field, names in _META.items()})


def from_pdf(information: "DocumentInformation") -> dict[str, Any]:
    """The metadata from the information of a PDF; its subject becomes the description."""
    created: datetime | None = None
    # Dates in PDFs are often malformed.
    with suppress(Exception):
        created = information.creation_date
    return described(
        {
            "author": information.author,
            "date": created,
            "description": information.subject,
            "keywords": information.keywords,
        }
    )


def from_office(core: Mapping[str, str]) -> dict[str, Any]:
    """The metadata from the core properties of an office file; the description is its comments, else its subject.

    Example:
        >>> from_office({"creator": "Ada", "created": "2024-05-31T10:00:00Z", "subject": "Sales"})
        {'author': 'Ada', 'date': '2024-05-31T10:00:00Z', 'description': 'Sales'}
    """
    return described(
        {
            "author": core.get("creator"),
            "date": core.get("created"),
            "description": core.get("description") or core.get("subject"),
            "keywords": core.get("keywords"),
            "language": core.get("language"),
        }
    )


def described(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields ``author``, ``date``, ``description``, ``keywords`` and ``language``, as far as they are not blank."""
    return fields(dict(_standard(given)))


def _standard(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields that are not blank, with keywords as a list and dates in one format."""
    for name, value in given.items():
        match name, value:
            case "date", datetime():
                yield name, value
            case "keywords", str():
                words = [" ".join(word.split()) for word in _BETWEEN_KEYWORDS.split(value[:LARGEST_HEAD])]
                if named := list(filter(None, words)):
                    yield name, named
            case _, str() if text := " ".join(value.split()):
                yield name, _moment(text) if name == "date" else text


def _moment(text: str) -> datetime | str:
    # A date without a time stays a date.
    with suppress(ValueError):
        return datetime.fromisoformat(text) if len(text) > len("2024-05-31") else text
    return text


def _value(value: object) -> object:
    if not isinstance(value, list):
        return _single(value)
    if len(value) > MOST_ITEMS:
        raise ValueError(f"a list of more than {MOST_ITEMS} items")
    return [_single(item) for item in value]


def _single(value: object) -> object:
    match value:
        case datetime(tzinfo=None):
            return value.isoformat(timespec="seconds")
        case datetime():
            return f"{value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"
        case date():
            return value.isoformat()
        case str() if len(value) > LONGEST_TEXT:
            raise ValueError(f"a text of more than {LONGEST_TEXT:,} characters")
        case None | str() | int() | float():
            return value
        case _:
            raise ValueError(f"a {type(value).__name__}")
