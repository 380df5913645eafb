"""Batches into Neo4j: what is there already is asked first, so nothing is embedded or written twice."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gear_neo4j.domain import Passage, Triple, entity_key
from gear_neo4j.graph.database import Database
from gear_neo4j.models.embeddings import Embedder


@dataclass(frozen=True, slots=True)
class PassagesWritten:
    """How many passages of a batch were new, how many replaced another text, and what the replaced ones took along.

    ``different`` holds the places of those that were left out, because their id stands for another text already.
    """

    new: int
    replaced: int = 0
    triples_removed: int = 0
    entities_removed: int = 0
    different: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TriplesWritten:
    """How many triples of a batch were new, and the passages they name that do not exist."""

    new: int
    unknown: frozenset[str]


def write_passages(
    database: Database,
    passages: Sequence[Passage],
    *,
    embedder: Embedder,
    replaceable: Callable[[str], bool] = lambda _: False,
) -> PassagesWritten:
    """Write the passages that are not there yet, with their embeddings, in one transaction; others stay as they are.

    ``replaceable`` says of an id whether another text under it may be replaced: then the triples of that text go, in
    one transaction with the replacement. A passage that only moved within its document gets its new position.
    """
    first: dict[str, Passage] = {}
    for passage in passages:
        first.setdefault(passage.id, passage)
    known = {row["id"]: row for row in database.call("check_passages", rows=list(map(_asked, first.values())))}
    fresh = [passage for id, passage in first.items() if id not in known]
    moved = [passage for id, passage in first.items() if id in known and known[id]["same"] and known[id]["moved"]]
    changed = {id for id, row in known.items() if not row["same"]}
    replaced = [first[id] for id in sorted(changed) if replaceable(id)]
    if fresh:
        database.call("write_passages", rows=_passage_rows(fresh, embedder))
    if moved:
        database.call("move_passages", rows=list(map(_asked, moved)))
    gone = database.call("replace_passages", rows=_passage_rows(replaced, embedder))[0] if replaced else {}
    kept = changed - {passage.id for passage in replaced}
    different = tuple(
        place
        for place, passage in enumerate(passages)
        if passage.id in kept or passage.content != first[passage.id].content
    )
    return PassagesWritten(len(fresh), len(replaced), gone.get("triples", 0), gone.get("entities", 0), different)


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
    known, written, unfinished = (frozenset(check[key]) for key in ("known", "written", "open"))
    new = {triple.id: triple for triple in triples if triple.passage_id in known and triple.id not in written}
    fresh = list(new.values())
    done = [passage for passage in completed if passage in unfinished]
    if fresh or done:
        rows = _triple_rows(fresh, embedder)
        database.call("write_triples", entities=entity_rows(fresh), triples=rows, passages=done, model=model)
    return TriplesWritten(len(fresh), frozenset(named - known))


def _asked(passage: Passage) -> dict[str, object]:
    return {"id": passage.id, "title": passage.title, "text": passage.text, "position": passage.position}


def _passage_rows(passages: Sequence[Passage], embedder: Embedder) -> list[dict[str, object]]:
    vectors = embedder.embed([passage.content for passage in passages]).tolist()
    return [
        {
            **_asked(passage),
            "source": passage.source,
            "embedding": vector,
        }
        for passage, vector in zip(passages, vectors, strict=True)
    ]


def entity_rows(triples: Sequence[Triple]) -> list[dict[str, str]]:
    """The entities of some triples by key: the first spelling met gives the name, later ones find it by the key."""
    names: dict[str, str] = {}
    for triple in triples:
        for name in (triple.subject, triple.object):
            names.setdefault(entity_key(name), name)
    # In order, so that two who write at the same time do not wait for each other.
    return [{"key": key, "name": names[key]} for key in sorted(names)]


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
