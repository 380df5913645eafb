"""The JSON of entities: those of a name, and one with all that the graph says of it."""

from collections.abc import Sequence
from typing import Any

from gear_neo4j.domain import Triple
from gear_neo4j.graph.read.entities import EntityFact, EntityRecord, EntitySummary, Synonym
from gear_neo4j.wire import documents, shapes
from gear_neo4j.wire.documents import VERSION
from gear_neo4j.wire.read import check_document


def entities_json(name: str, entities: Sequence[EntitySummary]) -> dict[str, Any]:
    """The document of the entities that a name may stand for.

    Example:
        >>> entities_json("curie", [EntitySummary("4:1", "Marie Curie", ("Entity",), 3)])["entities"][0]["name"]
        'Marie Curie'
    """
    return documents.Entities(
        wire=VERSION,
        kind="entities",
        name=name,
        entities=[shapes.EntitySummary(**_fields(entity)) for entity in entities],
    ).model_dump(mode="json")


def entity_json(record: EntityRecord) -> dict[str, Any]:
    """The document of an entity."""
    return documents.EntityDocument(
        wire=VERSION,
        kind="entity",
        **_fields(record.entity),
        facts=[_encode_fact(fact) for fact in record.facts],
        synonyms=[shapes.Synonym(id=near.id, name=near.name, score=near.score) for near in record.synonyms],
        neighbours=[shapes.Neighbour(id=end.id, name=end.name, facts=end.facts) for end in record.neighbours],
        exact=record.exact,
    ).model_dump(mode="json")


def entity_from(row: object, *, name: str = "this") -> EntityRecord:
    """The entity of its document; raises as :func:`gear_neo4j.wire.run_from` does."""
    document = check_document(row, documents.EntityDocument.model_validate, name=name, noun="an entity")
    return EntityRecord(
        EntitySummary(document.id, document.name, tuple(document.labels), document.degree),
        tuple(map(_decode_fact, document.facts)),
        tuple(Synonym(near.id, near.name, near.score) for near in document.synonyms),
        document.exact,
    )


def _fields(entity: EntitySummary) -> dict[str, Any]:
    return {"id": entity.id, "name": entity.name, "labels": list(entity.labels), "degree": entity.degree}


def _encode_fact(fact: EntityFact) -> shapes.EntityFact:
    triple = fact.triple
    return shapes.EntityFact(
        id=triple.id,
        subject=triple.subject,
        predicate=triple.predicate,
        object=triple.object,
        passage=triple.passage_id,
        title=fact.title,
        head=fact.head,
        tail=fact.tail,
    )


def _decode_fact(fact: shapes.EntityFact) -> EntityFact:
    triple = Triple(fact.id, fact.subject, fact.predicate, fact.object, fact.passage)
    return EntityFact(triple, fact.title, fact.head, fact.tail)
