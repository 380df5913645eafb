"""``gear release``: every trace of an overlay taken away, so that the graph is what it was before."""

from collections.abc import Callable
from dataclasses import dataclass

from gear_neo4j.errors import InputError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.progress import Progress

DELETED_A_BATCH = 1_000


@dataclass(slots=True)
class Released:
    """What went: passages and triples, and whether the schema and the store went with the last of them."""

    passages: int = 0
    triples: int = 0
    schema: bool = False


def release(
    graph: Graph,
    *,
    dry_run: bool = False,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Released:
    """Remove the overlay of a graph; killed, it can be run again and goes on.

    The user's nodes, relationships, indexes and constraints were never changed, and stay. Passages that were ingested
    beside the graph stay, too, and with them our schema; communities are of the whole graph, and go.

    Raises:
        InputError: the database holds no overlay.
    """
    total = graph.overlay.counts()
    record = graph.record()
    if not (record and (record.profile or total.passages or total.triples)):
        raise InputError(f"the database {graph.name} holds no overlay: nothing was adopted")
    alone = not total.ingested
    if dry_run:
        return Released(total.passages, total.triples, schema=alone)
    gone = Released(schema=alone)
    while graph.communities.clear(limit=DELETED_A_BATCH):
        pass
    while any(ids := graph.overlay.some(limit=DELETED_A_BATCH)):
        triples, passages = ids
        if triples:
            gone.triples += graph.corpus.delete_triples(triples)
        elif passages:
            gone.passages += graph.corpus.delete_passages(passages).passages
        done = gone.passages + gone.triples
        on_progress(Progress("releasing", done, max(done, total.passages + total.triples), done))
    if alone:
        graph.drop_schema()
    else:
        graph.overlay.forget_profile()
    return gone
