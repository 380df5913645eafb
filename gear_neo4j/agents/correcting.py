"""Citations of passages that do not say what the answer does, moved to a passage that says it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from gear_neo4j.agents.answer import Answer, Citation
from gear_neo4j.agents.claims import MOST_CLAIMS, claims
from gear_neo4j.agents.sentences import Sentence, stems_of
from gear_neo4j.agents.supporting import LEAST_SHARE, supporting
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.roles.citations import relabelled


def corrected(answer: Answer, *, embedder: Callable[[], Embedder]) -> Answer:
    """The answer, with each citation that is certainly wrong moved to the passage that it should name.

    It is wrong if what is cited, taken together, lacks words that the answer adds to the question, this passage has
    less than half of them, and one sentence of another passage has them all. Small models cite ``[1]`` for everything.
    The moved citation has that sentence, like one that the model left out.

    Args:
        embedder: the embedding model, opened if several sentences have the words.
    """
    cited = {citation.marker: citation for citation in answer.citations}
    said = list(claims(answer.text)) if cited else []
    moved = {
        marker: better
        for marker, citation in cited.items()
        if citation.passage and (better := _replacement(answer, citation, cited, said, embedder=embedder))
    }
    if not moved:
        return answer
    text = relabelled(answer.text, {marker: citation.marker for marker, citation in moved.items()})
    return replace(answer, text=text, citations=_unique(moved.get(marker, one) for marker, one in cited.items()))


def _replacement(
    answer: Answer,
    citation: Citation,
    cited: Mapping[str, Citation],
    said: Sequence[tuple[str, frozenset[str]]],
    *,
    embedder: Callable[[], Embedder],
) -> Citation | None:
    """A citation of the passage that says what all sentences with a marker say; None if the marker may be right."""
    own = [(text, labels) for text, labels in said if citation.marker in labels]
    if not 0 < len(own) <= MOST_CLAIMS:
        return None
    found = set()
    for text, labels in own:
        together = [cited[label] for label in labels if label in cited]
        found.add(_better(answer, text, citation, together, embedder=embedder))
    sentence = found.pop() if len(found) == 1 else None
    if sentence is None:
        return None
    passage = answer.hits[sentence.passage].passage
    return Citation(str(sentence.passage + 1), passage=passage, sentence=sentence.text)


def _better(
    answer: Answer, claim: str, citation: Citation, cited: Sequence[Citation], *, embedder: Callable[[], Embedder]
) -> Sentence | None:
    """A sentence of an uncited passage that has all words of the claim, unless the cited passage may be right."""
    added = stems_of(claim) - stems_of(answer.question)
    own = added & _stems(citation)
    if not added or added <= set().union(*map(_stems, cited)) or len(own) >= LEAST_SHARE * len(added):
        return None
    taken = {one.passage.id for one in cited if one.passage}
    others = [(index, hit.passage) for index, hit in enumerate(answer.hits) if hit.passage.id not in taken]
    for one in supporting(answer.question, claim, [passage for _, passage in others], embedder=embedder):
        index, passage = others[one.passage]
        if added <= stems_of(f"{passage.title} {one.text}"):
            return Sentence(index, one.text)
    return None


def _stems(citation: Citation) -> set[str]:
    passage = citation.passage
    return stems_of(f"{passage.title} {passage.text}" if passage else str(citation.fact))


def _unique(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Citations, each marker once; one of the model comes before one that was found."""
    kept: dict[str, Citation] = {}
    for citation in citations:
        if citation.marker not in kept or not citation.sentence:
            kept[citation.marker] = citation
    return tuple(kept.values())
