"""BEIR's folders: ``corpus.jsonl`` and ``queries.jsonl`` with ``_id``, and ``qrels/test.tsv``."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.formats.answers import answers_of
from gear_neo4j.evaluate.formats.rows import usable
from gear_neo4j.evaluate.formats.writing import Rows
from gear_neo4j.ingestion.lines import read_lines, to_passage

HEADER = "query-id"


@dataclass(frozen=True, slots=True)
class Beir:
    """A BEIR folder with one file of judgements; a passage with a score above 0 is gold."""

    folder: Path
    judgements: Path

    @classmethod
    def of(cls, folder: Path) -> "Beir":
        """The folder with its ``qrels/test.tsv``, or else the only file in ``qrels``.

        Raises:
            InputError: no such file, or several.
        """
        files = sorted((folder / "qrels").glob("*.tsv"))
        test = [path for path in files if path.name == "test.tsv"] or files
        if len(test) != 1:
            raise InputError(f"{folder / 'qrels'} needs test.tsv, or one file of another name; it holds {len(files)}")
        return cls(folder, test[0])

    @property
    def name(self) -> str:
        """The name of the data set."""
        return self.folder.resolve().name

    @property
    def files(self) -> tuple[Path, ...]:
        """All files of the data set."""
        return (self.folder / "corpus.jsonl", self.folder / "queries.jsonl", self.judgements)

    def rows(self) -> Rows:
        """The data set in our format, without questions that have no gold passage, as in BEIR's own evaluation.

        Raises:
            InputError: invalid data; names file and line.
        """
        ids = {passage["id"] for passage in self._corpus()}
        gold = self._gold(ids)
        return Rows(self._corpus(), list(self._queries(gold)))

    def _corpus(self) -> Iterator[dict[str, Any]]:
        """The passages, except blank ones, which real corpora contain."""
        path = self.folder / "corpus.jsonl"
        ids: set[str] = set()
        for line in read_lines(path):
            row, location = usable(line), f"{path}:{line.number}"
            id = _unique_id(row, ids, location)
            if not any(isinstance(text := row.get(key), str) and text.strip() for key in ("title", "text")):
                continue
            try:
                passage = to_passage({"id": id, "title": row.get("title"), "text": row.get("text") or ""})
            except ValueError as error:
                raise InputError(f"{location}: {error}") from error
            yield {"id": passage.id, "title": passage.title, "text": passage.text}

    def _gold(self, corpus: set[str]) -> dict[str, dict[str, str]]:
        """The gold passages of each question, with the position of each judgement."""
        gold: dict[str, dict[str, str]] = {}
        for location, query, passage in _judgements(self.judgements):
            if passage not in corpus:
                raise InputError(f"{location}: the gold passage {passage!r} is not in the corpus")
            gold.setdefault(query, {})[passage] = location
        return gold

    def _queries(self, gold: dict[str, dict[str, str]]) -> Iterator[dict[str, Any]]:
        path = self.folder / "queries.jsonl"
        ids: set[str] = set()
        for line in read_lines(path):
            row, location = usable(line), f"{path}:{line.number}"
            id = _unique_id(row, ids, location)
            if id in gold:
                yield {"id": id, "question": _question(row, location), "gold": list(gold[id]), "answers": _answers(row)}
        for query in gold.keys() - ids:
            location = next(iter(gold[query].values()))
            raise InputError(f"{location}: the question {query!r} is not in {path}")


def _unique_id(row: dict[str, Any], ids: set[str], location: str) -> str:
    id = row.get("_id")
    if not isinstance(id, str | int) or not str(id).strip():
        raise InputError(f'{location}: "_id" is missing or not a text')
    if str(id) in ids:
        raise InputError(f"{location}: the id {str(id)!r} is repeated")
    ids.add(str(id))
    return str(id)


def _question(row: dict[str, Any], location: str) -> str:
    text = row.get("text")
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{location}: the question is missing or empty")
    return text


def _answers(row: dict[str, Any]) -> list[str]:
    metadata = row.get("metadata")
    return list(answers_of(metadata)) if isinstance(metadata, dict) else []


def _judgements(path: Path) -> Iterator[tuple[str, str, str]]:
    """Position, question and passage of each judgement above 0; skips a header."""
    for line in read_lines(path):
        location = f"{path}:{line.number}"
        parts = (line.text or b"").decode("utf-8-sig", errors="replace").rstrip("\r\n").split("\t")
        if parts[0] == HEADER:
            continue
        try:
            query, passage, score = parts
            relevant = float(score) > 0
        except ValueError as error:
            raise InputError(f"{location}: expected question, passage and score, separated by tabs") from error
        if relevant:
            yield location, query, passage
