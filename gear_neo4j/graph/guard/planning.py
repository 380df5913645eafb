"""Bounds on the planning time of an untrusted query: the server's timeouts do not stop its planner.

The planner tries combinations of hops, orders of nodes, and nested AND and OR. Each limit below is many times what a
question about a graph needs, and below the sizes that took the planner seconds.
"""

from collections.abc import Iterator, Sequence

from gear_neo4j.errors import GuardError
from gear_neo4j.graph.guard.tokens import Token

# 24 XOR occupy the planner, and all queries after it, for more than a minute.
MOST_OF_A_WORD = {"XOR": 3, "NOT": 30, "CASE": 30}
# 35 hops took seconds, 90 between 14 nodes more than a minute.
MOST_HOPS = 15
# 30 nodes, each compared with each, took half a minute.
MOST_NODES = 20
# 56 labels joined by & took seconds.
MOST_LABELS = 20
# AND and OR in turn, each within the brackets of the last: 14 levels took a second, 22 half a minute.
DEEPEST_LOGIC = 10
# A subquery within a subquery: 14 took a second, 22 a minute and a half.
DEEPEST_SUBQUERY = 5
_BEFORE_NODES = frozenset({"MATCH", "WHERE", "AND", "OR", "XOR", "NOT", "SHORTEST", "GROUPS", "GROUP", "PATHS", "PATH"})


def check_planning(code: Sequence[Token]) -> None:
    """Refuse a query that may occupy the planner.

    Args:
        code: the tokens of a query without spaces.

    Raises:
        GuardError: the message says what there are too many of, and how many are allowed.

    Example:
        >>> from gear_neo4j.graph.guard.tokens import tokens
        >>> check_planning([token for token in tokens("MATCH (a)" + "-->()" * 16) if token.kind != "space"])
        Traceback (most recent call last):
        gear_neo4j.errors.GuardError: the query has 16 relationships: more than 15 take too long to plan
    """
    for word, most in MOST_OF_A_WORD.items():
        _require(sum(token.word == word for token in code), most, word)
    _require(sum(1 for _ in _hops(code)), MOST_HOPS, "relationships")
    _require(len(_nodes(code)), MOST_NODES, "nodes in its patterns")
    _require(sum(token.text == "&" for token in code), MOST_LABELS, "labels joined by &")
    _require(max(_logic(code), default=0), DEEPEST_LOGIC, "levels of brackets around AND and OR")
    _require(max(_subqueries(code), default=0), DEEPEST_SUBQUERY, "subqueries within one another")


def _require(count: int, most: int, what: str) -> None:
    if count > most:
        raise GuardError(f"the query has {count} {what}: more than {most} take too long to plan")


def _hops(code: Sequence[Token]) -> Iterator[Token]:
    """The first dash of each relationship in a pattern."""
    for index, token in enumerate(code[:-1]):
        if token.text == "-" and code[index + 1].text in ("-", "["):
            yield token


def _nodes(code: Sequence[Token]) -> set[str]:
    """The nodes of all patterns: the name of the variable, or the index of a node without one."""
    return {node for index, token in enumerate(code) if token.text == "(" for node in _node(code, index)}


def _node(code: Sequence[Token], index: int) -> Iterator[str]:
    """The node whose bracket opens at an index; none if the bracket belongs to a function or an expression."""
    before = code[index - 1] if index else None
    if before and before.name and before.word not in _BEFORE_NODES:
        return
    inside = [token.name or token.text for token in code[index + 1 : index + 3]]
    if inside and inside[0] in (")", ":", "{"):
        yield str(index)
    elif (
        len(inside) == 2 and code[index + 1].name and (inside[1] in (")", ":", "{") or code[index + 2].word == "WHERE")
    ):
        yield inside[0]


def _logic(code: Sequence[Token]) -> Iterator[int]:
    """The number of open round brackets at each AND and OR."""
    depth = 0
    for token in code:
        depth += (token.text == "(") - (token.text == ")")
        if token.word in ("AND", "OR"):
            yield depth


def _subqueries(code: Sequence[Token]) -> Iterator[int]:
    """The number of open subqueries at the start of each; a brace after a node or a value is a map."""
    opened: list[bool] = []
    for index, token in enumerate(code):
        if token.text == "{":
            opened.append(index + 1 < len(code) and _begins_query(code, index))
            yield sum(opened)
        elif token.text == "}" and opened:
            opened.pop()


def _begins_query(code: Sequence[Token], index: int) -> bool:
    before, after = code[index - 1] if index else None, code[index + 1]
    named = before is not None and before.word in ("EXISTS", "COUNT", "COLLECT", "CALL")
    return named or after.word in ("MATCH", "OPTIONAL", "UNWIND", "CALL", "RETURN", "WITH") or after.text == "("
