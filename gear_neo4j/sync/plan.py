"""What a sync has to do: the documents of an origin beside those that the last sync read."""

from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.manifest import ReadSource
from gear_neo4j.sync.origins import Listed


@dataclass(frozen=True, slots=True)
class Plan:
    """The documents of an origin: new, changed, moved (from one name to another), deleted, and how many unchanged.

    ``unusable`` are those that have not changed since they could not be used.
    """

    new: tuple[Listed, ...] = ()
    changed: tuple[Listed, ...] = ()
    moved: tuple[tuple[str, Listed], ...] = ()
    deleted: tuple[str, ...] = ()
    unchanged: int = 0
    unusable: tuple[ReadSource, ...] = ()

    @property
    def known(self) -> int:
        """How many documents the last sync left."""
        return len(self.changed) + len(self.moved) + len(self.deleted) + self.unchanged + len(self.unusable)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has to be done."""
        return not (self.new or self.changed or self.moved or self.deleted)


def plan(listed: Sequence[Listed], known: Mapping[str, ReadSource], *, digest: Callable[[Listed], str | None]) -> Plan:
    """The plan for the documents that are listed now, beside those known by name.

    A new document with the content of one that is gone has moved. ``digest`` is only asked where one is gone, and is
    None of a document that cannot be read.

    Example:
        >>> before = {"a.md": ReadSource("a.md", "1", "x"), "b.md": ReadSource("b.md", "1", "y")}
        >>> found = plan([Listed("c.md", "2")], before, digest=lambda _: "x")
        >>> found.moved, found.deleted
        ((('a.md', Listed(name='c.md', version='2')),), ('b.md',))
    """
    here = {one.name for one in listed}
    gone = [source for name, source in known.items() if name not in here]
    by_digest: defaultdict[str, deque[str]] = defaultdict(deque)
    for source in gone:
        if source.digest and source.problem is None:
            by_digest[source.digest].append(source.name)
    new: list[Listed] = []
    moved: list[tuple[str, Listed]] = []
    for one in (one for one in listed if one.name not in known):
        former = by_digest.get(digest(one) or "") if by_digest else None
        if former:
            moved.append((former.popleft(), one))
        else:
            new.append(one)
    away = {name for name, _ in moved}
    same = [known[one.name] for one in listed if one.name in known and _is_same(one, known[one.name])]
    return Plan(
        new=tuple(new),
        changed=tuple(one for one in listed if one.name in known and not _is_same(one, known[one.name])),
        moved=tuple(moved),
        deleted=tuple(source.name for source in gone if source.name not in away),
        unchanged=sum(source.problem is None for source in same),
        unusable=tuple(source for source in same if source.problem is not None),
    )


def _is_same(listed: Listed, known: ReadSource) -> bool:
    return bool(listed.version) and listed.version == known.version
