"""Communities and their hierarchy, as values."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from gear_neo4j.roles.reporter import Report
from gear_neo4j.text.display import Displayed


@dataclass(frozen=True, slots=True)
class Community:
    """Nodes that belong together: those in it and in none below it (element ids), and how many there are in all.

    ``id`` is a hash of its nodes and triples, so that one that changed is another one. ``weight`` is the number of
    passages that state its triples. ``above`` is the id of the larger one that it is a part of. It consists of triples
    of one ``collection``; None if an older version built it, over all of them.
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
    """One end of a fact: its element id, its name there, its labels, and the lowest community that it is in."""

    id: str
    name: str
    labels: tuple[str, ...]
    community: str


@dataclass(frozen=True, slots=True)
class CommunityFact:
    """A triple between two nodes of a community: who may read it, and the version of the graph when it was read."""

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
    """The communities of a graph by id, and what is below each; ``stale`` where the graph has changed since.

    Under a scope they are those that it admits, and whether they are stale is not known: another caller's passages may
    have changed.
    """

    communities: Mapping[str, Community]
    stale: bool = False
    below: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def roots(self) -> list[Community]:
        """The coarsest communities, the largest first."""
        return by_size(community for community in self.communities.values() if community.above is None)

    def by_collection(self) -> dict[str | None, "Hierarchy"]:
        """The communities of each collection, in order of its name."""
        grouped: dict[str | None, dict[str, Community]] = defaultdict(dict)
        for id, community in self.communities.items():
            grouped[community.collection][id] = community
        return {name: self._within(grouped[name]) for name in sorted(grouped, key=lambda name: name or "")}

    def _within(self, communities: Mapping[str, Community]) -> "Hierarchy":
        below = {id: parts for id, parts in self.below.items() if id in communities}
        return Hierarchy(communities, stale=self.stale, below=below)

    def of(self, collection: str) -> "Hierarchy":
        """The communities of one collection; none, where it has none."""
        return self.by_collection().get(collection, Hierarchy({}))

    def parts(self, id: str) -> list[Community]:
        """What is right below a community, the largest first."""
        return by_size(self.communities[part] for part in self.below.get(id, ()))

    def line(self, id: str) -> list[Community]:
        """A community and all above it, upwards."""
        communities = [self.communities[id]]
        while (above := communities[-1].above) is not None:
            communities.append(self.communities[above])
        return communities


def by_size(communities: Iterable[Community]) -> list[Community]:
    """The largest first."""
    return sorted(communities, key=lambda community: (-community.size, community.id))


@dataclass(frozen=True, slots=True)
class BuiltCommunity:
    """A community with the sets of readers of all that it rests on, each as one text."""

    community: Community
    readers: tuple[str, ...]


def hierarchy_of(communities: Iterable[Community]) -> Hierarchy:
    """The hierarchy of communities; one whose larger one is not among them is at the top."""
    known = {community.id: community for community in communities}
    below: dict[str, list[str]] = {}
    for id, community in known.items():
        if community.above in known:
            below.setdefault(community.above, []).append(id)
        elif community.above:
            # The larger one may rest on what the scope hides.
            known[id] = replace(community, above=None)
    return Hierarchy(known, below={id: tuple(parts) for id, parts in below.items()})
