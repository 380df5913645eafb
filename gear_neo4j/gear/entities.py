"""Looks up entities by name, and an entity or a passage by its id."""

from collections.abc import Iterator

from gear_neo4j.domain import PassageRecord, entity_key
from gear_neo4j.errors import NothingFound
from gear_neo4j.gear.session import Session
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.entities import EntityRecord, EntitySummary
from gear_neo4j.retrieval.context import passages_around
from gear_neo4j.retrieval.dictionary import Names
from gear_neo4j.retrieval.lucene import fuzzy_query, lucene_query
from gear_neo4j.text.printable import is_storable

# Maximum number of triples of a passage; that of a busy node in an adopted graph may have many more.
MOST_TRIPLES = 1_000
MOST_ENTITIES = 20
# A longer text is not a name.
MOST_WORDS = 8
# Lucene cannot build an automaton for a longer word.
LONGEST_WORD = 100
# Shorter prefixes match too many names.
LEAST_BEGINNING = 3


def passage_record(graph: Graph, id: str) -> PassageRecord:
    """The passage with an id, and its triples in order.

    Raises:
        NothingFound: there is none that the view may see; callers cannot tell whether a hidden one exists.
    """
    passage = graph.store.passages([id]).get(id) if is_storable(id) else None
    if passage is None:
        raise NothingFound("there is no passage with that id: use the id of a hit or of a citation")
    triples = graph.store.stated_triples(id, limit=MOST_TRIPLES + 1)
    (near,) = passages_around(graph.surroundings, [id], 1)
    return PassageRecord(
        passage,
        tuple(triples[:MOST_TRIPLES]),
        exact=len(triples) <= MOST_TRIPLES,
        previous=next(iter(near.before), None),
        next=next(iter(near.after), None),
    )


def entities_named(session: Session, name: str, *, limit: int = MOST_ENTITIES) -> tuple[EntitySummary, ...]:
    """The entity with a name first, then those with similar names, if any."""
    if not is_storable(name) or not name.strip():
        return ()
    ids = list(dict.fromkeys(_candidates(session, name)))
    return tuple(session.graph.entities.summaries(ids[:limit]))


def entity_record(graph: Graph, id: str) -> EntityRecord:
    """The entity with an id, and its facts.

    Raises:
        NothingFound: there is none that the view may see; callers cannot tell whether a hidden one exists.
    """
    record = graph.entities.record(id) if is_storable(id) else None
    if record is None:
        raise NothingFound("there is no entity with that id: look it up by its name")
    return record


def _candidates(session: Session, name: str) -> Iterator[str]:
    """The ids of nodes that may have a name: by the same name, by similar words, or in an adopted graph."""
    export = session.graph.pagerank
    yield from (entity.id for entity in export.named([entity_key(name)]).values())
    record = session.graph.record()
    if record is None:
        return
    if record.names:
        known = Names(session.graph.lexicon)
        yield from known.nodes_named(name)
        yield from (node for match in known.find(name) for node in match.nodes)
    words = [word for word in lucene_query(name).split() if word.isalnum() and len(word) <= LONGEST_WORD][:MOST_WORDS]
    if words:
        similar, _ = export.similar([], text=_similar_query(words))
        yield from (entity.id for entity in similar.values())


def _similar_query(words: list[str]) -> str:
    """A Lucene query for names with these words, with some of them, or with a word that begins like the last one.

    Example:
        >>> _similar_query(["geoffrey", "hin"])
        'geoffrey~1 hin hin*'
    """
    beginning = f" {words[-1]}*" if len(words[-1]) >= LEAST_BEGINNING else ""
    return fuzzy_query(words) + beginning
