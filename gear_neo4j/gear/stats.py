"""The contents of a database, in numbers, and what a view sees of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version

from gear_neo4j.graph.graph import Graph
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS
from gear_neo4j.status import Embedding, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """The contents of a database, and how they were built.

    Attributes:
        server: the version of Neo4j.
        schema: the last migration; None in a database without our schema.
        pending: the number of migrations that the database still lacks.
        sources: the number of folders and addresses that documents were read from, in all collections.
        documents: the number of documents, the sources in lines of JSONL included.
        communities: their number; ``communities_by_collection`` has it for each collection that has any.
        embedding_model: the model of the vectors, which have ``dimension`` numbers; None in an empty database.
    """

    database: str
    server: str
    schema: str | None
    pending: int
    embedding_model: str | None
    dimension: int | None
    sources: int
    documents: int
    passages: int
    triples: int
    entities: int
    synonyms: int
    communities: int
    communities_by_collection: Mapping[str, int]


def stats_of(graph: Graph) -> Stats:
    """Count what a database holds; read-only.

    Raises:
        MigrationError: this gear-neo4j does not know the schema.
    """
    record, counts, communities = graph.record(), graph.store.counts(), graph.communities.count()
    return Stats(
        database=graph.name,
        server=graph.version,
        schema=graph.schema_version(),
        pending=len(graph.pending_migrations()),
        embedding_model=record.model if record else None,
        dimension=record.dimension if record else None,
        sources=graph.registry.size(),
        documents=graph.sources.count(),
        passages=counts.passages,
        triples=counts.triples,
        entities=counts.entities,
        synonyms=counts.synonyms,
        communities=sum(communities.values()),
        communities_by_collection={name: count for name, count in communities.items() if name},
    )


def status_of(graph: Graph) -> Status:
    """Count what a view sees and list what it may use; read-only, and without anything outside the scope.

    Raises:
        MigrationError: a newer gear-neo4j has migrated the database.
    """
    record = graph.record()
    passages, triples = _sizes(graph)
    return Status(
        version=version("gear-neo4j"),
        database=graph.name,
        passages=passages,
        triples=triples,
        entities=graph.store.count_entities(),
        embedding=Embedding(record.model, record.dimension) if record else None,
        retrievers=tuple(entry.name for entry in RETRIEVERS.offered(graph)),
        agents=tuple(entry.name for entry in AGENTS.offered(graph)),
    )


def _sizes(graph: Graph) -> tuple[int, int]:
    """The numbers of passages and triples."""
    size = graph.database.scope_size
    if size is not None:
        return size.passages, size.triples
    counts = graph.store.counts()
    return counts.passages, counts.triples
