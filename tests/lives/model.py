"""Who may see which text, and what must still exist, in plain Python.

If the product may do either of two things, the model allows both: everybody who may read a *sure* text must see it, a
*possible* one they may see; readers are alternatives, and a viewer whom one of them admits may read.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

Readers = tuple[str, ...]
# A collection, and the source of a document in it.
Key = tuple[str, str]
ANYBODY: frozenset[Readers] = frozenset({()})
UNREADABLE = ""
FOLDER = "docs"


@dataclass(frozen=True)
class Viewer:
    """Somebody with a key: their principals (None: readers do not apply), and their collections (None: all)."""

    name: str
    principals: frozenset[str] | None
    collections: frozenset[str] | None
    writes: bool

    def may_enter(self, collection: str) -> bool:
        """Whether the viewer may see a collection."""
        return self.collections is None or collection in self.collections

    def admitted(self, collection: str, readers: Iterable[Readers]) -> set[bool]:
        """The verdict of each alternative."""
        inside, me = self.may_enter(collection), self.principals
        return {inside and (me is None or not names or bool(me & set(names))) for names in readers}


@dataclass(frozen=True)
class File:
    """A file of a folder: its text, empty if it is unreadable, and its modification time."""

    text: str
    time: int

    @property
    def is_readable(self) -> bool:
        """Whether it contains a text."""
        return self.text != UNREADABLE


@dataclass
class Texts:
    """The texts of a document that must exist, and those that may; the sure ones are also possible."""

    sure: set[str] = field(default_factory=set)
    possible: set[str] = field(default_factory=set)

    @classmethod
    def only(cls, text: str) -> "Texts":
        """One text, for sure."""
        return cls({text}, {text})

    def doubt(self, *more: str) -> None:
        """Any of these texts, or more, may exist."""
        self.possible |= set(more)
        self.sure &= set(more)


@dataclass(frozen=True)
class Seen:
    """What is on record of a file that was read: its text, or the texts that it may be, and whether that is sure."""

    texts: frozenset[str] = frozenset()
    is_sure: bool = False

    @classmethod
    def only(cls, text: str) -> "Seen":
        """A text, which was read whole."""
        return cls(frozenset({text} - {UNREADABLE}), is_sure=True)

    def or_else(self, text: str) -> "Seen":
        """This, or another text."""
        return Seen(self.texts | ({text} - {UNREADABLE}), is_sure=self.texts == {text})


@dataclass
class Line:
    """A line of JSONL, or a node of an adopted graph: a text with a source and its own readers."""

    text: str
    source: str
    collection: str
    readers: frozenset[Readers]
    is_sure: bool = True


@dataclass(frozen=True)
class Sight:
    """What somebody sees: at least, and at most."""

    sure: Collection[object]
    possible: Collection[object]


class Model:
    """The expected state of the corpus."""

    def __init__(self) -> None:
        self.documents: dict[Key, Texts] = {}
        self.lines: list[Line] = []
        self.records: dict[Key, frozenset[Readers]] = {}
        # The readers of new documents, by collection and folder; and the documents to which the last command may have
        # moved others.
        self.folders: dict[Key, frozenset[Readers]] = {}
        self.arrived: set[Key] = set()
        # What is on record of each folder of a collection: the sources of its files, and what was read of them.
        self.read: dict[Key, dict[str, Seen]] = {}
        self.synced: set[Key] = set()
        # The folders that were read into a collection, by project.
        self.origins: dict[tuple[str, str], str] = {}

    # Visible texts

    def texts(self, viewer: Viewer) -> Sight:
        """The texts that a viewer sees."""
        return self._sight(viewer, by_source=False)

    def sources(self, viewer: Viewer) -> Sight:
        """The collections and sources of the passages that a viewer sees."""
        return self._sight(viewer, by_source=True)

    def _sight(self, viewer: Viewer, *, by_source: bool) -> Sight:
        sure, possible = set(), set()
        for collection, source, text, readers, is_sure in self._all():
            item = (collection, source) if by_source else text
            if by_source and not source:
                continue
            admitted = viewer.admitted(collection, readers)
            if True in admitted:
                possible.add(item)
            if is_sure and admitted == {True}:
                sure.add(item)
        return Sight(sure, possible)

    def _all(self) -> Iterable[tuple[str, str, str, frozenset[Readers], bool]]:
        for (collection, source), texts in self.documents.items():
            for text in texts.possible:
                yield collection, source, text, self.record((collection, source)), text in texts.sure
        for line in self.lines:
            yield line.collection, line.source, line.text, line.readers, line.is_sure

    def sees_whole(self, viewer: Viewer, key: Key) -> set[bool]:
        """Whether a viewer sees every passage of a source that exists; both answers if that is open."""
        held = [row for row in self._all() if row[:2] == key]
        answers = [viewer.admitted(key[0], readers) | (set() if sure else {True}) for *_, readers, sure in held]
        if not answers:
            return {False}
        open_end = set() if any(sure for *_, sure in held) else {False}
        possible = {True} if all(True in answer for answer in answers) else set()
        return possible | open_end | ({False} if any(False in answer for answer in answers) else set())

    def holds(self, key: Key) -> bool:
        """Whether a source may have passages."""
        return any(row[:2] == key for row in self._all())

    def describe(self, items: Iterable[object]) -> str:
        """The locations of texts or sources, and their readers."""
        wanted = set(items)
        rows = [row for row in self._all() if row[2] in wanted or row[:2] in wanted]
        return "; ".join(f"{text} in {source} ({where}) for {set(readers)}" for where, source, text, readers, _ in rows)

    # Names

    def origin(
        self, collection: str, project: str, name: str | None = None, *, files: Collection[str] = ()
    ) -> str | None:
        """The name of a project's folder with these files after it is read with this name.

        None if it already has another one, or if what its name depends on is in doubt.
        """
        known = self.origins.get((collection, project))
        if name is not None:
            return name if known in (None, name) else None
        if known:
            return known
        below = {row[1]: row[-1] for row in self._all() if row[0] == collection and row[1].startswith(f"{FOLDER}/")}
        if not all(below.values()):
            return None
        # A folder of which a document is stored, as an earlier version named it, takes its name over.
        is_former = FOLDER not in self._named(collection) and any(f"{FOLDER}/{file}" in below for file in files)
        return FOLDER if is_former else next(one for one in _names() if not self._is_taken(collection, one))

    def _named(self, collection: str) -> set[str]:
        return {held for (where, _), held in self.origins.items() if where == collection}

    def _is_taken(self, collection: str, name: str) -> bool:
        """Whether another folder has a name, or a line names a source below it."""
        return name in self._named(collection) or any(
            where == collection and source.startswith(f"{name}/") for where, source, *_ in self._all()
        )

    # Readers

    def record(self, key: Key) -> frozenset[Readers]:
        """The readers of a document."""
        return self.records.get(key, ANYBODY)

    def set_readers(self, key: Key, readers: Readers) -> None:
        """Set the readers of a source, and of the lines that name it."""
        self.records[key] = frozenset({readers})
        for line in self._lines_of(key):
            line.readers = self.records[key]

    def set_folder_readers(self, folder: Key, readers: Readers) -> None:
        """Set the readers of a folder, and of all documents and lines that are or were in it."""
        self.folders[folder] = frozenset({readers})
        inside = {row[:2] for row in self._all()} | self.records.keys()
        for key in inside:
            if _folder_of(key) == folder:
                self.set_readers(key, readers)

    def of_folder(self, key: Key) -> frozenset[Readers]:
        """The readers of a document that is new in its folder."""
        return self.folders.get(_folder_of(key), ANYBODY)

    def _restrict_folder(
        self, folder: Key, files: Collection[str], readers: Readers | None, *, widen: bool, is_open: bool
    ) -> None:
        """Readers that are given when a folder is read whole; without a file it may not be known yet."""
        if readers is None:
            return
        held = self.folders.get(folder, ANYBODY)
        given = {before if _is_wider(readers, before) and not widen else readers for before in held}
        self.folders[folder] = frozenset(given) | (held if is_open or not files else frozenset())

    def _new_in_folder(self, key: Key, *, is_open: bool) -> None:
        """A document without a record and without passages gets the readers of its folder when it is written."""
        folder, record = self.of_folder(key), self.record(key)
        held = [row for row in self._all() if row[:2] == key]
        if folder == ANYBODY or () not in record or any(sure for *_, sure in held):
            return
        may_be_open = is_open or held or key in self.arrived
        self.records[key] = (record if may_be_open else record - ANYBODY) | folder

    def allow(self, keys: Iterable[Key], *readers: Readers) -> None:
        """Sources may also have these readers."""
        for key in keys:
            self.records[key] = self.record(key) | set(readers)
            for line in self._lines_of(key):
                line.readers |= set(readers)

    def _given(self, key: Key, readers: Readers | None, *, widen: bool, is_open: bool) -> None:
        """Readers given by an ingest, also more people if it may widen; ``is_open`` if it was interrupted."""
        if readers is None:
            return
        held = self.records.get(key, ANYBODY if self.documents.get(key, Texts()).possible else frozenset())
        given = {before if _is_wider(readers, before) and not widen else readers for before in held} or {readers}
        self.records[key] = frozenset(given) | (held if is_open else frozenset())
        for line in self._lines_of(key):
            line.readers |= given

    def _lines_of(self, key: Key) -> list[Line]:
        return [line for line in self.lines if (line.collection, line.source) == key]

    # Operations

    def ingest(
        self,
        collection: str,
        files: Mapping[str, File],
        readers: Readers | None,
        *,
        widen: bool = False,
        is_open: bool = False,
    ) -> None:
        """Ingest files, given by their sources; ``is_open`` if that was interrupted."""
        for source, file in files.items():
            key = collection, source
            self._given(key, readers, widen=widen, is_open=is_open or not file.is_readable)
            if file.is_readable:
                self._new_in_folder(key, is_open=is_open)
            held = self.documents.setdefault(key, Texts())
            if not file.is_readable:
                held.doubt()
            elif is_open:
                held.doubt(file.text)
            else:
                self._inherited(key)
                self.documents[key] = Texts.only(file.text)

    def _inherited(self, key: Key) -> None:
        """A document without a record may get the readers of lines with its name."""
        if key not in self.records and (lines := self._lines_of(key)):
            self.records[key] = ANYBODY.union(*(line.readers for line in lines))

    def ingest_folder(
        self,
        collection: str,
        origin: str,
        files: Mapping[str, File],
        readers: Readers | None,
        *,
        widen: bool = False,
        is_open: bool = False,
    ) -> None:
        """A folder is ingested; readers follow what has moved in it, and what has the former name stays."""
        self._restrict_folder((collection, origin), files, readers, widen=widen, is_open=is_open)
        known = self.read.get((collection, origin), {})
        gone = {source: seen for source, seen in known.items() if source not in files}
        self.arrived.clear()
        for source, file in files.items():
            if source not in known:
                self._moved(collection, gone, source, file, is_new=True)
        self.ingest(collection, files, readers, widen=widen, is_open=is_open)
        self.read[collection, origin] = known | {
            source: known.get(source, Seen()).or_else(file.text) if is_open else Seen.only(file.text)
            for source, file in files.items()
            if file.is_readable
        }

    def sync(
        self,
        collection: str,
        origin: str,
        files: Mapping[str, File],
        readers: Readers | None,
        *,
        widen: bool = False,
        is_open: bool = False,
    ) -> None:
        """Sync a folder with these files, given by their sources."""
        self._restrict_folder((collection, origin), files, readers, widen=widen, is_open=is_open)
        known = self._known(collection, origin)
        gone = self._all_moved(collection, known, files)
        self.synced.add((collection, origin))
        self.ingest(collection, files, readers, widen=widen, is_open=is_open)
        if is_open:
            for source in gone:
                self.documents.setdefault((collection, source), Texts()).doubt()
            self.read[collection, origin] = gone | {
                source: known.get(source, Seen()).or_else(file.text) for source, file in files.items()
            }
            return
        for source, file in files.items():
            if not file.is_readable:
                self.documents[collection, source] = Texts()
        self._removed(collection, origin, gone, files)
        self.read[collection, origin] = {source: Seen.only(file.text) for source, file in files.items()}

    def _known(self, collection: str, origin: str) -> dict[str, Seen]:
        """What a sync finds on record, and, if it is the first, what else was ingested of its folder."""
        ingested = {}
        if (collection, origin) not in self.synced:
            inside = [key for key, texts in self.documents.items() if texts.possible and key[0] == collection]
            ingested = {source: Seen() for _, source in inside if source.startswith(f"{origin}/")}
        return ingested | self.read.get((collection, origin), {})

    def _all_moved(self, collection: str, known: Mapping[str, Seen], files: Mapping[str, File]) -> dict[str, Seen]:
        """The readers of what has moved follow it; returns what is gone from its name."""
        self.arrived.clear()
        gone = {source: seen for source, seen in known.items() if source not in files}
        # A file may also leave its name to another text.
        changed = {
            source: seen for source, seen in known.items() if files.get(source, File("", 0)).text not in seen.texts
        }
        for source, file in files.items():
            self._moved(collection, gone | changed, source, file, is_new=source not in known)
        return gone

    def _moved(self, collection: str, left: Mapping[str, Seen], source: str, file: File, *, is_new: bool) -> None:
        """Readers follow a document; of two with one text it may have been either."""
        former = [
            ((collection, old), seen.is_sure) for old, seen in left.items() if file.text in seen.texts and old != source
        ]
        key = collection, source
        self.arrived |= {key} if former else set()
        records = [self.records[key] for key, _ in former if key in self.records]
        if not records:
            return
        here = self.records.get(key, frozenset())
        is_sure = len(records) == len(former) and any(sure for _, sure in former)
        # An existing document may have been overwritten, or edited.
        kept = here - ANYBODY if is_new else self.record(key)
        self.records[key] = frozenset().union(kept, *records, () if is_sure else ANYBODY)
        self.allow([key for key, _ in former if key in self.records], ())

    def missed(self, collection: str, origin: str, files: Mapping[str, File]) -> None:
        """Sync a folder while nothing can be converted: documents stay, except for deleted ones."""
        known = self._known(collection, origin)
        gone = self._all_moved(collection, known, files)
        self.synced.add((collection, origin))
        arrived = {file.text for source, file in files.items() if source not in known}
        away = {source: seen for source, seen in gone.items() if seen.texts & arrived}
        for source in away:
            self.documents.setdefault((collection, source), Texts()).doubt()
        for source, file in files.items():
            # It may have been renamed nevertheless.
            if any(file.text in seen.texts for seen in away.values()):
                self.documents.setdefault((collection, source), Texts()).doubt(file.text)
        self._removed(collection, origin, gone.keys() - away.keys(), {**files, **away})
        here = {source: seen for source, seen in known.items() if source in files}
        self.read[collection, origin] = away | {
            source: here.get(source, Seen()).or_else(file.text) for source, file in files.items()
        }

    def doubt(self, key: Key) -> None:
        """A source may have been forgotten."""
        self.documents.get(key, Texts()).doubt()
        for line in self._lines_of(key):
            line.is_sure = False

    def _removed(self, collection: str, origin: str, gone: Iterable[str], files: Mapping[str, File]) -> None:
        """What a sync removes: documents that it knew, and perhaps what others ingested from its folder."""
        for (where, source), texts in self.documents.items():
            if where == collection and source in gone:
                texts.sure, texts.possible = set(), set()
            elif where == collection and source not in files and source.startswith(f"{origin}/"):
                texts.doubt()

    def line(self, collection: str, source: str, text: str, readers: Readers | None) -> None:
        """Ingest a line; without readers it has those of the document that it names."""
        if readers is None:
            self._new_in_folder((collection, source), is_open=False)
        held = self.record((collection, source)) if readers is None else frozenset({readers})
        self.lines.append(Line(text, source, collection, held))

    def forget(self, key: Key) -> None:
        """Forget a source; its readers stay on record."""
        self.documents.pop(key, None)
        self.lines = [line for line in self.lines if (line.collection, line.source) != key]
        for (collection, _), known in self.read.items():
            if collection == key[0]:
                known.pop(key[1], None)


def _folder_of(key: Key) -> Key:
    """The folder of a document."""
    return key[0], key[1].partition("/")[0]


def _is_wider(readers: Readers, before: Readers) -> bool:
    """Whether these readers admit somebody new."""
    return bool(before) and (not readers or not set(readers) <= set(before))


def _names() -> Iterator[str]:
    """The names that a folder "docs" may have, the first one that is free."""
    yield FOLDER
    yield from (f"{FOLDER}-{number}" for number in count(2))
