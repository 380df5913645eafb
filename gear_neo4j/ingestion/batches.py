"""Writes one batch of an ingest, in one process or on many machines.

A batch can be written repeatedly: existing items stay unchanged.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.forgetting import remove_stale
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.membership import CollectionAccess
from gear_neo4j.ingestion.reading import PassageBatch, TripleBatch
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.ingestion.writing import link_neighbours, write_passages, write_triples
from gear_neo4j.models.embeddings import Embedder


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """The counts of a batch for the report, its problems, and the documents that keep their readers."""

    report: IngestReport
    problems: tuple[Problem, ...] = ()
    kept: frozenset[str] = frozenset()


def passages_read(batch: PassageBatch) -> IngestReport:
    """The counts of a batch of passages before it is written."""
    characters = sum(len(passage.content) for passage in batch.passages)
    return IngestReport(
        documents_read=len(batch.documents), passages_read=len(batch.passages), characters_read=characters
    )


def write_passage_batch(
    graph: Graph,
    batch: PassageBatch,
    *,
    embedder: Embedder,
    membership: CollectionAccess,
    replaceable: Callable[[str], bool] = lambda _: False,
) -> BatchOutcome:
    """Write passages; of the documents that end with them, remove stale passages, and link the others.

    See :func:`write_passages`.
    """
    if batch.records:
        # First without a version, so that after an interrupted write a sync reads them again.
        begun = [replace(record, version="") for record in batch.records]
        graph.manifest.record(begun, None, collection=membership.collection)
    written = write_passages(
        graph,
        batch.passages,
        embedder=embedder,
        replaceable=replaceable,
        readers=membership.readers,
        widen=membership.widen,
    )
    removed = remove_stale(graph, batch.documents, collection=membership.collection)
    link_neighbours(graph, batch.documents)
    if batch.records:
        graph.manifest.record(batch.records, None, collection=membership.collection)
    report = passages_read(batch)
    report.passages_written = written.new
    report.passages_replaced = written.replaced
    report.passages_removed = removed.passages
    report.triples_removed = written.triples_removed + removed.triples
    report.entities_removed = written.entities_removed + removed.entities
    taken = (_taken(batch, number) for number in written.different)
    return BatchOutcome(report, (*batch.problems, *taken), written.kept)


def write_triple_batch(graph: Graph, batch: TripleBatch, *, embedder: Embedder) -> BatchOutcome:
    """Write the triples of passages in the graph; see :func:`write_triples`."""
    written = write_triples(graph, batch.triples, completed=batch.completed, embedder=embedder)
    report = IngestReport(triples_read=len(batch.triples), triples_written=written.new)
    unknown = sorted((batch.locations[passage], passage) for passage in written.unknown)
    missing = (
        Problem(
            location.file,
            location.line,
            f"names the passage {passage!r}, which does not exist: ingest it first, then this file again",
        )
        for location, passage in unknown
    )
    return BatchOutcome(report, (*batch.problems, *missing))


def _taken(batch: PassageBatch, number: int) -> Problem:
    location, id = batch.locations[number], batch.passages[number].id
    return Problem(
        location.file, location.line, f"another text has the id {id!r} already: give this one an id of its own"
    )
