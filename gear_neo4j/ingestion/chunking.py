"""Splits documents into passages at paragraphs and sentences, each with its position."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gear_neo4j.domain import Passage, make_passage
from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.ingestion.heads import size_of
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.lines import LONGEST_SOURCE
from gear_neo4j.ingestion.loaders import load
from gear_neo4j.ingestion.parts import Part

CHUNK_SIZE = 1_000
SMALLEST_CHUNK = 100
PARAGRAPH = r"\n\s*\n"
# Chinese and Japanese have no space after a sentence; a closing quotation mark or bracket still belongs to it.
SENTENCE = (
    r"(?:(?<=[.!?…])|(?<=[.!?…][\"'”’»)\]]))\s+"
    r"|(?<=[。！？])(?![。！？」』”’）])|(?<=[。！？][」』”’）])"
)
LINE = r"\n"
SPACE = r"\s+"
# A word longer than a chunk, or text in a script without spaces, is cut anywhere.
ANYWHERE = ""
# The heads of a table with the rule below them, and its rows.
_TABLE = re.compile(r"(?m)^(?P<heads>[ \t]*\|.*\n[ \t]*\|?[ \t]*:?-+[-:| \t]*\n)(?P<rows>(?:[ \t]*\|.*(?:\n|\Z))+)")


def check_size(chunk_size: int) -> None:
    """Refuse a length of passages that would break up sentences.

    Raises:
        SettingsError: it is below 100 characters.
    """
    if chunk_size < SMALLEST_CHUNK:
        raise SettingsError(f"chunk_size is {chunk_size}: a passage takes at least {SMALLEST_CHUNK} characters")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a text, and its offset in characters."""

    text: str
    start: int


def chunks(text: str, *, size: int = CHUNK_SIZE) -> list[Chunk]:
    """Pieces of at most ``size`` characters without overlap, split at paragraphs and sentences, and stripped.

    A Markdown table that is longer is split between its rows, and each piece begins with its heads.

    Example:
        >>> [chunk.text for chunk in chunks("First one. Second one, longer. Third.", size=20)]
        ['First one.', 'Second one, longer.', 'Third.']
        >>> [chunk.text for chunk in chunks("|river|\\n|---|\\n|Elbe|\\n|Main|\\n|Oder|", size=28)]
        ['|river|\\n|---|\\n|Elbe|\\n|Main|', '|river|\\n|---|\\n|Oder|']
    """
    pieces: list[Chunk] = []
    end = 0
    for table in _TABLE.finditer(text):
        if _is_cut(text, table, size) and size >= 2 * len(table["heads"]):
            pieces += [*_split(text, end, table.start(), size), *_rows(text, table, size)]
            end = table.end()
    return [*pieces, *_split(text, end, len(text), size)]


def _is_cut(text: str, table: re.Match[str], size: int) -> bool:
    """Whether the paragraph with a table, and the blank line after it, are too long for one piece."""
    before, after = text.rfind("\n\n", 0, table.start()), text.find("\n\n", table.end() - 1)
    return (len(text) if after < 0 else after + 2) - (0 if before < 0 else before + 2) > size


def _rows(text: str, table: re.Match[str], size: int) -> Iterator[Chunk]:
    """The rows of a table in groups, each below the heads; a row that is too long by itself is split."""
    heads, start = table["heads"], table.start("rows")
    group = ""
    for row in table["rows"].splitlines(keepends=True):
        if group and len(heads + group + row.rstrip()) > size:
            yield Chunk((heads + group).strip(), start)
            start, group = start + len(group), ""
        if len(heads + row.rstrip()) > size:
            yield from _split(text, start, start + len(row), size)
            start += len(row)
        else:
            group += row
    if group:
        yield Chunk((heads + group).strip(), start)


def _split(text: str, start: int, end: int, size: int) -> list[Chunk]:
    """The pieces of a part of a text."""
    part = text[start:end]
    pieces = _split_long(part, size) if len(part) >= size else [_whole(part)]
    return [Chunk(piece.text, start + piece.start) for piece in pieces if piece.text]


def _whole(text: str) -> Chunk:
    """A short text as one piece, without the spaces around it."""
    return Chunk(text.strip(), len(text) - len(text.lstrip()))


def _split_long(text: str, size: int) -> list[Chunk]:
    # Slow to import, and of many documents no section is long.
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        separators=[PARAGRAPH, SENTENCE, LINE, SPACE, ANYWHERE],
        is_separator_regex=True,
        keep_separator="end",
        chunk_size=size,
        chunk_overlap=0,
        add_start_index=True,
    )
    documents = splitter.create_documents([text])
    return [Chunk(document.page_content, document.metadata["start_index"]) for document in documents]


@dataclass(frozen=True, slots=True)
class Converted:
    """The passages of a document in order, and remarks on what was not read, or only assumed."""

    passages: list[Passage]
    remarks: tuple[str, ...] = ()


def convert(
    path: Path,
    *,
    size: int = CHUNK_SIZE,
    limits: Limits = DEFAULT_LIMITS,
    name: str | None = None,
    source: str | None = None,
    on_page: Callable[[], None] = lambda: None,
) -> Converted:
    """The passages of a document in order, equal ones once, with its metadata.

    ``name`` replaces the file's own name in titles and metadata. ``source`` is the name of the document, by default
    ``name``, or the path as given. ``on_page`` is called after each page of OCR, which takes seconds.

    Raises:
        InputError: says why the file cannot be used, without naming it.
    """
    source = source or name or _source(path)
    loaded = load(path, limits=limits, name=name, on_page=on_page)
    passages = divided(loaded.parts, source=source, size=size)
    check_metadata(passages, limits)
    return Converted(passages, loaded.remarks)


def divided(parts: Iterable[Part], *, source: str, size: int) -> list[Passage]:
    """The passages of the parts of a document in order, equal ones once."""
    passages: dict[str, Passage] = {}
    for part in parts:
        for chunk, number in _number(part, chunks(part.text, size=size)):
            passage = make_passage(source, part.title, chunk.text, position=f"{part.unit} {number}")
            passages.setdefault(passage.id, replace(passage, metadata=part.metadata))
    return list(passages.values())


def passages_of(
    path: Path,
    *,
    size: int = CHUNK_SIZE,
    limits: Limits = DEFAULT_LIMITS,
    name: str | None = None,
    source: str | None = None,
) -> list[Passage]:
    """The passages of :func:`convert`."""
    return convert(path, size=size, limits=limits, name=name, source=source).passages


def check_metadata(passages: Sequence[Passage], limits: Limits) -> None:
    """Refuse a head that would be stored too often: each passage has a copy of it.

    Raises:
        InputError: says its size.
    """
    size = size_of(passages[0].metadata)
    if size * len(passages) > limits.metadata:
        raise InputError(
            f"has a head of {size:,} bytes, which {len(passages):,} passages would repeat: "
            "shorten the head, or split it"
        )


def _source(path: Path) -> str:
    source = path.as_posix()
    try:
        source.encode()
    except UnicodeEncodeError as error:
        raise InputError("has a name that is not UTF-8: rename it") from error
    if len(source) > LONGEST_SOURCE:
        raise InputError(f"has a path longer than {LONGEST_SOURCE:,} characters: ingest it from a folder nearer to it")
    return source


def _number(part: Part, pieces: Sequence[Chunk]) -> Iterator[tuple[Chunk, int]]:
    """Each chunk with the number of its first line or character, or of its page or row."""
    line, end = part.number, 0
    for chunk in pieces:
        line, end = line + part.text.count("\n", end, chunk.start), chunk.start
        yield chunk, {"line": line, "character": part.number + chunk.start}.get(part.unit, part.number)
