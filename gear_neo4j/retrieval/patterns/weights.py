"""The points of patterns: how much each part of a question counts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """The points for each part of a question, chosen on even questions: movies, northwind, MetaQA and pathquestion.

    Attributes:
        literal: a value, number or flag for which the pattern has a condition.
        prior: how well nearby words name the condition's property.
        near: the condition's label is near the literal.
        beside: the type next to a name belongs to the named node; ``asked``: the type next to the question word.
        word: a word that names one of the pattern's labels, types or properties.
        again: the share that another word for the same relationship gets.
        target: the question asks for the answer's label.
        own: the measure is a property of the answer.
        named: subtracted if the question names the answer, which is then unlikely to be the answer.
        edge: subtracted for each relationship; also ``unsaid`` if no word supports it, ``back`` if it is a repetition.
        rare: subtracted for a relationship that no word supports, as far as others between its labels are more common.
        loose: subtracted for an end node without a condition; also ``unlabelled`` if no word supports its label. If no
            word supports its relationship either, ``untied`` is subtracted instead.
        parallel: a second relationship between two nodes if words support both; otherwise ``unshared`` is subtracted.
        direction: a relationship within one label has the direction that the question states.
        order: nodes of one label follow from the answer as they do in the question; subtracted if they follow the other
            way round.
        behind: from the answer, one value is reached through the node of another where the question says so (*Ann, who
            knows Bob*), and not where it joins them by *and*; else it is subtracted.
        far: the answer is behind another node of its label, if the question names the label again; else subtracted.
        step: a step of a chain of possessives that the pattern takes in the same order: *Ann's mother's job*; ``end``:
            the chain ends at the answer.
        wording: multiplied by the cosine of the pattern's wording and the question.
    """

    literal: float = 2.0
    prior: float = 0.8
    near: float = 0.5
    beside: float = 0.5
    asked: float = 0.5
    word: float = 0.8
    again: float = 0.4
    target: float = 1.0
    own: float = 0.3
    named: float = 2.5
    edge: float = 0.1
    unsaid: float = 0.45
    back: float = 0.25
    rare: float = 0.2
    loose: float = 0.5
    unlabelled: float = 0.7
    untied: float = 1.5
    parallel: float = 0.6
    unshared: float = 2.0
    direction: float = 0.3
    order: float = 0.4
    behind: float = 0.3
    far: float = 0.2
    step: float = 0.6
    end: float = 1.0
    wording: float = 1.0


WEIGHTS = Weights()
