"""Writes and deletes passages and triples, and checks which ones exist."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.domain import Passage, Triple, entity_key, spelling_rank
from gear_neo4j.graph.connection.database import Database, Row
from gear_neo4j.graph.read.vanished import TRIPLE, present
from gear_neo4j.graph.write.source_registry import sources_around
from gear_neo4j.scope import metadata_key
from gear_neo4j.text.name_keys import plain_key

Vectors = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class PassageState:
    """A stored passage compared with a new one: ``same`` text, and ``moved`` within its document or to another one."""

    same: bool
    moved: bool


@dataclass(frozen=True, slots=True)
class TripleCheck:
    """Ids from a batch: its passages that exist, those ``unfinished``, and its triples that exist."""

    passages: frozenset[str]
    unfinished: frozenset[str]
    triples: frozenset[str]


@dataclass(frozen=True, slots=True)
class Deletion:
    """The numbers of passages, triples and entities that a deletion removed, or would remove in a dry run."""

    passages: int = 0
    triples: int = 0
    entities: int = 0

    def __add__(self, other: "Deletion") -> "Deletion":
        return Deletion(self.passages + other.passages, self.triples + other.triples, self.entities + other.entities)


@dataclass(frozen=True, slots=True)
class Rename:
    """The old id of a passage, the renamed passage, and the old and new id of each of its triples."""

    old: str
    new: Passage
    triples: tuple[tuple[str, str], ...]


class CorpusWrites:
    """Writes passages and triples to one database; each method is one query, one transaction, one round trip."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def check_passages(self, passages: Iterable[Passage]) -> dict[str, PassageState]:
        """The states of the passages whose ids are already in use, by id."""
        rows = self._database.call("check_passages", rows=[_passage_row(passage) for passage in passages])
        return {row["id"]: PassageState(row["same"], row["moved"]) for row in present(rows, "id", "same")}

    def write_passages(self, passages: Sequence[Passage], vectors: Vectors) -> int:
        """Write new passages with their embeddings; returns the number of new ones, even with concurrent writers.

        A passage without readers gets those recorded for its document, or, if that is new, for the source around it.
        """
        silent = {(one.collection, one.source) for one in passages if one.readers is None and one.source}
        numbers = {source: number for number, source in enumerate(sorted(silent))}
        sources = [_source_row(*source, number) for source, number in numbers.items()]
        rows = [
            row | {"of": numbers.get((row["collection"], row["source"]))} for row in _embedded_rows(passages, vectors)
        ]
        return int(self._database.call("write_passages", rows=rows, sources=sources)[0]["written"])

    def move_passages(self, passages: Sequence[Passage]) -> None:
        """Update position, source and metadata of existing passages."""
        self._database.call("move_passages", rows=[_passage_row(passage) for passage in passages])

    def link_neighbours(self, pairs: Sequence[tuple[str, str | None]]) -> None:
        """Link passages (ids) with the next ones of their documents; None follows the last one."""
        self._database.call("link_neighbours", rows=[{"id": id, "next": following} for id, following in pairs])

    def triples_of(self, passages: Sequence[str]) -> list[Triple]:
        """All triples that passages state, by the ids of the passages."""
        rows = self._database.call("triples_of", passages=list(passages))
        return [
            Triple(row["id"], row["subject"], row["predicate"], row["object"], row["passage"])
            for row in present(rows, *TRIPLE)
        ]

    def rename_passages(self, renames: Sequence[Rename]) -> int:
        """Give passages and their triples new ids, unless those are taken; returns the number of renamed passages."""
        rows = [
            {
                "from": rename.old,
                "to": rename.new.id,
                "source": rename.new.source,
                "triples": [{"from": old, "to": new} for old, new in rename.triples],
            }
            for rename in renames
        ]
        return int(self._database.call("rename_passages", rows=rows)[0]["renamed"])

    def write_readers(self, readers: Mapping[str, Sequence[str]], *, widen: bool) -> None:
        """Set the readers of passages, by id, and of their triples; none means everybody.

        Passages only get more readers with ``widen``.
        """
        if readers:
            rows = [{"id": id, "readers": list(names)} for id, names in sorted(readers.items())]
            self._database.call("write_readers", rows=rows, widen=widen)

    def replace_passages(self, passages: Sequence[Passage], vectors: Vectors, *, widen: bool) -> Deletion:
        """Write new texts under existing ids; the triples of the old texts are deleted.

        Passages only get more readers with ``widen``.
        """
        row = self._database.call("replace_passages", rows=_embedded_rows(passages, vectors), widen=widen)[0]
        return Deletion(triples=row["triples"], entities=row["entities"])

    def delete_passages(self, ids: Sequence[str]) -> Deletion:
        """Delete passages with their triples and the entities that no other triple names."""
        return Deletion(**self._database.call("delete_passages", ids=list(ids))[0])

    def check_triples(self, *, passages: Iterable[str], triples: Iterable[str], extractor: str) -> TripleCheck:
        """Which passages and triples of a batch exist, and which of the passages the extractor has not read."""
        row = self._database.call("check_triples", passages=list(passages), triples=list(triples), extractor=extractor)[
            0
        ]
        return TripleCheck(frozenset(row["known"]), frozenset(row["open"]), frozenset(row["written"]))

    def write_triples(
        self,
        triples: Sequence[Triple],
        vectors: Vectors,
        *,
        completed: Sequence[str],
        extractor: str,
        read: Sequence[Passage] = (),
    ) -> None:
        """Write new triples with their embeddings and entities, and mark the passages they complete as read.

        Nothing is written for a passage in ``read`` whose text in the database has changed since.
        """
        self._database.call(
            "write_triples",
            entities=entity_rows(triples),
            triples=triple_rows(triples, vectors),
            passages=list(completed),
            extractor=extractor,
            read=[{"id": passage.id, "title": passage.title, "text": passage.text} for passage in read],
        )

    def delete_triples(self, ids: Sequence[str]) -> int:
        """Delete triples, and the entities that have no other triple; returns the number of triples."""
        return int(self._database.call("delete_triples", ids=list(ids))[0]["triples"])


def entity_rows(triples: Iterable[Triple]) -> list[Row]:
    """The entities of some triples by key; if spellings differ, ``write_triples`` says which one becomes the name."""
    names: dict[str, str] = {}
    for triple in triples:
        for name in (triple.subject, triple.object):
            key = entity_key(name)
            names[key] = min(name, names.get(key, name), key=spelling_rank)
    # Sorted, so that concurrent writers take locks in the same order and do not deadlock.
    return [{"key": key, "name": names[key], "plain": plain_key(key)} for key in sorted(names)]


def triple_rows(triples: Sequence[Triple], vectors: Vectors) -> list[Row]:
    """Triples with their embeddings, as query parameters."""
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
    return {
        "id": passage.id,
        "title": passage.title,
        "text": passage.text,
        "source": passage.source,
        "position": passage.position,
        "metadata": {metadata_key(field): value for field, value in passage.metadata.items()},
        "readers": None if passage.readers is None else list(passage.readers),
    }


def _source_row(collection: str, name: str, number: int) -> Row:
    within = [f"{collection}/{source}" for source in sources_around(name)]
    return {"number": number, "id": f"{collection}/{name}", "collection": collection, "name": name, "within": within}


def _embedded_rows(passages: Sequence[Passage], vectors: Vectors) -> list[Row]:
    return [
        {**_passage_row(passage), "collection": passage.collection, "embedding": vector}
        for passage, vector in zip(passages, vectors, strict=True)
    ]
