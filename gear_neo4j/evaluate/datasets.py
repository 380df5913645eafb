"""Data sets: a folder with ``corpus.jsonl``, ``queries.jsonl`` and optionally ``triples.jsonl``, or another format."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from gear_neo4j.errors import InputError
from gear_neo4j.evaluate import formats
from gear_neo4j.ingestion.lines import Problem, parsed, read_lines, to_passage
from gear_neo4j.scope import DEFAULT_COLLECTION, checked_name, qualified_id
from gear_neo4j.settings import Settings

Record = TypeVar("Record")
Triples = Literal["given", "rules", "both"]
_REFERENCE = re.compile(r"#(\d+)")


@dataclass(frozen=True, slots=True)
class Hop:
    """A sub-question with its answer and gold passage; in its text, ``#1`` stands for the answer of the first hop."""

    question: str
    answer: str
    passage: str

    @property
    def references(self) -> tuple[int, ...]:
        """The positions, from 0, of the hops whose answers the sub-question needs.

        Example:
            >>> Hop("Which state borders #2 to the east?", "North Carolina", "p26").references
            (1,)
        """
        return tuple(int(number) - 1 for number in _REFERENCE.findall(self.question))


@dataclass(frozen=True, slots=True)
class EvaluationQuery:
    """A question with the ids of its gold passages, its accepted answers, and its hops if known."""

    id: str
    question: str
    gold: tuple[str, ...]
    answers: tuple[str, ...] = ()
    decomposition: tuple[Hop, ...] = ()

    def within(self, collection: str) -> Self:
        """The question with its passage ids qualified by a collection.

        Example:
            >>> EvaluationQuery("q1", "Who?", gold=("p1",)).within("legal").gold
            ('legal/p1',)
        """
        gold = tuple(qualified_id(id, collection) for id in self.gold)
        hops = tuple(replace(hop, passage=qualified_id(hop.passage, collection)) for hop in self.decomposition)
        return replace(self, gold=gold, decomposition=hops)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set: its name, its folder, its questions, and a fingerprint of its corpus and triples.

    ``triples`` says which triples the graph gets: those ``given``, those of the ``rules``, or ``both``. ``collection``
    holds its passages.
    """

    name: str
    folder: Path
    queries: tuple[EvaluationQuery, ...]
    fingerprint: str
    triples: Triples = "given"
    collection: str = DEFAULT_COLLECTION

    @property
    def sources(self) -> list[Path]:
        """The files or folders to ingest."""
        return [self.folder / "corpus.jsonl" if self.triples == "rules" else self.folder]

    def within(self, collection: str) -> Self:
        """The data set in a collection; the ids of its passages begin with the collection's name.

        Raises:
            SettingsError: the name cannot be used.
            InputError: its triples are ``both``; the rules would read every collection.
        """
        checked_name(collection, kind="collection")
        if collection == DEFAULT_COLLECTION:
            return self
        if self.triples == "both":
            raise InputError("--extract both needs a database of its own: within a collection, use given or rules")
        queries = tuple(query.within(collection) for query in self.queries)
        return replace(self, collection=collection, queries=queries)

    def with_triples(self, triples: Triples | None) -> Self:
        """The data set with these triples; None means those given, or those of the rules if none are given.

        Raises:
            InputError: no triples are given.
        """
        file = self.folder / "triples.jsonl"
        are_given = file.is_file() and next(read_lines(file), None) is not None
        triples = triples or ("given" if are_given else "rules")
        if triples != "rules" and not are_given:
            raise InputError(f"the data set {self.name} has no triples.jsonl: --extract rules makes them")
        suffix = "" if triples == "given" else f"+{triples}"
        return replace(self, triples=triples, fingerprint=self.fingerprint.partition("+")[0] + suffix)


def load(path: Path, *, home: Path | None = None, triples: Triples | None = None) -> Dataset:
    """Read and check a data set: our folder, or a format of ``formats``, which is converted once.

    Args:
        home: the folder for converted data sets; by default that of the settings.
        triples: see :meth:`Dataset.with_triples`.

    Raises:
        InputError: a file is missing, a line cannot be used, an id is repeated, or a gold passage is not in the corpus.
        SettingsError: the settings cannot be read.
    """
    if formats.is_ours(path):
        return _load(path).with_triples(triples)
    dataset = formats.converted(path, home=home or Settings.load().home)
    return replace(_load(dataset.folder), name=dataset.name).with_triples(triples)


def _load(folder: Path) -> Dataset:
    for name in formats.OURS:
        if not (folder / name).is_file():
            raise InputError(f"{folder} has no {name}: a data set is a folder with corpus.jsonl and queries.jsonl")
    corpus = _corpus_ids(folder / "corpus.jsonl")
    queries = tuple(_queries(folder / "queries.jsonl", corpus))
    if not queries:
        raise InputError(f"{folder / 'queries.jsonl'} holds no question")
    return Dataset(folder.resolve().name, folder, queries, _fingerprint(folder))


def _corpus_ids(path: Path) -> set[str]:
    ids: set[str] = set()
    for line in read_lines(path):
        passage = _usable(parsed(line, to_passage))
        if passage.id in ids:
            raise InputError(f"{path}:{line.number}: the id {passage.id!r} is repeated")
        ids.add(passage.id)
    return ids


def _queries(path: Path, corpus: set[str]) -> Iterator[EvaluationQuery]:
    ids: set[str] = set()
    for line in read_lines(path):
        query = _usable(parsed(line, _to_query))
        if query.id in ids:
            raise InputError(f"{path}:{line.number}: the id {query.id!r} is repeated")
        needed = (*query.gold, *(hop.passage for hop in query.decomposition))
        missing = [gold for gold in needed if gold not in corpus]
        if missing:
            raise InputError(f"{path}:{line.number}: the gold passage {missing[0]!r} is not in the corpus")
        ids.add(query.id)
        yield query


def _to_query(row: dict[str, Any]) -> EvaluationQuery:
    question, gold = row.get("question"), row.get("gold")
    if not isinstance(question, str) or not question.strip():
        raise ValueError('"question" is missing or blank')
    if not isinstance(gold, list) or not gold:
        raise ValueError('"gold" is missing or empty')
    answers = row.get("answers") or []
    if not isinstance(answers, list):
        raise ValueError('"answers" is not a list')
    own_id = row.get("id")
    gold_ids = tuple(dict.fromkeys(str(id) for id in gold))
    hops = _hops(row.get("decomposition") or [])
    return EvaluationQuery(
        question if own_id is None else str(own_id), question, gold_ids, tuple(map(str, answers)), hops
    )


def _hops(items: object) -> tuple[Hop, ...]:
    keys = ("q", "a", "p")
    whole = isinstance(items, list) and all(isinstance(item, dict) and all(map(item.get, keys)) for item in items)
    if not isinstance(items, list) or not whole:
        raise ValueError('"decomposition" is not a list of {"q", "a", "p"}')
    hops = tuple(Hop(*(str(item[key]) for key in keys)) for item in items)
    for index, hop in enumerate(hops):
        if any(not 0 <= number < index for number in hop.references):
            raise ValueError(f'"decomposition" {index + 1} refers to a hop that does not come before it')
    return hops


def _usable(record: Record | Problem) -> Record:
    if isinstance(record, Problem):
        raise InputError(str(record))
    return record


def _fingerprint(folder: Path) -> str:
    digest = blake2b(digest_size=16)
    for name in ("corpus.jsonl", "triples.jsonl"):
        if (folder / name).is_file():
            with (folder / name).open("rb") as file:
                while chunk := file.read(1 << 20):
                    digest.update(chunk)
        digest.update(b"\0")
    return digest.hexdigest()
