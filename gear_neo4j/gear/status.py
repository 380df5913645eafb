"""The status of a database as a view sees it."""

from importlib.metadata import version

from gear_neo4j.graph.graph import Graph
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS
from gear_neo4j.status import Embedding, Status


def status_of(graph: Graph) -> Status:
    """Count what a view sees and list what it may use; read-only, and nothing outside the scope counts.

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
        retrievers=tuple(entry.name for entry in RETRIEVERS.offered(graph.refusal)),
        agents=tuple(entry.name for entry in AGENTS.offered(graph.refusal)),
    )


def _sizes(graph: Graph) -> tuple[int, int]:
    """The numbers of passages and triples."""
    size = graph.database.scope_size
    if size is not None:
        return size.passages, size.triples
    counts = graph.store.counts()
    return counts.passages, counts.triples
