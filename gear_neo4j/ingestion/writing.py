"""Batches into Neo4j: what is there already is asked first, so nothing is embedded or written twice."""

from collections.abc import Sequence
from dataclasses import dataclass

from gear_neo4j.domain import Passage, Triple, entity_key
from gear_neo4j.graph.database import Database
from gear_neo4j.models.embeddings import Embedder


@dataclass(frozen=True, slots=True)
class PassagesWritten:
    """How many passages of a batch were new, and the places of those whose id stands for another text already."""

    new: int
    different: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TriplesWritten:
    """How many triples of a batch were new, and the passages they name that do not exist."""

    new: int
    unknown: frozenset[str]


def write_passages(database: Database, passages: Sequence[Passage], *, embedder: Embedder) -> PassagesWritten:
    """Write the passages that are not there yet, with their embeddings, in one transaction; others stay as they are."""
    first: dict[str, Passage] = {}
    for passage in passages:
        first.setdefault(passage.id, passage)
    asked = [{"id": passage.id, "title": passage.title, "text": passage.text} for passage in first.values()]
    same = {row["id"]: row["same"] for row in database.call("check_passages", rows=asked)}
    fresh = [passage for passage in first.values() if passage.id not in same]
    if fresh:
        database.call("write_passages", rows=_passage_rows(fresh, embedder))
    different = (
        place
        for place, passage in enumerate(passages)
        if not same.get(passage.id, True) or passage.content != first[passage.id].content
    )
    return PassagesWritten(len(fresh), tuple(different))


def write_triples(
    database: Database,
    triples: Sequence[Triple],
    *,
    completed: Sequence[str],
    embedder: Embedder,
    model: str | None = None,
) -> TriplesWritten:
    """Write the triples that are not there yet, and the status of the passages they complete, in one transaction.

    ``completed`` names the passages all of whose triples are in the database after this batch, ``model`` what extracted
    them, where a language model did.
    """
    named = {triple.passage_id for triple in triples} | set(completed)
    check = database.call("check_triples", passages=list(named), triples=[triple.id for triple in triples])[0]
    known, written = frozenset(check["known"]), frozenset(check["written"])
    fresh = [triple for triple in triples if triple.passage_id in known and triple.id not in written]
    done = [passage for passage in completed if passage in set(check["open"])]
    if fresh or done:
        rows = _triple_rows(fresh, embedder)
        database.call("write_triples", entities=_entity_rows(fresh), triples=rows, passages=done, model=model)
    return TriplesWritten(len(fresh), frozenset(named - known))


def _passage_rows(passages: Sequence[Passage], embedder: Embedder) -> list[dict[str, object]]:
    vectors = embedder.embed([passage.content for passage in passages]).tolist()
    return [
        {
            "id": passage.id,
            "title": passage.title,
            "text": passage.text,
            "source": passage.source,
            "embedding": vector,
        }
        for passage, vector in zip(passages, vectors, strict=True)
    ]


def _entity_rows(triples: Sequence[Triple]) -> list[dict[str, str]]:
    # The first spelling met gives the entity its name; later ones find it by its key.
    names: dict[str, str] = {}
    for triple in triples:
        for name in (triple.subject, triple.object):
            names.setdefault(entity_key(name), name)
    return [{"key": key, "name": name} for key, name in names.items()]


def _triple_rows(triples: Sequence[Triple], embedder: Embedder) -> list[dict[str, object]]:
    texts = list(dict.fromkeys(triple.text for triple in triples))
    vectors = dict(zip(texts, embedder.embed(texts).tolist(), strict=True)) if texts else {}
    return [
        {
            "id": triple.id,
            "subject": triple.subject,
            "predicate": triple.predicate,
            "object": triple.object,
            "text": triple.text,
            "passage": triple.passage_id,
            "subjectKey": entity_key(triple.subject),
            "objectKey": entity_key(triple.object),
            "embedding": vectors[triple.text],
        }
        for triple in triples
    ]
