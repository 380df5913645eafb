"""The sentences of passages that support an answer: that have the words which it adds to the question."""

from collections.abc import Callable, Sequence

from gear_neo4j.agents.sentences import Sentence, all_sentences, compared, stems_of
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


def supporting(
    question: str, answer: str, passages: Sequence[Passage], *, embedder: Callable[[], Embedder]
) -> list[Sentence]:
    """The sentences that support an answer best, at most two, each of another passage; empty if none does.

    A sentence supports a short answer if it, or the title above it, has all words that the answer adds to the question;
    a longer answer, if it has at least half of them and is near to the answer.

    Args:
        embedder: the embedding model, opened if several sentences are likely.

    Example:
        >>> from gear_neo4j import SentenceTransformerEmbedder
        >>> passages = [Passage("1", "Ada King", "She had a cat. She lived in Bath.")]
        >>> model = SentenceTransformerEmbedder()
        >>> [one.text for one in supporting("Where did Ada King live?", "Bath", passages, embedder=lambda: model)]
        ['She lived in Bath.']
        >>> supporting("Where did Ada King live?", "Wells", passages, embedder=lambda: model)
        []
    """
    # A name may look like a stop word: Will, May.
    words = stems_of(answer) or set(map(stem, split_words(answer))) - _VERDICTS
    added = words - stems_of(question)
    shares = {
        one: len(added & stems_of(f"{passages[one.passage].title} {one.text}")) / len(added) if added else LEAST_SHARE
        for one in all_sentences(passages)
    }
    likely = [one for one, share in shares.items() if share >= LEAST_SHARE]
    if len(likely) == 1 and shares[likely[0]] == 1:
        return likely
    scored = zip(likely, compared(f"{question} {answer}", likely, passages, embedder=embedder()), strict=True)
    near = [(shares[one], found) for one, found in scored if shares[one] == 1 or found.score >= NEAR]
    best: dict[int, Sentence] = {}
    for _, found in sorted(near, key=lambda entry: (-entry[0], -entry[1].score)):
        best.setdefault(found.passage, found)
    return list(best.values())[:MOST_SENTENCES]
