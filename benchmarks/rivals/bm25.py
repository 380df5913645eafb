"""rank-bm25 as in its README: every passage is scored for each question."""

from collections.abc import Iterable

import numpy as np

from gear_neo4j.domain import Passage
from gear_neo4j.retrieval.rank.bm25 import words


class RankBM25:
    """BM25Okapi over the same words as ours."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        from rank_bm25 import BM25Okapi

        documents = {passage.id: words(passage.content) for passage in passages}
        self._ids = list(documents)
        self._index = BM25Okapi(list(documents.values()))

    def search(self, question: str, *, k: int) -> list[str]:
        """The ids of k passages, best first."""
        best = np.argsort(-self._index.get_scores(words(question)), kind="stable")[:k]
        return [self._ids[index] for index in best]
