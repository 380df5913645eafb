"""Communities and their hierarchy, as values."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from gear_neo4j.roles.reporter import Report
from gear_neo4j.text.display import Displayed


@dataclass(frozen=True, slots=True)
class Community:
    """A community: ``members`` are the element ids of nodes in none of its parts, ``size`` counts all its nodes.

    ``id`` is a hash of its nodes and triples, so that a changed community is a new one. ``weight`` is the number of
    passages that state its triples. ``above`` is the id of its parent. Its triples are from one ``collection``; None if
    an older version built it over all collections.
    """

    id: str
    level: int
    size: int
    weight: int
    above: str | None
    members: tuple[str, ...]
    report: Report | None = None
    error: str | None = None
    collection: str | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """One end of a fact: its element id, its name in the fact, its labels, and its lowest community."""

    id: str
    name: str
    labels: tuple[str, ...]
    community: str


@dataclass(frozen=True, slots=True)
class CommunityFact:
    """A triple between two nodes of a community, its readers, and the version of the graph when it was read."""

    id: str
    head: Member
    predicate: str
    tail: Member
    readers: tuple[str, ...] = ()
    version: str | None = None

    def __str__(self) -> str:
        return f"{self.head.name} —{self.predicate}→ {self.tail.name}"


@dataclass(frozen=True, slots=True)
class Hierarchy(Displayed):
    """The communities of a graph by id, and the ids of their parts; ``stale`` if the graph has changed since the build.

    Under a scope it has only admitted communities, and ``stale`` is never set: the change may be hidden by the scope.
    """

    communities: Mapping[str, Community]
    stale: bool = False
    below: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def roots(self) -> list[Community]:
        """The coarsest communities, largest first."""
        return by_size(community for community in self.communities.values() if community.above is None)

    def by_collection(self) -> dict[str | None, "Hierarchy"]:
        """The communities of each collection, sorted by its name."""
        grouped: dict[str | None, dict[str, Community]] = defaultdict(dict)
        for id, community in self.communities.items():
            grouped[community.collection][id] = community
        return {name: self._within(grouped[name]) for name in sorted(grouped, key=lambda name: name or "")}

    def _within(self, communities: Mapping[str, Community]) -> "Hierarchy":
        below = {id: parts for id, parts in self.below.items() if id in communities}
        return Hierarchy(communities, stale=self.stale, below=below)

    def of(self, collection: str) -> "Hierarchy":
        """The communities of one collection; empty if it has none."""
        return self.by_collection().get(collection, Hierarchy({}))

    def parts(self, id: str) -> list[Community]:
        """The direct parts of a community, largest first."""
        return by_size(self.communities[part] for part in self.below.get(id, ()))

    def line(self, id: str) -> list[Community]:
        """A community and its ancestors, upwards."""
        communities = [self.communities[id]]
        while (above := communities[-1].above) is not None:
            communities.append(self.communities[above])
        return communities


def by_size(communities: Iterable[Community]) -> list[Community]:
    """The communities, largest first."""
    return sorted(communities, key=lambda community: (-community.size, community.id))


@dataclass(frozen=True, slots=True)
class BuiltCommunity:
    """A community with the sets of readers of its triples, each as one text."""

    community: Community
    readers: tuple[str, ...]


def hierarchy_of(communities: Iterable[Community]) -> Hierarchy:
    """The hierarchy of communities; a community whose parent is missing becomes a root."""
    known = {community.id: community for community in communities}
    below: dict[str, list[str]] = {}
    for id, community in known.items():
        if community.above in known:
            below.setdefault(community.above, []).append(id)
        elif community.above:
            # The scope may hide the parent.
            known[id] = replace(community, above=None)
    return Hierarchy(known, below={id: tuple(parts) for id, parts in below.items()})
