"""The span of a search: OpenTelemetry's convention for retrievals, and OpenInference's."""

import json
from collections.abc import Callable, Sequence

from gear_neo4j.domain import Hits, Passage
from gear_neo4j.tracing import SOURCE, Attributes, Span, current_span, span

# The SDK keeps 128 attributes of a span and drops the oldest, which describe the span itself.
MOST_DOCUMENTS = 30
_DOCUMENT = "retrieval.documents.{}.document.{}"
# A passage with its score; None for one that was not fetched.
Scored = tuple[str, float, Passage | None]


def retrieval_span(question: str, *, k: int, source: str | None = None) -> Span:
    """The span of a search that asks for k passages.

    Args:
        source: the name of the database; by default that of the enclosing span.
    """
    source = source or current_span().source
    active = span(
        f"retrieval {source}" if source else "retrieval",
        "RETRIEVER",
        {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.top_k": k, SOURCE: source},
    )
    active.content(lambda: {"input.value": question, "gen_ai.retrieval.query.text": question})
    return active


def record_hits(active: Span, hits: Hits) -> Hits:
    """Record the hits of a search in its span, and return them."""
    active.describe(lambda: {"gear.retriever": hits.retriever})
    note_documents(active, lambda: [(hit.passage.id, hit.score, hit.passage) for hit in hits])
    return hits


def note_documents(active: Span, make: Callable[[], Sequence[Scored]]) -> None:
    """Record the first 30 results of a search: ids and scores, and the texts if the settings allow it."""
    active.describe(lambda: _outlines(make()[:MOST_DOCUMENTS]))
    active.content(lambda: _texts(make()[:MOST_DOCUMENTS]))


def _outlines(documents: Sequence[Scored]) -> Attributes:
    return {
        _DOCUMENT.format(index, field): value
        for index, (id, score, _) in enumerate(documents)
        for field, value in (("id", id), ("score", float(score)))
    }


def _texts(documents: Sequence[Scored]) -> Attributes:
    listed = json.dumps([{"id": id, "score": float(score)} for id, score, _ in documents])
    texts = {
        _DOCUMENT.format(index, "content"): passage.content
        for index, (_, _, passage) in enumerate(documents)
        if passage
    }
    return {"gen_ai.retrieval.documents": listed, **texts}
