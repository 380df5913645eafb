"""The sentences of passages that are nearest to a text: to a question, or to an answer without citations."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gear_neo4j.domain import Passage, Span
from gear_neo4j.extraction.language import language_of
from gear_neo4j.extraction.tables import Row, split_tables
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.retrieval.names import split_words
from gear_neo4j.retrieval.patterns.language import stem, stop_words

# Of a longer passage, the beginning is read; of a longer sentence, such as a line of code, it is shown.
LONGEST_TEXT = 6_000
LONGEST_SENTENCE = 500


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or the row of a table as *head: cell*, with the index of its passage and its cosine to the text."""

    passage: int
    text: str
    score: float = 0.0


def sentences_of(passage: Passage) -> list[str]:
    """The sentences of a passage and the rows of its tables, each once; long ones are shortened.

    Example:
        >>> table = "It has rivers. They are long.\\n\\n| river | mouth |\\n|---|---|\\n| Elbe | North Sea |"
        >>> sentences_of(Passage("p", "Germany", table))
        ['It has rivers.', 'They are long.', 'river: Elbe, mouth: North Sea']
    """
    text = passage.text[:LONGEST_TEXT]
    rows, rest = split_tables(text)
    texts = dict.fromkeys([*language_of(text).sentences(rest), *map(_listed, rows)])
    return [_shortened(one) for one in texts if one]


def span_of(sentence: str, text: str) -> Span | None:
    """Where a text has one of its sentences or rows, None if it does not have it; of several places, the first.

    Example:
        >>> span_of("She lived in Bath.", "A cat.\\nShe lived\\nin Bath.")
        Span(start=7, end=25)
        >>> span_of("river: Elbe, mouth: North Sea", "| river | mouth |\\n|---|---|\\n| Elbe | North Sea |")
        Span(start=30, end=46)
    """
    if found := _words_in(sentence.removesuffix("…").split(), text):
        return found
    rows, _ = split_tables(text[:LONGEST_TEXT])
    row = next((row for row in rows if _shortened(_listed(row)) == sentence), [])
    # In a table, the cells stand between bars; in a record, each is behind its head.
    cells = re.search(r"[ \t]*\|[| \t]*".join(re.escape(cell) for _, cell in row if cell), text) if row else None
    return Span(*cells.span()) if cells else _words_in([word for field in row for word in _field(*field).split()], text)


def _words_in(words: Sequence[str], text: str) -> Span | None:
    found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return Span(*found.span()) if found else None


def nearest_sentences(text: str, passages: Sequence[Passage], *, embedder: Embedder) -> list[Sentence]:
    """The sentences of passages, each with its cosine to a text, in the order of the passages."""
    return compared(text, all_sentences(passages), passages, embedder=embedder)


def all_sentences(passages: Sequence[Passage]) -> list[Sentence]:
    """The sentences of passages in order, not yet compared with a text."""
    return [Sentence(index, one) for index, passage in enumerate(passages) for one in sentences_of(passage)]


def compared(
    text: str, sentences: Sequence[Sentence], passages: Sequence[Passage], *, embedder: Embedder
) -> list[Sentence]:
    """Sentences of passages with their cosines to a text.

    A sentence is read below the title of its passage: *He was born in Bath* says nothing of whom.
    """
    if not sentences:
        return []
    titled = [_below(passages[sentence.passage].title, sentence.text) for sentence in sentences]
    vectors = embedder.embed([text, *titled])
    cosines = (vectors[1:] @ vectors[0]).tolist()
    return [
        Sentence(sentence.passage, sentence.text, cosine) for sentence, cosine in zip(sentences, cosines, strict=True)
    ]


def stems_of(text: str) -> set[str]:
    """The stems of the words of a text, without stop words.

    Example:
        >>> sorted(stems_of("Who founded the observatories?"))
        ['found', 'observatori']
    """
    return {stem(word) for word in split_words(text) if word.casefold() not in stop_words()}


def _listed(row: Row) -> str:
    return ", ".join(_field(head, cell) for head, cell in row if cell)


def _field(head: str, cell: str) -> str:
    return f"{head}: {cell}" if head else cell


def _below(title: str, sentence: str) -> str:
    return sentence if not title or title in sentence else f"{title}\n{sentence}"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SENTENCE else f"{text[: LONGEST_SENTENCE - 1].rstrip()}…"
