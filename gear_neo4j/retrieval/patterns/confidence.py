"""The probability that a pattern is what a question means, from its evidence and its lead over other patterns."""

import math
from collections.abc import Sequence

from gear_neo4j.retrieval.patterns.likeness import SUPPORTS
from gear_neo4j.retrieval.patterns.scoring import Evidence

# From this probability on, no other pattern is run.
SURE = 0.9
LEFT_OVER = 0.89
# A larger lead over the next pattern does not raise the probability.
FARTHEST_MARGIN = 2.0
NAMES = ("words", "least", "margin")
# Logistic regression on the even questions of five graphs, by ``python -m benchmarks.confidence``.
CONSTANT = -0.99
COEFFICIENTS = (2.08, 1.15, 1.25)


def features(evidence: Evidence, margin: float) -> tuple[float, ...]:
    """The features of the regression, in the order of ``NAMES``; ``margin`` is the lead over the next pattern."""
    held = max(-FARTHEST_MARGIN, min(FARTHEST_MARGIN, margin))
    return (evidence.words, evidence.least, held)


def confidence(evidence: Evidence, margin: float) -> float:
    """The probability that the first node of a pattern is correct, 0 to 1."""
    return probability(features(evidence, margin), constant=CONSTANT, coefficients=COEFFICIENTS)


def probability(values: Sequence[float], *, constant: float, coefficients: Sequence[float]) -> float:
    """The regression's probability for some features; below ``SURE`` if a word of the question stays unexplained.

    Example:
        >>> everything = probability((1.0, 1.0, 2.0), constant=0.0, coefficients=(1.0, 1.0, 1.0))
        >>> all_but_a_word = probability((0.8, 0.0, 2.0), constant=0.0, coefficients=(1.0, 1.0, 1.0))
        >>> everything > SURE > all_but_a_word
        True
    """
    share = 1 / (1 + math.exp(-constant - sum(map(float.__mul__, coefficients, values))))
    return share if values[NAMES.index("least")] >= SUPPORTS else min(share, LEFT_OVER)
