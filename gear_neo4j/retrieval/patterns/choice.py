"""Chooses the pattern to aggregate, and only a certain one: a wrong number looks like a right one."""

from gear_neo4j.retrieval.patterns.aggregation import Aggregation
from gear_neo4j.retrieval.patterns.likeness import SUPPORTS
from gear_neo4j.retrieval.patterns.search import Candidate, Candidates
from gear_neo4j.retrieval.patterns.target import NAMES

# Minimum lead over the next pattern, in points; without it, both are run, and must agree.
CLEAR = 0.05
MOST = 3
# A pattern that explains every word may be this many points behind the best.
COMPLETE = 0.6


def measured_surely(candidates: Candidates) -> tuple[Candidate, ...]:
    """The patterns that the question may aggregate, as likely as each other; none if words stay unexplained.

    Empty, too, if more than three fit.
    """
    wanted = candidates.aggregation
    measured = [candidate for candidate in candidates.ranked if candidate.measured]
    near = (candidate for candidate in measured if candidate.score >= measured[0].score - COMPLETE)
    sure = [candidate for candidate in near if wanted and _is_sure(candidate, wanted)]
    best: dict[int, Candidate] = {}
    for candidate in sure:
        if candidate.score > sure[0].score - CLEAR:
            best.setdefault(candidate.pattern.without_measures().form, candidate)
    return tuple(best.values()) if len(best) <= MOST else ()


def _is_sure(candidate: Candidate, wanted: Aggregation) -> bool:
    """Whether a pattern explains every word and its answer has the label that the question asks for."""
    pattern, evidence = candidate.pattern, candidate.evidence
    if evidence.least < SUPPORTS:
        return False
    if (not wanted.figure or not pattern.measures) and evidence.target < NAMES:
        return False
    if wanted.loose and not wanted.type and pattern.measures:
        # The first three: by their own date, or by one that the question mentions.
        measure = pattern.measures[0]
        spoken = [
            constraint
            for constraint in pattern.constraints
            if constraint.condition.property == measure.condition.property
        ]
        return (measure.index == candidate.target and measure in pattern.on_nodes) or len(spoken) > 1
    return True
