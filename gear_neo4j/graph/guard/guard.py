"""The guard for untrusted queries, such as those of a language model: they may only read this graph.

The query that is sent is rebuilt from the checked tokens, without comments.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from gear_neo4j.errors import GuardError
from gear_neo4j.graph.guard.bounds import check_bounds
from gear_neo4j.graph.guard.planning import check_planning
from gear_neo4j.graph.guard.tokens import Token, tokens

if TYPE_CHECKING:
    from gear_neo4j.graph.graph import Graph

LONGEST_QUERY = 8_000
BEGINNINGS = frozenset({"MATCH", "OPTIONAL", "WITH", "UNWIND", "CALL", "RETURN"})
WRITING = frozenset(["CREATE", "MERGE", "SET", "DELETE", "DETACH", "NODETACH", "REMOVE", "INSERT", "FOREACH", "DROP"])
ADMINISTRATION = frozenset(
    [
        "SHOW",
        "TERMINATE",
        "ALTER",
        "GRANT",
        "DENY",
        "REVOKE",
        "RENAME",
        "ENABLE",
        "DEALLOCATE",
        "REALLOCATE",
        "EXPLAIN",
        "PROFILE",
        "CYPHER",
    ]
)
PROCEDURES = frozenset(
    [
        "db.labels",
        "db.relationshiptypes",
        "db.propertykeys",
        "db.schema.visualization",
        "db.schema.nodetypeproperties",
        "db.schema.reltypeproperties",
        "db.index.fulltext.querynodes",
        "db.index.fulltext.queryrelationships",
        "db.index.vector.querynodes",
        "db.index.vector.queryrelationships",
    ]
)
# Namespaces of Cypher's own functions; all others come from plug-ins, or name graphs.
NAMESPACES = frozenset(
    ["date", "datetime", "localdatetime", "localtime", "time", "duration", "point", "vector.similarity"]
)
# After one of these comes a name or a value, never a clause. A clause may follow a star ("RETURN *"), a percent sign
# (the label "any"), a plus (a repeated path), and the signs that end a type: ">" and "!".
_BEFORE_NAMES = frozenset(".:$|&([,=<-/^~@")
_AFTER_NAMES = frozenset(".:)],=<>-+*/%^|&!;}")
_CLAUSES = BEGINNINGS | frozenset(
    ["WHERE", "ORDER", "SKIP", "OFFSET", "LIMIT", "UNION", "YIELD", "AS", "IN", "IS", "AND", "OR", "XOR", "NOT"]
)
_FENCED = re.compile(r"```[^\S\n]*\w*[^\S\n]*\n(.*?)```", re.DOTALL)


def check(text: str, *, limit: int = 100, parameters: Collection[str] = ()) -> str:
    """The query in the form in which it may run: a single statement that only reads, with a LIMIT.

    It returns at most one row more than ``limit``, which shows that the result is cut. A lower LIMIT in the query is
    kept, and so is one that is a parameter: whoever reads the rows stops at ``limit``.

    Args:
        parameters: the names of the parameters that the query may have.

    Raises:
        GuardError: the query is refused; the message says why, and what to write instead.

    Example:
        >>> check("MATCH (n {name: 'LOAD CSV'}) RETURN n // DELETE n", limit=5)
        "MATCH (n {name: 'LOAD CSV'}) RETURN n LIMIT 6"
        >>> check("MATCH (n) RETURN n LIMIT 1000;", limit=5)
        'MATCH (n) RETURN n LIMIT 6'
        >>> check("MATCH (n) DETACH DELETE n")
        Traceback (most recent call last):
        gear_neo4j.errors.GuardError: the query has DETACH, which writes: only read
    """
    if len(text) > LONGEST_QUERY:
        raise GuardError(f"the query has {len(text):,} characters: {LONGEST_QUERY:,} are allowed")
    parts = list(tokens(unfenced(text)))
    while parts and (parts[-1].text == ";" or parts[-1].kind == "space"):
        parts.pop()
    code = [token for token in parts if token.kind != "space"]
    _check_form(code, parameters)
    for index in _clauses(code):
        _check_clause(code, index)
    _check_calls(code)
    check_bounds(code)
    check_planning(code)
    return _limit_rows(parts, code, limit + 1)


def admit(
    graph: "Graph", text: str, *, limit: int = 100, timeout: float = 10.0, parameters: Collection[str] = ()
) -> str:
    """The checked query, if the server's EXPLAIN also classifies it as reading; see :func:`check`.

    Raises:
        GuardError: the query is refused.
        DatabaseError: the server cannot parse it.
    """
    checked = check(text, limit=limit, parameters=parameters)
    kind = graph.explain(checked, timeout=timeout)
    if kind != "r":
        raise GuardError(f"the server takes the query for one of type {kind!r}, not 'r': only read")
    return checked


def unfenced(text: str) -> str:
    """The content of a reply's Markdown fence, or the whole reply if it has none.

    Raises:
        GuardError: there are two fences.

    Example:
        >>> unfenced("Here it is:\\n```cypher\\nRETURN 1\\n```\\nGood luck!")
        'RETURN 1'
    """
    if text.count("```") > 2:
        raise GuardError("there is more than one block of code: write one query")
    fenced = _FENCED.search(text)
    return (fenced[1] if fenced else text).strip().removeprefix("```").removesuffix("```").strip()


def parameters_in(code: Sequence[Token]) -> Iterator[Token]:
    """The names of the parameters of a query, with repetitions; ``$any(...)`` and ``$(...)`` are dynamic labels.

    Args:
        code: the tokens of a query without spaces.

    Example:
        >>> from gear_neo4j.graph.guard.tokens import tokens
        >>> [token.text for token in parameters_in(tokens("MATCH (n:$any($labels)) RETURN n LIMIT $most"))]
        ['labels', 'most']
    """
    for token, following in pairwise(code):
        if token.text == "$" and following.word not in ("ANY", "ALL") and following.text != "(":
            yield following


def _check_form(code: Sequence[Token], parameters: Collection[str]) -> None:
    if not code:
        raise GuardError("there is no query")
    if any(token.text == ";" for token in code):
        raise GuardError("there is more than one statement: write one")
    if code[0].word not in BEGINNINGS:
        raise GuardError(f"the query begins with {code[0].text[:40]!r}: begin with MATCH, and write nothing before it")
    for parameter in parameters_in(code):
        if parameter.text not in parameters:
            raise GuardError(f"the query has the parameter ${parameter.text}: write its value instead")
    for token, following in pairwise(code):
        # Refused anywhere: the server counts it as reading, so a misread clause must not let it pass.
        if (token.word, following.word) == ("LOAD", "CSV"):
            raise GuardError("the query has LOAD CSV, which reads files and addresses: only read the graph")


def _clauses(code: Sequence[Token]) -> Iterator[int]:
    """The indexes of words that may be keywords, judged by their neighbours."""
    for index, token in enumerate(code):
        if not token.word:
            continue
        before = code[index - 1] if index else None
        after = code[index + 1].text if index + 1 < len(code) else ";"
        # In "1.CREATE" the dot ends a number.
        number = index > 1 and code[index - 1].text == "." and code[index - 2].kind == "number"
        if (before is None or before.text not in _BEFORE_NAMES or number) and after not in _AFTER_NAMES:
            yield index


def _check_clause(code: Sequence[Token], index: int) -> None:
    word = code[index].word
    if word in WRITING:
        raise GuardError(f"the query has {word}, which writes: only read")
    if word == "USE":
        raise GuardError("the query has USE, which names another graph: leave it out")
    if word in ADMINISTRATION and code[index + 1].word not in _CLAUSES:
        raise GuardError(f"the query has {word}, which does not belong to reading a graph: leave it out")
    if word == "IN" and index and code[index - 1].text == "}":
        following = [token.word for token in code[index + 1 :]]
        if "TRANSACTIONS" in following or "TRANSACTION" in following:
            raise GuardError("the query has CALL { ... } IN TRANSACTIONS: leave IN TRANSACTIONS out")
    if word == "CALL":
        _check_procedure(code[index + 1 :])


def _check_procedure(code: Sequence[Token]) -> None:
    """Refuse a procedure that is not on the list."""
    name = _dotted(code, 0)
    # A variable may be called "call", and a clause may follow it; a procedure's name always has a dot.
    if name and name.lower() not in PROCEDURES and not ("." not in name and code[0].word in _CLAUSES):
        raise GuardError(f"the query calls the procedure {name}: write it without procedures")


def _dotted(code: Sequence[Token], index: int) -> str:
    """The dotted name that begins at an index."""
    parts = [token.name for token in code[index : index + 1]]
    while index + 2 < len(code) and code[index + 1].text == "." and code[index + 2].name:
        index += 2
        parts.append(code[index].name)
    return ".".join(parts)


def _check_calls(code: Sequence[Token]) -> None:
    """Refuse functions of plug-ins and procedures that are not on the list."""
    for index, token in enumerate(code):
        if token.word == "CALL" and "." in _dotted(code[index + 1 :], 0):
            _check_procedure(code[index + 1 :])
        if index + 1 < len(code) and code[index + 1].text == "(" and token.name:
            begin = index
            while begin > 1 and code[begin - 1].text == "." and code[begin - 2].name:
                begin -= 2
            name = _dotted(code, begin)
            procedure = begin > 0 and code[begin - 1].word == "CALL"
            if begin != index and not procedure and name.lower().rpartition(".")[0] not in NAMESPACES:
                raise GuardError(f"the query calls the function {name}: use functions of Cypher itself")
            if token.kind == "quoted" and "." in token.name:
                raise GuardError(f"the query calls {name} in backticks: write the function's name without")


def _limit_rows(parts: Sequence[Token], code: Sequence[Token], limit: int) -> str:
    """The query with a LIMIT; in a UNION it only bounds the last part, but reading stops at the limit, too."""
    depth, returns = 0, False
    for token in code:
        depth += (token.text in "([{") - (token.text in ")]}") if token.kind == "symbol" else 0
        returns = returns or (depth == 0 and token.word == "RETURN")
    if not returns:
        raise GuardError("the query returns nothing: end it with RETURN")
    text = "".join(token.text for token in parts)
    if len(code) > 1 and code[-2].word == "LIMIT" and re.fullmatch("[0-9]{1,18}", code[-1].text):
        return text.removesuffix(code[-1].text) + str(min(int(code[-1].text), limit))
    if len(code) > 2 and code[-3].word == "LIMIT" and code[-2].text == "$":
        return text
    return f"{text} LIMIT {limit}"
