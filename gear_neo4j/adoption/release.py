"""``gear release``: removes an overlay completely, and leaves the graph as it was before."""

from collections.abc import Callable
from dataclasses import dataclass

from gear_neo4j.errors import NothingFound
from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.progress import Progress

DELETED_A_BATCH = 1_000


@dataclass(slots=True)
class ReleaseReport:
    """The numbers of passages and triples removed, and whether the schema and the record were removed, too."""

    passages: int = 0
    triples: int = 0
    schema: bool = False


def release(
    graph: Graph,
    *,
    dry_run: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> ReleaseReport:
    """Remove the overlay of a graph; a killed run can be repeated.

    The user's nodes, relationships, indexes and constraints were never changed, and stay. Ingested passages stay, too,
    together with our schema; communities cover the whole graph, and are deleted.

    Raises:
        NothingFound: the database has no overlay.
    """
    total = graph.overlay.counts()
    record = graph.record()
    if not (record and (record.profile or total.passages or total.triples)):
        raise NothingFound(f"the database {graph.name} holds no overlay: nothing was adopted")
    alone = not total.ingested
    if dry_run:
        return ReleaseReport(total.passages, total.triples, schema=alone)
    report = ReleaseReport(schema=alone)
    while graph.communities.clear(limit=DELETED_A_BATCH) or graph.terms.clear(limit=DELETED_A_BATCH):
        pass
    while any(ids := graph.overlay.some(limit=DELETED_A_BATCH)):
        triples, passages = ids
        if triples:
            report.triples += graph.corpus.delete_triples(triples)
        elif passages:
            report.passages += graph.corpus.delete_passages(passages).passages
        done = report.passages + report.triples
        on_progress(Progress("releasing", done, max(done, total.passages + total.triples), done))
    if alone:
        graph.drop_schema()
    else:
        graph.overlay.forget_profile()
    return report
