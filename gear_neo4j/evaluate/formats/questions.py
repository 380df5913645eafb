"""Questions with paragraphs, in the formats of MuSiQue, HippoRAG, HotpotQA, 2WikiMultihopQA and IRCoT.

MuSiQue and HippoRAG: ``question``, ``paragraphs`` of ``title``, ``paragraph_text`` or ``text``, and ``is_supporting``.
IRCoT: ``question_text``, ``contexts`` of the same, ``answers_objects``. HotpotQA and 2WikiMultihopQA: ``question``,
``context`` of titles and sentences, ``supporting_facts`` with the titles of the gold ones.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gear_neo4j.evaluate.formats.answers import answers_of
from gear_neo4j.evaluate.formats.pool import Paragraph

KNOWN = "MuSiQue, 2WikiMultihopQA, HotpotQA, HippoRAG or IRCoT"
_REFERENCE = re.compile(r"#(\d+)")


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """A sub-question, its answer, and its paragraph."""

    question: str
    answer: str
    paragraph: Paragraph


@dataclass(frozen=True, slots=True)
class SourceQuestion:
    """A question from a file; ``titles`` holds gold titles without a paragraph.

    ``marked``: the file marks the gold paragraphs; otherwise all are gold. ``by_title``: the file gives gold titles.
    """

    id: str
    question: str
    answers: tuple[str, ...]
    paragraphs: tuple[Paragraph, ...]
    gold: tuple[Paragraph, ...]
    titles: tuple[str, ...] = ()
    steps: tuple[SubQuestion, ...] = ()
    marked: bool = True
    by_title: bool = False


def to_question(row: object) -> SourceQuestion:
    """The question in a row of any of the formats.

    Raises:
        ValueError: the question is invalid; says why.

    Example:
        >>> row = {"_id": 7, "question": "Where?", "answer": "here", "context": [["A", ["One.", " Two."]]],
        ...        "supporting_facts": [["A", 0], ["B", 1]]}
        >>> question = to_question(row)
        >>> question.id, question.gold, question.titles
        ('7', (Paragraph(title='A', text='One. Two.'),), ('B',))
    """
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    question = row.get("question", row.get("question_text"))
    if not isinstance(question, str):
        raise ValueError(f"no question as {KNOWN} would write it")
    if not question.strip():
        raise ValueError("the question is empty")
    if row.get("answerable") is False:
        raise ValueError("the question is marked as not answerable: give a file of answerable ones (musique_ans_...)")
    id = next((str(row[key]) for key in ("id", "_id", "question_id") if row.get(key) is not None), question)
    if "context" in row:
        return _with_facts(id, question, row)
    return _with_marks(id, question, row)


def _with_marks(id: str, question: str, row: Mapping[str, Any]) -> SourceQuestion:
    items = _objects(row.get("paragraphs", row.get("contexts")))
    paragraphs = tuple(_paragraph(item) for item in items)
    marked = any("is_supporting" in item for item in items)
    gold = tuple(
        paragraph
        for paragraph, item in zip(paragraphs, items, strict=True)
        if not marked or item.get("is_supporting") is True
    )
    if not gold:
        raise ValueError("no paragraph is marked as supporting")
    steps = _steps(row.get("question_decomposition"), _numbered(items, paragraphs))
    return SourceQuestion(id, question, answers_of(row), paragraphs, gold, steps=steps, marked=marked)


def _with_facts(id: str, question: str, row: Mapping[str, Any]) -> SourceQuestion:
    paragraphs = tuple(_sentences(*pair) for pair in _pairs(row["context"], "sentences"))
    titles = tuple(dict.fromkeys(title for title, _ in _pairs(row.get("supporting_facts"), "sent_id")))
    if not all(isinstance(title, str) for title in titles) or not titles:
        raise ValueError('"supporting_facts" names no title')
    gold = tuple(paragraph for title in titles for paragraph in paragraphs if paragraph.title == title)
    gold_titles = {paragraph.title for paragraph in gold}
    absent = tuple(title for title in titles if title not in gold_titles)
    return SourceQuestion(id, question, answers_of(row), paragraphs, gold, titles=absent, by_title=True)


def _numbered(items: Sequence[Mapping[str, Any]], paragraphs: Sequence[Paragraph]) -> dict[int, Paragraph]:
    numbers = [item.get("idx", index) for index, item in enumerate(items)]
    return {number: paragraph for number, paragraph in zip(numbers, paragraphs, strict=True) if isinstance(number, int)}


def _objects(items: object) -> Sequence[Mapping[str, Any]]:
    if not isinstance(items, list) or not items or not all(isinstance(item, dict) for item in items):
        raise ValueError(f"it has no paragraphs as {KNOWN} would write them")
    return items


def _paragraph(item: Mapping[str, Any]) -> Paragraph:
    title, text = item.get("title") or "", item.get("paragraph_text", item.get("text"))
    if not isinstance(title, str) or not isinstance(text, str):
        raise ValueError('a paragraph has no "title" and "paragraph_text" that are texts')
    return Paragraph(title, text)


def _pairs(value: object, second: str) -> Sequence[tuple[Any, Any]]:
    """Pairs written as lists of two, or as an object of two lists (the form of Hugging Face)."""
    if isinstance(value, dict) and isinstance(value.get("title"), list) and isinstance(value.get(second), list):
        return list(zip(value["title"], value[second], strict=False))
    if isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        return [(title, item) for title, item in value if isinstance(title, str)]
    raise ValueError(f'titles with "{second}" are expected')


def _sentences(title: object, sentences: object) -> Paragraph:
    if not isinstance(title, str):
        raise ValueError("a paragraph's title is not a text")
    return Paragraph(title, joined(sentences))


def joined(sentences: object) -> str:
    """The text of a list of sentences; HotpotQA's begin with a space, 2WikiMultihopQA's do not.

    Raises:
        ValueError: not a list of texts.

    Example:
        >>> joined(["One.", " Two.", "Three."])
        'One. Two. Three.'
    """
    if not isinstance(sentences, list) or not all(isinstance(sentence, str) for sentence in sentences):
        raise ValueError("a paragraph is not a list of sentences")
    return " ".join(sentence.strip() for sentence in sentences if sentence.strip())


def _steps(items: object, paragraphs: Mapping[int, Paragraph]) -> tuple[SubQuestion, ...]:
    """The sub-questions; empty unless each has an answer and a paragraph and refers only to earlier ones."""
    if not isinstance(items, list):
        return ()
    steps = [step for item in items if (step := _step(item, paragraphs))]
    ordered = all(
        1 <= int(number) <= index for index, step in enumerate(steps) for number in _REFERENCE.findall(step.question)
    )
    return tuple(steps) if ordered and len(steps) == len(items) else ()


def _step(item: object, paragraphs: Mapping[int, Paragraph]) -> SubQuestion | None:
    if not isinstance(item, dict):
        return None
    question, answer, index = (item.get(key) for key in ("question", "answer", "paragraph_support_idx"))
    if not (isinstance(question, str) and question and isinstance(answer, str) and answer):
        return None
    paragraph = paragraphs.get(index) if isinstance(index, int) else None
    return SubQuestion(question, answer, paragraph) if paragraph else None
