"""BM25 in memory (rank-bm25), for small corpora and comparison with the paper."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from rank_bm25 import BM25Okapi

from gear_neo4j.domain import Passage
from gear_neo4j.graph.read.store import IndexHits
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.fusion import Ranked, ranked
from gear_neo4j.retrieval.rank.rankers import NOTHING

# Bytes for each word of each passage.
PAIR = 130
_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """The words of a text, lower-cased.

    Example:
        >>> words("Hinton's PhD")
        ['hinton', 's', 'phd']
    """
    return _WORD.findall(text.lower())


class BM25:
    """BM25 (Okapi, k1 1.5, b 0.75) over the title and text of all passages, which it holds in memory."""

    name = "bm25"
    needs = frozenset[str]()

    def __init__(self, passages: Iterable[Passage]) -> None:
        documents = {passage.id: words(passage.content) for passage in passages}
        self._ids = list(documents)
        self._rank_of_id = np.argsort(np.argsort(np.array(self._ids, dtype=str)))
        self._postings = _postings(documents.values())
        # By word, its contribution to the score of each passage with it. rank-bm25 computes scores over all passages
        # for every question, which took as long as the rest of a hybrid search.
        self._gains: dict[str, npt.NDArray[np.float64]] = {}
        # rank-bm25 divides by the average length, so a corpus without a single word has no index.
        self._index: Any = BM25Okapi(list(documents.values())) if any(documents.values()) else None

    @property
    def bytes(self) -> int:
        """About the memory that it takes: measured, with the words of questions that it keeps."""
        return sum(PAIR * len(indexes) for indexes in self._postings.values())

    def depth(self, k: int) -> int:
        """k itself."""
        return k

    def rank(self, question: Question, _lookup: IndexHits = NOTHING, *, k: int) -> list[Ranked]:
        """The k best passages that share a word with the question.

        In a very small corpus, where BM25 scores are useless, passages that share more words come first.
        """
        terms = words(question.text)
        if self._index is None or not terms:
            return []
        scores, shared = np.zeros(len(self._ids)), np.zeros(len(self._ids), dtype=int)
        for word, times in Counter(word for word in terms if word in self._postings).items():
            scores[self._postings[word]] += times * self._gain(word)
            shared[self._postings[word]] += 1
        matches = np.flatnonzero(shared)
        # In tiny corpora most words are in most passages, and BM25 counts a shared word against a passage.
        keys = (
            (-shared[matches], -scores[matches])
            if self._index.average_idf > 0
            else (-scores[matches], -shared[matches])
        )
        best = matches[np.lexsort((self._rank_of_id[matches], *keys))][:k]
        return ranked(self.name, [(self._ids[index], float(scores[index])) for index in best])

    def _gain(self, word: str) -> npt.NDArray[np.float64]:
        if word not in self._gains:
            self._gains[word] = np.array(self._index.get_batch_scores([word], self._postings[word]))
        return self._gains[word]


def _postings(documents: Iterable[list[str]]) -> dict[str, npt.NDArray[np.int64]]:
    indexes: defaultdict[str, list[int]] = defaultdict(list)
    for index, tokens in enumerate(documents):
        for word in set(tokens):
            indexes[word].append(index)
    return {word: np.array(numbers) for word, numbers in indexes.items()}
