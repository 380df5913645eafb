"""One passage by its id, with the triples that it states."""

from gear_neo4j.domain import PassageRecord
from gear_neo4j.errors import NothingFound
from gear_neo4j.graph.graph import Graph
from gear_neo4j.text.printable import is_storable

# The passage of a busy node of an adopted graph may state many more.
MOST_TRIPLES = 1_000


def passage_record(graph: Graph, id: str) -> PassageRecord:
    """The passage of an id, with its triples in order.

    Raises:
        NothingFound: there is none, or none that the view may see: the two are told apart by nothing.
    """
    passage = graph.store.passages([id]).get(id) if is_storable(id) else None
    if passage is None:
        raise NothingFound("there is no passage of that id: use the id of a hit or of a citation")
    triples = graph.store.stated_triples(id, limit=MOST_TRIPLES + 1)
    return PassageRecord(passage, tuple(triples[:MOST_TRIPLES]), exact=len(triples) <= MOST_TRIPLES)
