"""Finds the sentences that support an answer whose model cited nothing."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from gear_neo4j.agents.agent import Agent
from gear_neo4j.agents.answer import Answer, Citation
from gear_neo4j.agents.run import Event, OnEvent
from gear_neo4j.agents.sentences import Sentence, nearest_sentences, stems_of
from gear_neo4j.domain import Passage
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.retrieval.names import split_words
from gear_neo4j.retrieval.patterns.language import stem

# The least cosine to question and answer together of a sentence that has not all words of the answer, and the least
# share of them.
NEAR = 0.5
LEAST_SHARE = 0.5
MOST_SENTENCES = 2
_VERDICTS = frozenset({"yes", "no"})


class SupportedAgent:
    """Asks an agent; if the model cites nothing, the citations are the sentences that support the answer best.

    Without such a sentence, the answer is not grounded. An answer without passages, or with citations, stays as it is.

    Args:
        embedder: the embedding model, opened when it is needed.
    """

    def __init__(self, agent: Agent, *, embedder: Callable[[], Embedder]) -> None:
        self._agent = agent
        self._embedder = embedder

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question; see the agent."""
        amended: list[Answer] = []

        def supported(answer: Answer) -> Answer:
            # The last event has the answer that is returned.
            if not amended:
                amended.append(self._supported(answer))
            return amended[0]

        def forward(event: Event) -> None:
            if on_event:
                on_event(replace(event, answer=event.answer and supported(event.answer)))

        return supported(self._agent.ask(question, k=k, on_event=on_event and forward))

    def _supported(self, answer: Answer) -> Answer:
        if not answer.text or answer.citations or not answer.hits.hits or not answer.grounded:
            return answer
        passages = [hit.passage for hit in answer.hits]
        found = supporting(answer.question, answer.text, passages, embedder=self._embedder())
        citations = [Citation(str(one.passage + 1), passage=passages[one.passage], sentence=one.text) for one in found]
        return replace(answer, citations=tuple(citations), grounded=bool(citations))


def supporting(question: str, answer: str, passages: Sequence[Passage], *, embedder: Embedder) -> list[Sentence]:
    """The sentences that support an answer best, at most two, each of another passage; empty if none does.

    A sentence supports a short answer if it, or the title above it, has all words that the answer adds to the question;
    a longer answer, if it has at least half of them and is near to the answer.

    Example:
        >>> from gear_neo4j import SentenceTransformerEmbedder
        >>> passages = [Passage("1", "Ada King", "She had a cat. She lived in Bath.")]
        >>> model = SentenceTransformerEmbedder()
        >>> [one.text for one in supporting("Where did Ada King live?", "Bath", passages, embedder=model)]
        ['She lived in Bath.']
        >>> supporting("Where did Ada King live?", "Wells", passages, embedder=model)
        []
    """
    # A name may look like a stop word: Will, May.
    words = stems_of(answer) or set(map(stem, split_words(answer))) - _VERDICTS
    added = words - stems_of(question)
    near = []
    for one in nearest_sentences(f"{question} {answer}", passages, embedder=embedder):
        had = added & stems_of(f"{passages[one.passage].title} {one.text}")
        share = len(had) / len(added) if added else 0.5
        if share == 1 or (share >= LEAST_SHARE and one.score >= NEAR):
            near.append((share, one))
    best: dict[int, Sentence] = {}
    for _, one in sorted(near, key=lambda entry: (-entry[0], -entry[1].score)):
        best.setdefault(one.passage, one)
    return list(best.values())[:MOST_SENTENCES]
