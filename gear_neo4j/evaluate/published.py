"""Recall at 5, 10 and 15 as published by GeAR's authors (ACL Findings 2025, table 2), for comparison.

The small data sets of 100 questions have other corpora; reports mark figures from another corpus.
"""

from typing import Literal

Corpus = Literal["musique", "2wiki", "hotpotqa"]
Recalls = tuple[float, float, float]
# The number of passages in the paper's corpora; a data set of another size has another corpus.
SIZES: dict[Corpus, int] = {"musique": 148_793, "2wiki": 490_454, "hotpotqa": 10_293}
_TABLE: dict[str, tuple[Recalls, Recalls, Recalls]] = {
    "colbert": ((39.4, 44.8, 47.7), (59.1, 64.3, 66.2), (79.3, 87.1, 90.1)),
    "hipporag": ((41.0, 47.0, 51.4), (75.1, 83.2, 86.4), (79.8, 89.0, 92.4)),
    "base bm25": ((33.8, 38.5, 41.3), (59.5, 62.7, 64.1), (74.2, 83.6, 86.3)),
    "naive bm25": ((37.5, 45.5, 48.4), (65.0, 70.7, 71.8), (79.1, 89.1, 91.9)),
    "sync bm25": ((44.7, 52.6, 57.4), (70.5, 76.1, 79.3), (87.4, 93.0, 94.0)),
    "base sbert": ((31.1, 37.9, 41.6), (41.2, 48.1, 51.5), (72.1, 79.3, 84.0)),
    "naive sbert": ((32.2, 41.4, 45.4), (45.1, 54.0, 57.3), (76.1, 84.7, 88.8)),
    "sync sbert": ((41.6, 51.3, 54.2), (54.8, 64.9, 70.7), (84.1, 89.6, 92.8)),
    "base hybrid": ((39.9, 46.3, 49.1), (60.0, 65.8, 66.6), (77.8, 85.8, 89.7)),
    "naive hybrid": ((41.8, 49.4, 53.0), (63.0, 70.8, 72.6), (80.6, 89.4, 92.7)),
    "sync hybrid": ((48.7, 57.7, 61.2), (72.6, 80.9, 82.4), (87.4, 93.3, 95.2)),
    "ircot base bm25": ((46.1, 54.9, 57.9), (67.9, 75.5, 76.1), (87.0, 92.6, 92.9)),
    "ircot hipporag": ((48.8, 54.5, 58.9), (82.9, 90.6, 93.0), (90.1, 94.7, 95.9)),
    "gear hybrid": ((58.4, 67.6, 71.5), (89.1, 95.3, 95.9), (93.4, 96.8, 97.3)),
}


def corpus_of(name: str) -> Corpus | None:
    """The paper's corpus that a data set is named after, if any.

    Example:
        >>> corpus_of("musique_train100"), corpus_of("2WikiMultihopQA"), corpus_of("ours")
        ('musique', '2wiki', None)
    """
    plain = name.lower().replace("_", "").replace("-", "")
    marks: tuple[tuple[str, Corpus], ...] = (("musique", "musique"), ("2wiki", "2wiki"), ("hotpot", "hotpotqa"))
    return next((corpus for mark, corpus in marks if mark in plain), None)


def published(system: str, dataset: str) -> Recalls | None:
    """The paper's recall of a system on the corpus that a data set is named after; None if not reported.

    Example:
        >>> published("gear hybrid", "musique_train100")
        (58.4, 67.6, 71.5)
    """
    corpus = corpus_of(dataset)
    rows = _TABLE.get(system)
    return rows[list(SIZES).index(corpus)] if rows and corpus else None
