"""Citations of passages that do not say what the answer does, moved to a passage that says it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from gear_neo4j.agents.answer import Answer, Citation
from gear_neo4j.agents.claims import claims
from gear_neo4j.agents.sentences import Sentence, stems_of
from gear_neo4j.agents.supporting import LEAST_SHARE, supporting
from gear_neo4j.domain import Passage
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
    said = list(claims(answer.text))
    passages = [hit.passage for hit in answer.hits]
    cited = {citation.marker: citation for citation in answer.citations}
    moved: dict[str, Citation] = {}
    for marker, citation in cited.items():
        own = [
            (text, [cited[label] for label in labels if label in cited]) for text, labels in said if marker in labels
        ]
        if not own or citation.passage is None:
            continue
        found = {_better(answer.question, text, citation, others, passages, embedder=embedder) for text, others in own}
        # A marker that some sentence needs stays.
        if len(found) == 1 and (sentence := found.pop()):
            number = sentence.passage + 1
            moved[marker] = Citation(str(number), passage=passages[sentence.passage], sentence=sentence.text)
    if not moved:
        return answer
    text = relabelled(answer.text, {marker: citation.marker for marker, citation in moved.items()})
    return replace(answer, text=text, citations=_unique(moved.get(marker, one) for marker, one in cited.items()))


def _better(
    question: str,
    claim: str,
    citation: Citation,
    cited: Sequence[Citation],
    passages: Sequence[Passage],
    *,
    embedder: Callable[[], Embedder],
) -> Sentence | None:
    """The sentence of a passage that is not cited and says what those that are cited do not, if there is one."""
    added = stems_of(claim) - stems_of(question)
    if (
        not added
        or added <= set().union(*map(_stems, cited))
        or len(added & _stems(citation)) >= LEAST_SHARE * len(added)
    ):
        return None
    taken = {one.passage.id for one in cited if one.passage}
    others = [index for index, passage in enumerate(passages) if passage.id not in taken]
    for one in supporting(question, claim, [passages[index] for index in others], embedder=embedder):
        found = Sentence(others[one.passage], one.text)
        if added <= stems_of(f"{passages[found.passage].title} {found.text}"):
            return found
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
