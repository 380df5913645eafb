"""Communities in Neo4j: read whole, for they are few, and written so that what did not change keeps its report."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gear_neo4j.errors import InputError
from gear_neo4j.graph.database import Row
from gear_neo4j.graph.graph import Graph
from gear_neo4j.roles.reporter import Report

WRITTEN_A_BATCH = 500
MOST_FACTS = 2_000


@dataclass(frozen=True, slots=True)
class Community:
    """Nodes that belong together: those in it and in none below it (element ids), and how many there are in all.

    ``id`` is a hash of its nodes and triples, so that one that changed is another one. ``weight`` is the number of
    passages that state its triples. ``above`` is the id of the larger one that it is a part of.
    """

    id: str
    level: int
    size: int
    weight: int
    above: str | None
    members: tuple[str, ...]
    report: Report | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """One end of a fact: its element id, its name there, its labels, and the lowest community that it is in."""

    id: str
    name: str
    labels: tuple[str, ...]
    community: str


@dataclass(frozen=True, slots=True)
class CommunityFact:
    """A triple between two nodes of a community."""

    id: str
    head: Member
    predicate: str
    tail: Member

    def __str__(self) -> str:
        return f"{self.head.name} —{self.predicate}→ {self.tail.name}"


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """All communities of a graph by id, and what is below each; ``stale`` where the graph has changed since."""

    communities: Mapping[str, Community]
    most: int = 0
    stale: bool = False
    below: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def roots(self) -> list[Community]:
        """The coarsest communities, the largest first."""
        return by_size(community for community in self.communities.values() if community.above is None)

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


def read(graph: Graph) -> Hierarchy:
    """The communities as they are stored; none, where none were built."""
    record = graph.communities.record()
    if not record or not record.communities:
        return Hierarchy({})
    communities = {row["id"]: _community(row) for row in graph.communities.all()}
    below: dict[str, list[str]] = {}
    for community in communities.values():
        if community.above:
            below.setdefault(community.above, []).append(community.id)
    return Hierarchy(
        communities,
        most=record.most or 0,
        stale=graph.export.version().changed != record.version,
        below={id: tuple(parts) for id, parts in below.items()},
    )


def required(graph: Graph) -> Hierarchy:
    """The communities of a graph.

    Raises:
        InputError: none were built.
    """
    hierarchy = read(graph)
    if not hierarchy.communities:
        raise InputError(f"the database {graph.name} has no communities: build them first ('gear communities build')")
    return hierarchy


def write(graph: Graph, communities: Sequence[Community], *, before: Hierarchy) -> int:
    """Store communities, those above first, and take away what is no longer one; says how many are new.

    Killed, it can be run again and goes on: ids follow from what the communities hold.
    """
    fresh = 0
    order = sorted(communities, key=lambda community: (community.level, community.id))
    changed = [
        community for community in order if before.communities.get(community.id) is None or _moved(community, before)
    ]
    for start in range(0, len(changed), WRITTEN_A_BATCH):
        rows = [
            {
                "id": community.id,
                "level": community.level,
                "size": community.size,
                "weight": community.weight,
                "above": community.above,
                "members": list(community.members),
            }
            for community in changed[start : start + WRITTEN_A_BATCH]
        ]
        fresh += graph.communities.write(rows)
    gone = sorted(before.communities.keys() - {community.id for community in communities})
    for start in range(0, len(gone), WRITTEN_A_BATCH):
        graph.communities.delete(gone[start : start + WRITTEN_A_BATCH])
    return fresh


def facts_of(graph: Graph, id: str) -> list[CommunityFact]:
    """The triples of a community, 2,000 at most."""
    rows = graph.communities.content(id, most=MOST_FACTS)
    return [
        CommunityFact(
            row["id"],
            Member(row["head"], row["subject"], tuple(row["headLabels"]), row["headIn"]),
            row["predicate"],
            Member(row["tail"], row["object"], tuple(row["tailLabels"]), row["tailIn"]),
        )
        for row in rows
    ]


def _moved(community: Community, before: Hierarchy) -> bool:
    known = before.communities[community.id]
    return (known.level, known.above, known.weight) != (community.level, community.above, community.weight)


def _community(row: Row) -> Community:
    return Community(
        row["id"],
        row["level"],
        row["size"],
        row["weight"],
        row["above"],
        tuple(sorted(row["members"])),
        report_of(row),
        row["error"],
    )


def report_of(row: Row) -> Report | None:
    """The report in a row, where there is one."""
    if row["title"] is None:
        return None
    return Report(row["title"], row["summary"], row["rank"], tuple(row["findings"] or ()))
