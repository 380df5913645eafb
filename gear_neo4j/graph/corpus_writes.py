"""Passages and triples written and deleted, after a check of which are there already."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gear_neo4j.domain import Passage, Triple, entity_key
from gear_neo4j.graph.database import Database, Row

Vectors = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class PassageState:
    """A stored passage beside a given one of its id: whether the text is the same, and whether its position differs."""

    same: bool
    moved: bool


@dataclass(frozen=True, slots=True)
class TripleCheck:
    """Ids: of a batch's passages those that exist and those ``unfinished``, and of its triples those that exist."""

    passages: frozenset[str]
    unfinished: frozenset[str]
    triples: frozenset[str]


@dataclass(frozen=True, slots=True)
class Deletion:
    """How many passages, triples and entities a deletion removed, or in a dry run would remove."""

    passages: int = 0
    triples: int = 0
    entities: int = 0

    def __add__(self, other: "Deletion") -> "Deletion":
        return Deletion(self.passages + other.passages, self.triples + other.triples, self.entities + other.entities)


class CorpusWrites:
    """What writes passages and triples to one database; each method is one query, one transaction, one round trip."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def check_passages(self, passages: Iterable[Passage]) -> dict[str, PassageState]:
        """The passages whose id is taken, by id."""
        rows = self._database.call("check_passages", rows=[_passage_row(passage) for passage in passages])
        return {row["id"]: PassageState(row["same"], row["moved"]) for row in rows}

    def write_passages(self, passages: Sequence[Passage], vectors: Vectors) -> None:
        """Write new passages with their embeddings."""
        self._database.call("write_passages", rows=_embedded_rows(passages, vectors))

    def move_passages(self, passages: Sequence[Passage]) -> None:
        """Give passages that are there their new position."""
        self._database.call("move_passages", rows=[_passage_row(passage) for passage in passages])

    def replace_passages(self, passages: Sequence[Passage], vectors: Vectors) -> Deletion:
        """Write other texts under ids that are taken; the triples of the old texts go."""
        row = self._database.call("replace_passages", rows=_embedded_rows(passages, vectors))[0]
        return Deletion(triples=row["triples"], entities=row["entities"])

    def delete_passages(self, ids: Sequence[str]) -> Deletion:
        """Delete passages with their triples and the entities that no other triple names."""
        return Deletion(**self._database.call("delete_passages", ids=list(ids))[0])

    def check_triples(self, *, passages: Iterable[str], triples: Iterable[str]) -> TripleCheck:
        """Which passages and triples of a batch exist, and which of the passages lack their status."""
        row = self._database.call("check_triples", passages=list(passages), triples=list(triples))[0]
        return TripleCheck(frozenset(row["known"]), frozenset(row["open"]), frozenset(row["written"]))

    def write_triples(
        self, triples: Sequence[Triple], vectors: Vectors, *, completed: Sequence[str], model: str | None
    ) -> None:
        """Write new triples with their embeddings and entities, and the status of the passages they complete."""
        self._database.call(
            "write_triples",
            entities=entity_rows(triples),
            triples=triple_rows(triples, vectors),
            passages=list(completed),
            model=model,
        )

    def delete_triples(self, ids: Sequence[str]) -> int:
        """Delete triples, and say how many went."""
        return int(self._database.call("delete_triples", ids=list(ids))[0]["triples"])


def entity_rows(triples: Iterable[Triple]) -> list[Row]:
    """The entities of some triples by key: the first spelling met gives the name, later ones find it by the key."""
    names: dict[str, str] = {}
    for triple in triples:
        for name in (triple.subject, triple.object):
            names.setdefault(entity_key(name), name)
    # In order, so that two who write at the same time do not wait for each other.
    return [{"key": key, "name": names[key]} for key in sorted(names)]


def triple_rows(triples: Sequence[Triple], vectors: Vectors) -> list[Row]:
    """Triples with their embeddings as the query takes them."""
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
            "embedding": vector,
        }
        for triple, vector in zip(triples, vectors, strict=True)
    ]


def _passage_row(passage: Passage) -> Row:
    return {"id": passage.id, "title": passage.title, "text": passage.text, "position": passage.position}


def _embedded_rows(passages: Sequence[Passage], vectors: Vectors) -> list[Row]:
    return [
        {**_passage_row(passage), "source": passage.source, "embedding": vector}
        for passage, vector in zip(passages, vectors, strict=True)
    ]
