"""Files of questions with their paragraphs, and HippoRAG's corpus and extraction files beside them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.formats.pool import Paragraph, Pool
from gear_neo4j.evaluate.formats.questions import SourceQuestion, joined, to_question
from gear_neo4j.evaluate.formats.rows import Row, read_rows
from gear_neo4j.evaluate.formats.writing import Rows
from gear_neo4j.ingestion.lines import is_triple

CORPORA = ("_corpus.json", "_corpus.jsonl")


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """A file of questions, its corpus (default: the paragraphs of the questions), and a file of triples."""

    questions: Path
    corpus: Path | None = None
    triples: Path | None = None

    @classmethod
    def beside(cls, questions: Path) -> "QuestionFile":
        """A file of questions with its neighbours ``X_corpus.json`` and ``openie_X_results*.json``.

        Raises:
            InputError: several extraction files.
        """
        stem, folder = questions.stem, questions.parent
        corpus = next((path for end in CORPORA if (path := folder / f"{stem}{end}").is_file()), None)
        own = (path for path in folder.glob("openie_*.json") if path.name.startswith(f"openie_{stem}_results"))
        extractions = sorted(own) or sorted(folder.glob("openie_results*.json"))
        if len(extractions) > 1:
            names = ", ".join(path.name for path in extractions)
            raise InputError(f"{folder} holds several extractions of {questions.name} ({names}): keep only one")
        return cls(questions, corpus, extractions[0] if extractions else None)

    @property
    def name(self) -> str:
        """The name of the data set."""
        return self.questions.stem

    @property
    def files(self) -> tuple[Path, ...]:
        """All files of the data set."""
        return tuple(path for path in (self.questions, self.corpus, self.triples) if path)

    def rows(self) -> Rows:
        """The data set in our format.

        Raises:
            InputError: invalid data; names file and position.
        """
        questions = list(_source_questions(self.questions))
        pool = _corpus(self.corpus) if self.corpus else _paragraphs(questions)
        queries = [_query(location, question, pool, self.corpus) for location, question in questions]
        corpus = ({"id": passage.id, "title": passage.title, "text": passage.text} for passage in pool)
        return Rows(corpus, queries, _triples(self.triples, pool) if self.triples else None)


def _source_questions(path: Path) -> Iterator[tuple[str, SourceQuestion]]:
    ids: set[str] = set()
    for row in read_rows(path):
        try:
            question = to_question(row.value)
        except ValueError as error:
            raise InputError(f"{row.location}: {error}") from error
        if question.id in ids:
            raise InputError(f"{row.location}: the id {question.id!r} is repeated")
        ids.add(question.id)
        yield row.location, question


def _paragraphs(questions: list[tuple[str, SourceQuestion]]) -> Pool:
    pool = Pool()
    for location, question in questions:
        if not question.marked:
            raise InputError(f"{location}: no paragraph is marked as supporting")
        for paragraph in question.paragraphs:
            pool.add(paragraph, location=location)
    return pool


def _corpus(path: Path) -> Pool:
    pool = Pool()
    for row in read_rows(path):
        for paragraph in _of_corpus(row):
            pool.add(paragraph, location=row.location)
    return pool


def _of_corpus(row: Row) -> Iterator[Paragraph]:
    """One passage, or all passages of an object with titles and sentences (HippoRAG's HotpotQA)."""
    value = row.value
    if isinstance(value, dict) and value and all(isinstance(sentences, list) for sentences in value.values()):
        try:
            yield from (Paragraph(title, joined(sentences)) for title, sentences in value.items())
        except ValueError as error:
            raise InputError(f"{row.location}: {error}") from error
        return
    title, text = _title_and_text(value)
    if not isinstance(title, str) or not isinstance(text, str):
        raise InputError(f'{row.location}: no passage with "title" and "text"')
    yield Paragraph(title, text)


def _title_and_text(value: object) -> tuple[object, object]:
    if not isinstance(value, dict):
        return None, None
    return value.get("title") or "", value.get("text", value.get("paragraph_text"))


def _query(location: str, question: SourceQuestion, pool: Pool, corpus: Path | None) -> dict[str, Any]:
    where = f"in {corpus}" if corpus else "among the paragraphs"

    def id_of(paragraph: Paragraph) -> str:
        # If gold is given by title alone, the question may show another excerpt of the article.
        id = pool.find(paragraph) or (pool.titled(paragraph.title) if question.by_title else None)
        if id is None:
            raise InputError(f"{location}: the gold passage {paragraph.title!r} is not {where}")
        return id

    titled = [Paragraph(title, "") for title in question.titles]
    gold = dict.fromkeys(id_of(paragraph) for paragraph in (*question.gold, *titled))
    steps = [{"q": step.question, "a": step.answer, "p": id_of(step.paragraph)} for step in question.steps]
    query = {"id": question.id, "question": question.question, "answers": list(question.answers), "gold": list(gold)}
    return query | ({"decomposition": steps} if steps else {})


def _triples(path: Path, pool: Pool) -> Iterator[dict[str, Any]]:
    """The triples of HippoRAG's extraction; malformed ones are listed separately, as in HippoRAG."""
    for row in read_rows(path):
        docs = row.value.get("docs") if isinstance(row.value, dict) else None
        if not isinstance(docs, list):
            raise InputError(f'{row.location}: no list "docs", as HippoRAG writes its extractions')
        for number, doc in enumerate(docs, start=1):
            yield _of_doc(f"{path}: doc {number}", doc, pool)


def _of_doc(location: str, doc: object, pool: Pool) -> dict[str, Any]:
    triples = doc.get("extracted_triples") if isinstance(doc, dict) else None
    if not isinstance(doc, dict) or not isinstance(triples, list):
        raise InputError(f'{location}: no list "extracted_triples"')
    id = pool.find(_extracted(doc))
    if id is None:
        raise InputError(f"{location}: its passage is not in the corpus: use the extraction of this corpus")
    wellformed = [triple for triple in triples if is_triple(triple)]
    return {"id": id, "triples": wellformed, "malformed": [triple for triple in triples if not is_triple(triple)]}


def _extracted(doc: Mapping[str, Any]) -> Paragraph:
    title, text = _title_and_text(doc)
    if isinstance(title, str) and isinstance(text, str):
        return Paragraph(title, text)
    title, _, text = str(doc.get("passage", "")).partition("\n")
    return Paragraph(title, text)
