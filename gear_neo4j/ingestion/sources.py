"""Resolves the sources of an ingest to files: documents, and JSONL files of passages and triples."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.loaders import is_document, kinds, refusal
from gear_neo4j.text.address import local_path

# One path, or several.
Paths: TypeAlias = Sequence[str | Path] | str | Path
NO_ROOTS: Mapping[Path, Path] = MappingProxyType({})
WITHOUT_SUFFIX = "without suffix"
# Prefixes of hidden files, and of the lock files of Office.
HIDDEN = (".", "~$")


@dataclass(frozen=True, slots=True)
class Files:
    """The files with passages (documents and JSONL), those with triples, and those left out.

    ``skipped`` counts files of other kinds by suffix; ``links`` are the links that lead out of their folder. ``roots``
    has the folder that was given for each file of passages in it.
    """

    passages: tuple[Path, ...]
    triples: tuple[Path, ...] = ()
    skipped: dict[str, int] = field(default_factory=dict)
    links: tuple[Path, ...] = ()
    roots: Mapping[Path, Path] = field(default_factory=dict)


def paths_in(paths: Paths) -> Sequence[str | Path]:
    """Paths as a sequence; a text is one path, not a sequence of its letters.

    Example:
        >>> paths_in("docs"), paths_in(["a.md", "b.md"])
        (('docs',), ['a.md', 'b.md'])
    """
    return (paths,) if isinstance(paths, str | Path) else paths


def files_to_ingest(
    sources: Paths,
    triples: Paths = (),
    *,
    follow_links: bool = False,
    may_be_empty: bool = False,
) -> Files:
    """The files of sources, each once; those of a folder and its subfolders sorted by name.

    A folder with ``corpus.jsonl`` is a data set: that file, and ``triples.jsonl`` if it exists. Other folders
    contribute all documents and JSONL files, except hidden ones; files of other kinds are counted. A link out of its
    folder is followed only with ``follow_links``, or if it is itself a source. An empty folder is an error unless
    ``may_be_empty`` is set.

    Raises:
        InputError: a source does not exist, holds nothing that can be ingested, or cannot be read.
    """
    passages: list[Path] = []
    facts: list[Path] = []
    skipped: Counter[str] = Counter()
    links: list[Path] = []
    roots: dict[Path, Path] = {}
    for source in map(local_path, paths_in(sources)):
        if source.is_dir():
            before, gate = len(passages), _Gate(source, follow_links=follow_links)
            found = _add_folder(source, gate, passages, facts, skipped)
            if not (found or may_be_empty):
                raise InputError(_nothing_in(source, links=len(gate.links)))
            links.extend(gate.links)
            roots = dict.fromkeys(passages[before:], source) | roots
        else:
            passages.append(_named_file(source))
    facts.extend(map(local_path, paths_in(triples)))
    unique = [tuple(dict.fromkeys(files)) for files in (passages, facts, links)]
    return Files(unique[0], unique[1], dict(sorted(skipped.items())), unique[2], roots)


class _Gate:
    """Decides which files in a folder may be read: a file from someone else may be a link to a private file."""

    def __init__(self, folder: Path, *, follow_links: bool) -> None:
        self._root = os.path.realpath(folder)
        self._follow_links = follow_links
        self._visited = {_identity(folder)}
        self.links: list[Path] = []

    def admits(self, path: Path) -> bool:
        """Whether to read a file or enter a folder; records refused links."""
        if path.is_symlink():
            # Before its target is accessed: even that may be forbidden.
            inside = Path(os.path.realpath(path)).is_relative_to(self._root)
            if not (inside or self._follow_links):
                self.links.append(path)
                return False
            if inside and path.is_dir():
                # Its target is read in its own folder.
                return False
        return not (self._follow_links and path.is_dir()) or self._is_new(path)

    def _is_new(self, folder: Path) -> bool:
        # Followed links may form a cycle.
        identity = _identity(folder)
        known = identity in self._visited
        self._visited.add(identity)
        return not known


def _identity(folder: Path) -> tuple[int, int]:
    try:
        status = folder.stat()
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror or error}") from error
    return status.st_dev, status.st_ino


def _named_file(source: Path) -> Path:
    if not source.exists():
        raise InputError(f"{source} does not exist: give documents, JSONL files of passages, or folders of them")
    if not source.is_file():
        raise InputError(f"{source} is neither a file nor a folder: give documents, JSONL files, or folders of them")
    if source.suffix.lower() != ".jsonl" and not is_document(source):
        raise InputError(f"{source} {refusal(source)}")
    return source


def _add_folder(folder: Path, gate: _Gate, passages: list[Path], facts: list[Path], skipped: Counter[str]) -> bool:
    """Add the files of a folder; returns whether it holds anything that can be ingested."""
    before = len(passages) + len(facts)
    for path in _files_in(folder, gate):
        if path.name == "triples.jsonl":
            facts.append(path)
        elif path.is_file() and (path.suffix.lower() == ".jsonl" or is_document(path)):
            passages.append(path)
        else:
            skipped[path.suffix.lower() or WITHOUT_SUFFIX] += 1
    return len(passages) + len(facts) > before


def _nothing_in(folder: Path, *, links: int) -> str:
    more = f", or follow its links ({links:,} {'leads' if links == 1 else 'lead'} out of it)" if links else ""
    return f"{folder} holds nothing that can be ingested: give a folder with {kinds()}{more}"


def _files_in(folder: Path, gate: _Gate) -> Iterator[Path]:
    # A stack: folders can be nested more deeply than Python allows function calls.
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        if not path.is_dir():
            yield path
        elif (path / "corpus.jsonl").is_file():
            names = [path / name for name in ("corpus.jsonl", "triples.jsonl")]
            yield from (file for file in names if file.is_file() and gate.admits(file))
        else:
            waiting.extend(reversed([child for child in _children(path) if gate.admits(child)]))


def _children(folder: Path) -> list[Path]:
    try:
        children = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror or error}") from error
    return [path for path in children if not path.name.startswith(HIDDEN)]
