"""What a sync has to do: the documents of an origin beside those that the last sync read."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.write.manifest import ReadSource
from gear_neo4j.sync.origins import Listed

# Documents that take one another's names are written together, in memory and in one go; more of them are written anew.
MOST_EXCHANGED = 1_000


@dataclass(frozen=True, slots=True)
class Plan:
    """The documents of an origin: new, changed, moved (from one name to another), deleted, and how many unchanged.

    ``unusable`` are those that have not changed since they could not be used; ``known`` is how many the last sync left.
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
        """The former names of documents that have moved at which there are others now."""
        taken = {one.name for one in self.new}.union(one.name for _, one in self.moved)
        return frozenset(name for name, _ in self.moved if name in taken)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has to be done."""
        return not (self.new or self.changed or self.moved or self.deleted)


def plan(listed: Sequence[Listed], known: Mapping[str, ReadSource], *, digest: Callable[[Listed], str | None]) -> Plan:
    """The plan for the documents that are listed now, beside those known by name.

    A document has moved if it has the content of one that is gone, or that another has overwritten. ``digest`` is asked
    only where that may be: of a new document if one is gone, and of one whose version was that of another name. It is
    None of a document that cannot be read.

    Example:
        >>> before = {"a.md": ReadSource("a.md", "1", "x"), "b.md": ReadSource("b.md", "1", "y")}
        >>> found = plan([Listed("c.md", "2")], before, digest=lambda _: "x")
        >>> found.moved, found.deleted
        ((('a.md', Listed(name='c.md', version='2')),), ('b.md',))
    """
    here = {one.name for one in listed}
    gone = [source for name, source in known.items() if name not in here]
    same = [known[one.name] for one in listed if one.name in known and _is_same(one, known[one.name])]
    stable = {source.name for source in same}
    arrived = [one for one in listed if one.name not in stable]
    left = [*gone, *(known[one.name] for one in arrived if one.name in known)]
    moved = tuple(_moves(arrived, left, known, digest=digest, any_new=bool(gone)))
    if sum(name in here for name, _ in moved) > MOST_EXCHANGED:
        moved = tuple((name, one) for name, one in moved if name not in here)
    away, back = {name for name, _ in moved}, {one.name for _, one in moved}
    stayed = [one for one in arrived if one.name not in back]
    return Plan(
        # In the place of a document that has moved, another is new.
        new=tuple(one for one in stayed if one.name not in known or one.name in away),
        changed=tuple(one for one in stayed if one.name in known and one.name not in away),
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
    any_new: bool,
) -> Iterator[tuple[str, Listed]]:
    """The documents with the content of one that has left its name, each with that name."""
    usable = [source for source in left if source.digest and source.problem is None]
    versions = {source.version for source in usable if source.version}
    by_digest: defaultdict[str, deque[str]] = defaultdict(deque)
    for source in usable:
        by_digest[source.digest].append(source.name)
    for one in arrived:
        if one.version in versions or (any_new and usable and one.name not in known):
            names = by_digest.get(digest(one) or "", ())
            # With the content that it had, it has not moved.
            if names and one.name not in names:
                yield names.popleft(), one


def _is_same(listed: Listed, known: ReadSource) -> bool:
    return bool(listed.version) and listed.version == known.version
