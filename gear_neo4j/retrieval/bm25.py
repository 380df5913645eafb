"""BM25 in memory (rank-bm25 through LangChain's retriever): for parity with the paper, and for small corpora."""

import re
from collections.abc import Iterable

import numpy as np

from gear_neo4j.domain import Passage
from gear_neo4j.graph.store import Found
from gear_neo4j.retrieval.base import NOTHING
from gear_neo4j.retrieval.fusion import Ranked, ranked
from gear_neo4j.retrieval.question import Question

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
        self._ids = np.array(list(documents), dtype=object)
        self._words = [frozenset(tokens) for tokens in documents.values()]
        # rank-bm25 divides by the average length, so a corpus without a single word has no index.
        self._index = None
        if any(documents.values()):
            # LangChain takes a second to import: commands that search no words must not pay for it.
            from langchain_community.retrievers import BM25Retriever

            texts = [" ".join(tokens) for tokens in documents.values()]
            self._index = BM25Retriever.from_texts(texts, preprocess_func=str.split).vectorizer

    def depth(self, k: int) -> int:
        """As many as asked for."""
        return k

    def rank(self, question: Question, _found: Found = NOTHING, *, k: int) -> list[Ranked]:
        """The k best passages that share a word with the question.

        In a corpus so small that BM25 cannot tell them apart, those that share more words come first.
        """
        asked = words(question.text)
        if self._index is None or not asked:
            return []
        scores = self._index.get_scores(asked)
        shared = np.array([len(tokens.intersection(asked)) for tokens in self._words])
        # In tiny corpora most words stand in most passages, and BM25 counts a shared word against a passage.
        keys = (-shared, -scores) if self._index.average_idf > 0 else (-scores, -shared)
        order = [i for i in np.lexsort((self._ids.astype(str), *keys)) if shared[i]][:k]
        return ranked(self.name, [(self._ids[i], float(scores[i])) for i in order])
