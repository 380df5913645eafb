"""The plan of a sync: compares the documents of an origin with those of the last sync."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gear_neo4j.graph.write.manifest import ReadSource
from gear_neo4j.ingestion.versions import are_read_alike
from gear_neo4j.sync.origins import Listed

Kind = Literal["moved", "changed", "new"]
# Documents that exchange names are written in one batch, in memory; if there are more, they are written as new.
MOST_EXCHANGED = 1_000


@dataclass(frozen=True, slots=True)
class Plan:
    """The documents of an origin: new, changed, moved (with their former names), deleted, and the number unchanged.

    ``unusable`` holds unchanged documents with a problem in an earlier sync; ``known`` is the number of documents after
    the last sync.
    """

    new: tuple[Listed, ...] = ()
    changed: tuple[Listed, ...] = ()
    moved: tuple[tuple[str, Listed], ...] = ()
    deleted: tuple[str, ...] = ()
    unchanged: int = 0
    unusable: tuple[ReadSource, ...] = ()
    known: int = 0

    @property
    def overwritten(self) -> frozenset[str]:
        """The former names of moved documents that other documents have now."""
        taken = {document.name for document in self.new}.union(document.name for _, document in self.moved)
        return frozenset(name for name, _ in self.moved if name in taken)

    @property
    def to_read(self) -> tuple[tuple[Kind, Listed], ...]:
        """The documents to read, each with what it is."""
        return (
            *(("moved", document) for _, document in self.moved),
            *(("changed", document) for document in self.changed),
            *(("new", document) for document in self.new),
        )

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.new or self.changed or self.moved or self.deleted)


def plan(
    listed: Sequence[Listed],
    known: Mapping[str, ReadSource],
    *,
    digest: Callable[[Listed], str | None],
    options: Callable[[str], str] = lambda _: "",
) -> Plan:
    """The plan for the listed documents, given the known ones by name.

    A document has moved if it has the content of a deleted or overwritten one. ``digest`` is called only if that is
    possible: for a document that is new or has another version, if another one is gone or may have other content. It
    returns None if the document cannot be read. A document is read again if its ``options``, by its name, are others
    than when it was read.

    Example:
        >>> before = {"a.md": ReadSource("a.md", "1", "x"), "b.md": ReadSource("b.md", "1", "y")}
        >>> changes = plan([Listed("c.md", "2")], before, digest=lambda _: "x")
        >>> [(former, document.name) for former, document in changes.moved], changes.deleted
        ([('a.md', 'c.md')], ('b.md',))
    """
    here = {document.name for document in listed}
    gone = [source for name, source in known.items() if name not in here]
    same = [
        known[document.name]
        for document in listed
        if document.name in known and _is_same(document, known[document.name], options)
    ]
    stable = {source.name for source in same}
    arrived = [document for document in listed if document.name not in stable]
    left = [*gone, *(known[document.name] for document in arrived if document.name in known)]
    moved = tuple(_moves(arrived, left, known, digest=digest))
    if sum(name in here for name, _ in moved) > MOST_EXCHANGED:
        moved = tuple((name, document) for name, document in moved if name not in here)
    away, back = {name for name, _ in moved}, {document.name for _, document in moved}
    stayed = [document for document in arrived if document.name not in back]
    return Plan(
        # A document with the former name of a moved one is new.
        new=tuple(document for document in stayed if document.name not in known or document.name in away),
        changed=tuple(document for document in stayed if document.name in known and document.name not in away),
        moved=moved,
        deleted=tuple(source.name for source in gone if source.name not in away),
        unchanged=sum(source.problem is None for source in same),
        unusable=tuple(source for source in same if source.problem is not None),
        known=len(known),
    )


def _moves(
    arrived: Sequence[Listed],
    left: Sequence[ReadSource],
    known: Mapping[str, ReadSource],
    *,
    digest: Callable[[Listed], str | None],
) -> Iterator[tuple[str, Listed]]:
    """The documents with the content of one that has left its name, each with this former name."""
    usable = {source.name: source.digest for source in left if source.digest and source.problem is None}
    other = [document for document in arrived if not _is_as_it_was(document, known)]
    # No document is read for its digest if none could have the content of another one.
    maybe = other if any(usable.keys() - {document.name} for document in other) else []
    digests = {document.name: digest(document) for document in maybe}
    by_digest: defaultdict[str, deque[str]] = defaultdict(deque)
    for name, content in usable.items():
        # A document with its former content has not moved, whatever its version.
        if digests.get(name) != content:
            by_digest[content].append(name)
    for document in maybe:
        found = digests[document.name]
        if found and found != usable.get(document.name) and (names := by_digest[found]):
            yield names.popleft(), document


def _is_same(listed: Listed, known: ReadSource, options: Callable[[str], str]) -> bool:
    return _is_as_it_was(listed, {known.name: known}) and are_read_alike(known.options, options(listed.name))


def _is_as_it_was(listed: Listed, known: Mapping[str, ReadSource]) -> bool:
    return bool(listed.version) and listed.name in known and listed.version == known[listed.name].version
