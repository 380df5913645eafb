"""Reads and writes communities in Neo4j; unchanged communities keep their reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gear_neo4j.communities.hierarchy import BuiltCommunity, Community, CommunityFact, Hierarchy, Member, hierarchy_of
from gear_neo4j.errors import InputError
from gear_neo4j.graph.connection.database import Row
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.community_store import Marks
from gear_neo4j.roles.reporter import Report

WRITTEN_A_BATCH = 500
DELETED_A_BATCH = 1_000
MOST_FACTS = 2_000


@dataclass(frozen=True, slots=True)
class FormerBuild:
    """The communities of a collection from the last build, and their readers and marks by id."""

    hierarchy: Hierarchy
    stamps: Mapping[str, tuple[tuple[str, ...], Marks]]


def read(graph: Graph) -> Hierarchy:
    """The stored communities; none if none were built, or the graph's scope admits none.

    Raises:
        ScopeRefusal: the scope has a filter.
    """
    hierarchy = hierarchy_of(_community(row) for row in graph.communities.all())
    if not hierarchy.communities or not graph.scope.is_everything:
        return hierarchy
    version = graph.pagerank.version().changed
    versions = {build.collection: build.version for build in graph.communities.builds()}
    return replace(hierarchy, stale=any(versions.get(name) != version for name in hierarchy.by_collection()))


def built(graph: Graph, collection: str) -> FormerBuild:
    """The communities of a collection from the last build, without their reports."""
    rows = list(graph.communities.built(collection))
    stamps = {
        row["id"]: (tuple(row["readers"]), Marks(row["moved"], row["restricted"]))
        for row in rows
        if row["readers"] is not None
    }
    return FormerBuild(hierarchy_of(_community(row | {"collection": collection}) for row in rows), stamps)


def is_exact(graph: Graph) -> bool:
    """Whether reports only use passages that the graph's scope admits; communities ignore the readers of passages."""
    return graph.scope.principals is None


def required(graph: Graph, *, collection: str | None = None) -> Hierarchy:
    """The communities of a graph, or of one of its collections.

    Raises:
        InputError: none were built, or the graph's scope admits none.
        ScopeRefusal: the scope has a filter.
    """
    hierarchy = read(graph) if collection is None else read(graph).of(collection)
    if not hierarchy.communities:
        where = "" if collection is None else f" in the collection {collection!r}"
        within = where if graph.scope.is_everything else f"{where} in this scope"
        raise InputError(
            f"the database {graph.name} has no communities{within}: build them first ('gear communities build')"
        )
    return hierarchy


def write(
    graph: Graph, communities: Sequence[BuiltCommunity], *, collection: str, before: FormerBuild, marks: Marks
) -> None:
    """Store the communities of a collection, parents first, and delete former ones.

    A killed run can be repeated: ids are hashes of the content.
    """
    order = sorted(communities, key=lambda built: (built.community.level, built.community.id))
    known = before.hierarchy.communities
    changed = [built.community for built in order if not _is_same(known.get(built.community.id), built.community)]
    for start in range(0, len(changed), WRITTEN_A_BATCH):
        rows = [_row(community) for community in changed[start : start + WRITTEN_A_BATCH]]
        graph.communities.write(rows, collection=collection)
    stamps = [
        {"id": built.community.id, "readers": list(built.readers)}
        for built in order
        if before.stamps.get(built.community.id) != (built.readers, marks)
    ]
    for start in range(0, len(stamps), WRITTEN_A_BATCH):
        graph.communities.stamp(stamps[start : start + WRITTEN_A_BATCH], marks)
    gone = sorted(known.keys() - {built.community.id for built in communities})
    for start in range(0, len(gone), WRITTEN_A_BATCH):
        graph.communities.delete(gone[start : start + WRITTEN_A_BATCH])


def delete_others(graph: Graph, collections: Sequence[str]) -> int:
    """Delete the communities outside these collections; returns their number."""
    deleted = 0
    while batch := graph.communities.delete_others(collections, limit=DELETED_A_BATCH):
        deleted += batch
    return deleted


def facts_of(graph: Graph, id: str) -> list[CommunityFact]:
    """At most 2,000 triples of a community."""
    rows = graph.communities.content(id, most=MOST_FACTS)
    return [
        CommunityFact(
            row["id"],
            Member(row["head"], row["subject"], tuple(row["headLabels"]), row["headIn"]),
            row["predicate"],
            Member(row["tail"], row["object"], tuple(row["tailLabels"]), row["tailIn"]),
            tuple(row["readers"] or ()),
            row["version"],
        )
        for row in rows
    ]


def _is_same(known: Community | None, community: Community) -> bool:
    """Whether a community is stored unchanged; its id does not include its position in the hierarchy."""
    return known is not None and _row(known) == _row(community)


def _row(community: Community) -> Row:
    return {
        "id": community.id,
        "level": community.level,
        "size": community.size,
        "weight": community.weight,
        "above": community.above,
        "members": list(community.members),
    }


def _community(row: Row) -> Community:
    return Community(
        row["id"],
        row["level"],
        row["size"],
        row["weight"],
        row["above"],
        tuple(sorted(row["members"])),
        report_of(row),
        row.get("error"),
        row["collection"],
    )


def report_of(row: Row) -> Report | None:
    """The report in a row, if any."""
    if row.get("title") is None:
        return None
    return Report(row["title"], row["summary"], row["rank"], tuple(row["findings"] or ()))
