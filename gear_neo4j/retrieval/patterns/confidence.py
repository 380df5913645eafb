"""How surely a pattern is what a question means, from how much of the question it accounts for and what else would."""

import math
from collections.abc import Sequence

from gear_neo4j.retrieval.patterns.hints import SUPPORTS
from gear_neo4j.retrieval.patterns.scoring import Evidence

# From here on a pattern is taken for what the question means: no other is run beside it.
SURE = 0.9
LEFT_OVER = 0.89
# A pattern so many points before the next cannot be surer by more.
FARTHEST_MARGIN = 2.0
NAMES = ("words", "least", "margin")
# Logistic regression on the even questions of four graphs, by ``python -m benchmarks.confidence``.
CONSTANT = -0.63
COEFFICIENTS = (1.83, 1.14, 1.32)


def features(evidence: Evidence, margin: float) -> tuple[float, ...]:
    """What the regression is over, in the order of ``NAMES``; ``margin`` is the points before the next pattern."""
    held = max(-FARTHEST_MARGIN, min(FARTHEST_MARGIN, margin))
    return (evidence.words, evidence.least, held)


def confidence(evidence: Evidence, margin: float) -> float:
    """The probability that the first node of a pattern is right, 0 to 1."""
    return probability(features(evidence, margin), constant=CONSTANT, coefficients=COEFFICIENTS)


def probability(values: Sequence[float], *, constant: float, coefficients: Sequence[float]) -> float:
    """What the regression says of features; below ``SURE`` for a pattern that leaves a word of the question over.

    Example:
        >>> everything = probability((1.0, 1.0, 2.0), constant=0.0, coefficients=(1.0, 1.0, 1.0))
        >>> all_but_a_word = probability((0.8, 0.0, 2.0), constant=0.0, coefficients=(1.0, 1.0, 1.0))
        >>> everything > SURE > all_but_a_word
        True
    """
    share = 1 / (1 + math.exp(-constant - sum(map(float.__mul__, coefficients, values))))
    return share if values[NAMES.index("least")] >= SUPPORTS else min(share, LEFT_OVER)
