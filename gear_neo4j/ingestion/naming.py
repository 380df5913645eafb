"""What a document is: a source of a collection, and a path below it.

A source is a folder, or an address, from which documents are read. It has a name: the one that it is given, or the
name of its folder. Which folder that is, the database knows by its absolute path; a second folder of the same name gets
another name, such as ``docs-2``.
"""

import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.graph.write.source_registry import KnownSource, SourceRegistry
from gear_neo4j.ingestion.lines import LONGEST_SOURCE
from gear_neo4j.ingestion.sources import NO_ROOTS, Files
from gear_neo4j.scope import DEFAULT_COLLECTION, checked_name
from gear_neo4j.text.paths import composed, folder_name, is_below
from gear_neo4j.text.printable import is_storable

# Documents that are looked up to see whether a folder is one that the database knows.
COMPARED = 500
UNNAMED = "root"
NOT_UTF8 = "has a name that is not UTF-8: rename it"


def checked_source(name: str) -> str:
    """The name of a source.

    Raises:
        SettingsError: it is blank or too long, or holds a slash.

    Example:
        >>> checked_source("docs/2024")
        Traceback (most recent call last):
        gear_neo4j.errors.SettingsError: the source 'docs/2024' holds a slash: its documents have names such as ...
    """
    if "/" in checked_name(name, kind="source"):
        raise SettingsError(f"the source {name!r} holds a slash: its documents have names such as 'docs/a.md'")
    return composed(name)


@dataclass(frozen=True, slots=True)
class Naming:
    """How documents are named: by a given name of their source, or by that of its folder.

    ``confirm`` is asked, in one sentence, whether a folder without any document of a known source is that source.
    """

    source: str | None = None
    confirm: Callable[[str], bool] = lambda _: False

    @classmethod
    def of(cls, source: str | None, *, confirm: Callable[[str], bool]) -> "Naming":
        """The naming with a checked name.

        Raises:
            SettingsError: the name cannot be used.
        """
        return cls(None if source is None else checked_source(source), confirm)

    @property
    def prefix(self) -> str:
        """What the names of documents begin with that are no files, such as the sources of JSONL lines."""
        return f"{self.source}/" if self.source else ""


BY_FOLDER = Naming()


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of documents by its absolute path, and as it was given; or an address without its login.

    ``whole`` says that all of it is read, not only a file in it.
    """

    path: str
    given: str
    whole: bool = True

    @classmethod
    def of_folder(cls, folder: Path, *, whole: bool) -> "Root":
        """The root of a folder on this machine."""
        return cls(folder_name(folder), composed(folder.as_posix()), whole)


@dataclass(frozen=True, slots=True)
class Prefix:
    """What the names of documents below a root begin with; parts of it may belong to other sources (``nested``)."""

    text: str
    nested: tuple[tuple[str, str], ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """What the names of all documents below the root begin with."""
        return (self.text, *(text for _, text in self.nested))

    def name(self, below: str) -> str:
        """The name of the document at a path below the root.

        Example:
            >>> Prefix("docs/", (("old/", "archive/"),)).name("old/a.md")
            'archive/a.md'
        """
        for part, text in self.nested:
            if below.startswith(part):
                return text + below.removeprefix(part)
        return self.text + below


@dataclass(frozen=True, slots=True)
class SourceNames:
    """The names of the sources of a collection. Without a registry it knows none, and records none.

    ``writes`` says whether to record what is read. ``former`` collects documents that an earlier version has read under
    names that begin with no source, or hold a login, with the names that they have now. ``other`` has the new names of
    folders whose own name was taken, ``made`` the sources that are recorded for the first time.
    """

    registry: SourceRegistry | None
    collection: str
    naming: Naming = BY_FOLDER
    writes: bool = True
    known: dict[str, KnownSource] = field(default_factory=dict)
    former: dict[str, str] = field(default_factory=dict)
    other: dict[str, str] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)

    @classmethod
    def load(
        cls, registry: SourceRegistry | None, *, collection: str, naming: Naming = BY_FOLDER, writes: bool = True
    ) -> "SourceNames":
        """The names that a database has."""
        known = registry.all(collection) if registry else []
        return cls(registry, collection, naming, writes, {source.name: source for source in known})

    def prefix(self, root: Root, below: Sequence[str]) -> Prefix:
        """What the names of the documents at these paths below a root begin with; records that they are read, if any.

        Raises:
            InputError: the source is known, but none of its documents is there.
        """
        if self.naming.source is not None:
            return Prefix(f"{self._given(self.naming.source, root, below)}/")
        if source := self.containing(root.path):
            self._confirm(source, root, [self._name(source, root.path, path) for path in below])
            self._record(source.name, _root_of(source, root.path), whole=root.whole, known=True)
            self._take_over_bare(root, [(path, self._name(source, root.path, path)) for path in below])
            return Prefix(self._name(source, root.path, ""), self._nested(root))
        name = self._former(root, below)
        if name is None:
            name = self._new(root, empty=not below)
            self._take_over_bare(root, [(path, f"{name}/{path}") for path in below])
        return Prefix(f"{name}/", self._nested(root))

    def address(self, address: str, below: Sequence[str]) -> tuple[str, Prefix | None]:
        """The name of an address as a source, and what its documents' names begin with; None if they are addresses.

        Raises:
            InputError: the source is known, but none of its documents is there.
        """
        if self.naming.source is not None:
            name = self._given(self.naming.source, Root(address, address), below)
        else:
            name = next((one.name for one in self.known.values() if address in one.roots), address)
            self._record(name, address, whole=True, known=True, empty=not below)
        return name, None if name == address else Prefix(f"{name}/")

    def loader(self, name: str, given: str, below: Sequence[str]) -> Prefix:
        """What the names of a loader's documents begin with; ``given`` is its class, which may read other sources, too.

        Raises:
            InputError: the source is known, but none of its documents is there.
        """
        return Prefix(f"{self._recorded(name, Root(given, given), below)}/")

    def take_over(self, names: Mapping[str, str]) -> None:
        """Collect those of the former names, each with the present one, under which documents are stored."""
        former = [old for old, new in names.items() if old != new]
        for start in range(0, len(former) if self.registry else 0, COMPARED):
            assert self.registry
            stored = self.registry.stored(former[start : start + COMPARED], collection=self.collection)
            self.former.update((old, names[old]) for old in stored)

    def containing(self, path: str) -> KnownSource | None:
        """The source that a folder is, or is in; of several the nearest."""
        roots = [
            (root, source)
            for source in self.known.values()
            for root in source.roots
            if path == root or (source.whole and is_below(path, root))
        ]
        return max(roots, key=lambda found: len(found[0]))[1] if roots else None

    def document(self, path: Path) -> str | None:
        """The name of the document that a path on this machine leads to; None if it is in no known source."""
        folder = folder_name(path.parent)
        source = self.containing(folder)
        return self._name(source, folder, composed(path.name)) if source else None

    def folder(self, path: Path) -> str | None:
        """The name of the source, or of the folder in one, that a path on this machine leads to, if any."""
        folder = folder_name(path)
        source = self.containing(folder)
        return self._name(source, folder, "").rstrip("/") if source else None

    def _given(self, name: str, root: Root, below: Sequence[str]) -> str:
        other = next((one.name for one in self.known.values() if root.path in one.roots and one.name != name), None)
        if other:
            raise InputError(
                f"{root.path} is the source {other!r}: use 'gear sources rename {other} {name}' to rename it"
            )
        return self._recorded(name, root, below)

    def _recorded(self, name: str, root: Root, below: Sequence[str]) -> str:
        """A given name, after it is recorded that this source is read from the root."""
        source = self.known.get(name)
        if source is None and self.registry and self.registry.below(f"{name}/", collection=self.collection, limit=1):
            source = KnownSource(name=name)
        if source:
            self._confirm(source, root, [f"{name}/{path}" for path in below])
        self._record(name, root.path, whole=root.whole, known=True, empty=not below)
        return name

    def _confirm(self, source: KnownSource, root: Root, documents: Sequence[str]) -> None:
        """Ask where a source is read from another folder or machine, and none of its documents is there."""
        seen = _root_of(source, root.path, default="")
        if (seen and source.machine == platform.node()) or self._stored(documents):
            return
        last = f"{source.roots[0]} on {source.machine}" if source.roots else "elsewhere"
        question = f"{source.name!r} was last read from {last}, and none of its documents is in {root.path}"
        if not self.naming.confirm(question):
            raise InputError(f"{question}: if it is the same source, allow it with --yes; if not, give another name")

    def _take_over_bare(self, root: Root, names: Iterable[tuple[str, str]]) -> None:
        """Take over what was read in the folder in which one stood: its names began with no folder."""
        if root.given == ".":
            self.take_over(dict(names))

    def _former(self, root: Root, below: Sequence[str]) -> str | None:
        """The name under which an earlier version has read a folder: as it was given, or its absolute path."""
        for name in dict.fromkeys((root.given, root.path, _last(root.path))):
            free = name not in self.known and name not in (".", "")
            if free and self._stored([f"{name}/{path}" for path in below]):
                self._record(name, root.path, whole=root.whole, known=True)
                return name
        return None

    def _new(self, root: Root, *, empty: bool) -> str:
        """A name that no source of the collection has."""
        own = _last(root.path)
        for name in _candidates(own):
            taken = name in self.known or (
                self.registry and self.registry.below(f"{name}/", collection=self.collection, limit=1)
            )
            if not taken and self._record(name, root.path, whole=root.whole, known=False, empty=empty):
                if name != own:
                    self.other[root.path] = name
                return name
        raise AssertionError("there are as many names as numbers")

    def _record(self, name: str, root: str, *, whole: bool, known: bool, empty: bool = False) -> bool:
        machine = platform.node()
        is_new = name not in self.known
        # A folder without documents becomes a source with its first one.
        if self.writes and self.registry and not (is_new and empty):
            read = KnownSource(name=name, roots=(root,), whole=whole, machine=machine)
            if not self.registry.record(read, collection=self.collection, known=known):
                return False
            if is_new:
                self.made.append(name)
        former = self.known.get(name, KnownSource(name=name))
        roots = (root, *(other for other in former.roots if other != root))
        self.known[name] = replace(former, roots=roots, whole=whole or former.whole, machine=machine)
        return True

    def _stored(self, documents: Sequence[str]) -> bool:
        """Whether one of some documents is in the database."""
        step = max(len(documents) // COMPARED, 1)
        return bool(self.registry and documents and self.registry.stored(documents[::step], collection=self.collection))

    def _nested(self, root: Root) -> tuple[tuple[str, str], ...]:
        """The folders below a root that are sources of their own, the deepest first."""
        found = [
            (f"{inner.removeprefix(root.path.rstrip('/')).strip('/')}/", f"{source.name}/")
            for source in self.known.values()
            for inner in source.roots
            if inner != root.path and is_below(inner, root.path)
        ]
        return tuple(sorted(found, key=lambda pair: -len(pair[0])))

    def _name(self, source: KnownSource, folder: str, below: str) -> str:
        inner = folder.removeprefix(_root_of(source, folder).rstrip("/")).strip("/")
        return "/".join(filter(None, (source.name, inner))) + f"/{below}"


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """Files by the names of their documents, and why some cannot be used.

    ``below`` is what the names of all documents of the folders begin with that are read whole.
    """

    names: Mapping[Path, str]
    problems: tuple[tuple[Path, str], ...] = ()
    below: tuple[str, ...] = ()


def named_files(names: SourceNames, files: Iterable[Path], *, roots: Mapping[Path, Path] = NO_ROOTS) -> NamedFiles:
    """The names of the documents that files are.

    Args:
        roots: the folder that each file was found in; without one it is its own folder.

    Raises:
        InputError: a source is known, but none of its documents is there.
    """
    given = set(roots.values())
    by_root: dict[Path, dict[Path, str]] = {}
    problems: list[tuple[Path, str]] = []
    for file in files:
        root = roots.get(file, file.parent)
        below = composed(file.relative_to(root).as_posix())
        if problem := _problem(below):
            problems.append((file, problem))
        else:
            by_root.setdefault(root, {})[file] = below
    named: dict[str, Path] = {}
    whole: list[str] = []
    for root, paths in by_root.items():
        prefix = names.prefix(Root.of_folder(root, whole=root in given), list(paths.values()))
        whole += prefix.all if root in given else ()
        for file, below in paths.items():
            name = prefix.name(below)
            if len(name) > LONGEST_SOURCE:
                problems.append((file, f"has a name longer than {LONGEST_SOURCE:,} characters: move it up"))
            elif not _same(other := named.setdefault(name, file), file):
                problems.append((file, f"is the same document as {other}: both are {name!r}"))
    return NamedFiles({file: name for name, file in named.items()}, tuple(problems), tuple(whole))


def names_offline(files: Files, *, collection: str = DEFAULT_COLLECTION) -> NamedFiles:
    """The names of documents in a database that does not exist yet."""
    return named_files(SourceNames(None, collection), files.passages, roots=files.roots)


def _same(file: Path, other: Path) -> bool:
    """Whether two paths lead to one file: a folder may be given in two ways."""
    return file == other or os.path.realpath(file) == os.path.realpath(other)


def _problem(below: str) -> str:
    return "" if is_storable(below) else NOT_UTF8


def _root_of(source: KnownSource, folder: str, *, default: str | None = None) -> str:
    """The root of a source that a folder is in."""
    found = [root for root in source.roots if is_below(folder, root)]
    return max(found, key=len) if found or default is None else default


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2] or UNNAMED


def _candidates(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))
