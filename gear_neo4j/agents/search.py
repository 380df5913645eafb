"""The search agent: answers with the best sentences of what a search finds, without a language model."""

import re
from collections.abc import Sequence
from typing import ClassVar

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.pattern import listed
from gear_neo4j.agents.run import OnEvent, Run, with_note
from gear_neo4j.agents.sentences import Sentence, nearest_sentences, stems_of
from gear_neo4j.domain import Fact, Hits, Passage, Path
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.recipes.recipe import AgentRecipe, option
from gear_neo4j.recipes.registry import AnyRetriever
from gear_neo4j.retrieval.auto import Auto
from gear_neo4j.retrieval.patterns.finder import EntityResult
from gear_neo4j.retrieval.question import checked
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.roles.citations import without_markers
from gear_neo4j.roles.parsers import Draft
from gear_neo4j.text.wording import certainty

# What the first rank is worth beside a cosine; the others get its quotient by their rank.
RANK_WEIGHT = 0.5
# Sentences with this share of the question's words are an answer, even if none is near.
ENOUGH_WORDS = 0.6
# Nodes of a pattern that is less certain are no answer.
LIKELY = 0.5
MOST_NODES = 20
_END = re.compile(r"[.!?…。！？]*\Z")


class SearchAgent(AgentRecipe):
    """The best sentences of the passages that a search finds, without a language model."""

    name: ClassVar[str] = "search"
    over: AnyRetriever = option(Auto(), "the retriever to build on")
    read: int = option(6, "number of passages whose sentences are compared with the question", least=1, client_most=20)
    sentences: int = option(3, "maximum number of sentences in an answer", least=1, client_most=10)
    near: float = option(
        0.45,
        "least similarity of the best sentence to the question; below it, the sentences need 60 % of its words",
        least=0,
        most=1,
    )

    @property
    def requires_model(self) -> bool:
        """Whether the retriever needs a language model."""
        return bool(self.over.requires_model)

    @property
    def calls_model(self) -> bool:
        """Whether the retriever calls a language model if there is one."""
        return bool(self.over.calls_model)


class SearchAnswerer:
    """Retrieves once, and answers with sentences of the passages, or with nodes of an adopted graph."""

    def __init__(self, retriever: Retriever, *, embedder: Embedder, options: SearchAgent) -> None:
        self._retriever = retriever
        self._embedder = embedder
        self._options = options

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question with sentences of the first passages, each cited, and the path between them.

        Nodes of an adopted graph come first, if a pattern is likely to be what the question means. The answer is empty
        if nothing is near enough to the question.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        run = Run(checked(question, k=k), "no model", on_event)
        run.begin(run.question)
        hits = run.search(self._retriever, k=k)
        run.note(merged=tuple(hit.passage.id for hit in hits))
        draft = self._from_nodes(run, hits) or self._from_passages(run, hits)
        stop = run.stopped() or ("answerable" if draft else "abstained")
        return run.finish(hits, draft or Draft(""), stop=stop)

    def _from_nodes(self, run: Run, hits: Hits) -> Draft | None:
        """The nodes of the first pattern, or its figure."""
        first = [entity for entity in hits.entities if entity.cypher == hits.entities[0].cypher][:MOST_NODES]
        result = EntityResult(tuple(first), hits.figure, hits.exact, hits.doubt)
        best = hits.figure or next(iter(first), None)
        if best is None or result.confidence < LIKELY or not best.understood:
            return None
        note = certainty(best.confidence, unused=best.unused, understood=best.understood)
        return with_note(listed(run, result), "; ".join(filter(None, (note, hits.doubt))))

    def _from_passages(self, run: Run, hits: Hits) -> Draft | None:
        """The best sentence of each of the passages that have the best ones, in the order of the path between them."""
        options = self._options
        with run.timed("sentences"):
            read = [hit.passage for hit in hits[: options.read]]
            sentences = nearest_sentences(hits.question, read, embedder=self._embedder)
        chosen = best_sentences(sentences, most=options.sentences)
        near = any(sentence.score >= options.near for sentence in chosen)
        if not (near or _shared(hits.question, chosen, read) >= ENOUGH_WORDS):
            return None
        passages = {hits[sentence.passage].passage.id: sentence for sentence in chosen}
        path = _path_between(hits, list(passages))
        order = path.passage_ids if path else ()
        ordered = sorted(passages, key=lambda id: order.index(id) if id in order else -1)
        text = " ".join(_cited(passages[id]) for id in ordered)
        if path:
            run.remember([Fact(triple.subject, triple.predicate, triple.object) for triple in path.triples])
            text = f"{text}\n\nPath: {path}"
        return Draft(text, passages=tuple(passages[id].passage + 1 for id in ordered))


def best_sentences(sentences: Sequence[Sentence], *, most: int) -> list[Sentence]:
    """The best sentence of each passage, for the passages that have the best ones, best first.

    The cosine of a sentence counts, and the rank of its passage.

    Example:
        >>> sentences = [Sentence(0, "Ada.", 0.2), Sentence(0, "Ada lived in Bath.", 0.6), Sentence(3, "Hm.", 0.1)]
        >>> [sentence.text for sentence in best_sentences(sentences, most=1)]
        ['Ada lived in Bath.']
    """
    best: dict[int, Sentence] = {}
    for sentence in sentences:
        if sentence.passage not in best or sentence.score > best[sentence.passage].score:
            best[sentence.passage] = sentence
    return sorted(best.values(), key=lambda one: -(one.score + RANK_WEIGHT / (one.passage + 1)))[:most]


def _shared(question: str, sentences: Sequence[Sentence], passages: Sequence[Passage]) -> float:
    """The share of a question's words that are in sentences, or in the titles above them."""
    asked = stems_of(question)
    texts = (f"{passages[sentence.passage].title} {sentence.text}" for sentence in sentences)
    said = set[str]().union(*map(stems_of, texts))
    return len(asked & said) / len(asked) if asked else 0.0


def _path_between(hits: Hits, passages: Sequence[str]) -> Path | None:
    """The path to one of the passages that goes through most of them; of several, the shortest."""
    paths = [path for id in passages if (path := hits.path_to(id))]
    through = {path: len(set(path.passage_ids).intersection(passages)) for path in paths}
    return max(through, key=lambda path: (through[path], -len(path.triples)), default=None)


def _cited(sentence: Sentence) -> str:
    """A sentence with the marker of its passage, before its full stop.

    Example:
        >>> _cited(Sentence(1, "He studied in Bath."))
        'He studied in Bath [2].'
    """
    text = without_markers(sentence.text)
    end = _END.search(text)
    at = end.start() if end else len(text)
    return f"{text[:at]} [{sentence.passage + 1}]{text[at:] or '.'}"
