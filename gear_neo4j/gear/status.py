"""The status of a database as a view sees it."""

from importlib.metadata import version
from typing import Any

from gear_neo4j.graph.graph import Graph
from gear_neo4j.registry import AGENTS, RETRIEVERS, Registry
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
        retrievers=_usable(RETRIEVERS, graph),
        agents=_usable(AGENTS, graph),
    )


def _sizes(graph: Graph) -> tuple[int, int]:
    """The numbers of passages and triples."""
    extent = graph.database.extent
    if extent is not None:
        return extent.passages, extent.triples
    counts = graph.store.counts()
    return counts.passages, counts.triples


def _usable(registry: Registry[Any], graph: Graph) -> tuple[str, ...]:
    recipes = [entry.recipe for entry in registry]
    return tuple(one.name for one in recipes if not one.operator_only and not graph.refusal(one))
