"""The citations of an answer: the sentences of passages that support it, and where each passage has them."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from gear_neo4j.agents.agent import Agent
from gear_neo4j.agents.answer import Answer, Citation
from gear_neo4j.agents.claims import MOST_CLAIMS, claims
from gear_neo4j.agents.correcting import corrected
from gear_neo4j.agents.run import Event, OnEvent
from gear_neo4j.agents.sentences import sentences_of, span_of
from gear_neo4j.agents.supporting import supporting
from gear_neo4j.domain import Passage, Span
from gear_neo4j.models.embeddings import Embedder


class CitingAgent:
    """Asks an agent; its citations say where the passages have the sentences that support the answer.

    A citation that is certainly wrong is corrected. If the model cites nothing, the citations are the passages with the
    sentences that support the answer best. Without such a sentence, the answer is not grounded.

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
        cited = corrected(self._cited(answer), embedder=self._embedder)
        return quoted(cited, embedder=self._embedder) if cited.citations else cited

    def _cited(self, answer: Answer) -> Answer:
        if not answer.text or answer.citations or not answer.hits.hits or not answer.grounded:
            return answer
        passages = [hit.passage for hit in answer.hits]
        found = supporting(answer.question, answer.text, passages, embedder=self._embedder)
        citations = [Citation(str(one.passage + 1), passage=passages[one.passage], sentence=one.text) for one in found]
        return replace(answer, citations=tuple(citations), grounded=bool(citations))


def quoted(answer: Answer, *, embedder: Callable[[], Embedder]) -> Answer:
    """The answer, with the spans of each cited passage that support the sentences with its marker.

    A sentence of the answer that the passage does not support gets no span.

    Args:
        embedder: the embedding model, opened if several sentences of a passage have the words of one of the answer.
    """
    said = list(claims(answer.text))

    def spanned(citation: Citation) -> Citation:
        if citation.passage is None:
            return citation
        own = [text for text, labels in said if citation.marker in labels]
        texts = [citation.sentence] if citation.sentence else own[:MOST_CLAIMS]
        found = (_span(answer.question, text, citation.passage, embedder=embedder) for text in texts)
        return replace(citation, spans=apart(span for span in found if span))

    return replace(answer, citations=tuple(map(spanned, answer.citations)))


def apart(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in order, each once, and without those that overlap an earlier one.

    Example:
        >>> apart([Span(9, 12), Span(0, 4), Span(3, 7), Span(0, 4)])
        (Span(start=0, end=4), Span(start=9, end=12))
    """
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return tuple(kept)


def _span(question: str, claim: str, passage: Passage, *, embedder: Callable[[], Embedder]) -> Span | None:
    """Where a passage supports a sentence: the same sentence, or the one that has its words."""
    if claim in sentences_of(passage):
        return span_of(claim, passage.text)
    found = supporting(question, claim, [passage], embedder=embedder)
    return span_of(found[0].text, passage.text) if found else None
