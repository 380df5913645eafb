"""Conditions on properties, and the words before a value that say which: parts of texts, exceptions, negations."""

import math
import re
from dataclasses import dataclass, field
from typing import Literal

from gear_neo4j.graph.read.graph_schema import GraphSchema, Owner

Comparison = Literal["=", "<>", ">", "<", ">=", "<=", "%"]
Operator = Literal["is", "other", "contains", "starts", "ends", "flag", "compare", "measure", "absent"]
Bound = tuple[Comparison, float]
_PARTS: tuple[tuple[Operator, str], ...] = (
    ("starts", r"(?:that )?(?:starts?|starting|begins?|beginning) with"),
    ("ends", r"(?:ends?|ending) (?:with|in)"),
    (
        "contains",
        r"contain(?:s|ing)?|includ(?:es|ing|e)|mention(?:s|ing)?|with the words?|having the words?|the words?|like",
    ),
)
_PART_BEFORE = tuple(
    (operator, re.compile(rf"\b(?:{words})(?: the)?(?: words?)?(?: of)?\s*$", re.IGNORECASE))
    for operator, words in _PARTS
)
_NEGATION = re.compile(r"\b(?:not|never|non|no longer|without|isn't|aren't|wasn't)\b[- ]?(?:\w+ ){0,2}$", re.IGNORECASE)
_EXCEPTION = re.compile(
    r"\b(?:other than|except(?: for| from| in)?|besides|apart from|excluding|(?:but )?not (?:from|in|of|called|named))"
    r"(?: the)?\s*['\"“]?$",
    re.IGNORECASE,
)
QUOTED = re.compile(r"(?<!\w)(['\"“])(.+?)['\"”](?!\w)")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a property of a label or relationship type.

    ``texts`` holds the values for ``is`` (any of them) and ``other`` (none of them), or the part for ``contains``,
    ``starts`` and ``ends``; ``bounds`` the comparisons for ``compare``, all of which must hold; ``flag`` the required
    value of a flag. ``absent`` has no property: nodes must have no relationship of the type in ``texts``, or none to a
    node for which ``to`` holds. ``measure``
    marks what an aggregation measures: a property or, without one, the number of nodes or relationships; its bounds
    apply to the measure. ``prior`` is how well the nearby words name the property; equality ignores it.
    """

    owner: Owner
    property: str
    operator: Operator
    texts: tuple[str, ...] = ()
    bounds: tuple[Bound, ...] = ()
    flag: bool = True
    to: "Condition | None" = None
    prior: float = field(default=0.0, compare=False)


def exclude_each_other(first: Condition, second: Condition) -> bool:
    """Whether no value of a property can meet two comparisons.

    Example:
        >>> owner = Owner("label", "Call")
        >>> early = Condition(owner, "time", "compare", bounds=(("<", 9.0),))
        >>> exclude_each_other(early, Condition(owner, "time", "compare", bounds=(("=", 20.0),)))
        True
        >>> exclude_each_other(early, Condition(owner, "time", "compare", bounds=((">", 7.0),)))
        False
    """
    bounds = (*first.bounds, *second.bounds)
    least = max((value for comparison, value in bounds if comparison in ("=", ">", ">=")), default=-math.inf)
    most = min((value for comparison, value in bounds if comparison in ("=", "<", "<=")), default=math.inf)
    return (first.operator, second.operator) == ("compare", "compare") and least > most


def is_count(condition: Condition) -> bool:
    """Whether a condition is the measure of an aggregation that counts nodes or relationships."""
    return condition.operator == "measure" and not condition.property


def is_name(condition: Condition, schema: GraphSchema) -> bool:
    """Whether a condition says what nodes are called."""
    return condition.operator == "is" and schema.names_with(condition.owner, condition.property)


def part_operator(before: str) -> Operator | None:
    """The operator that the words before a quotation express; None unless it is part of a longer text.

    Example:
        >>> part_operator("products with a description containing "), part_operator("supplied by ")
        ('contains', None)
    """
    return next((operator for operator, words in _PART_BEFORE if words.search(before)), None)


def is_excepted(before: str) -> bool:
    """Whether the words before a value exclude it.

    Example:
        >>> is_excepted("customers from countries other than "), is_excepted("customers from ")
        (True, False)
    """
    return bool(_EXCEPTION.search(before))


def is_negated(before: str) -> bool:
    """Whether the words before a flag negate it.

    Example:
        >>> is_negated("products that are not "), is_negated("products that are ")
        (True, False)
    """
    return bool(_NEGATION.search(before))
