"""Bounds on the expressions of an untrusted query: the server checks its timeout between rows, not within a value.

A regular expression that backtracks, a value that doubles in each clause, or nested loops would outlast any timeout and
exhaust memory.
"""

import re
from collections.abc import Iterator, Sequence

from gear_neo4j.errors import GuardError
from gear_neo4j.graph.guard.tokens import Token

LONGEST_RANGE = 1_000
# Maximum number of copies of a value over all WITH and RETURN clauses, counted by the names in their expressions.
MOST_COPIES = 10_000
MOST_REPLACEMENTS = 3
LONGEST_REPLACEMENT = 5
MOST_REPEATS = 2
MOST_OPTIONS = 3
# Maximum levels of brackets in all clauses together: each clause can wrap the values of the last in another list.
DEEPEST = 60
ENDLESS = frozenset({"REDUCE", "ALLREDUCE"})
QUANTIFIERS = frozenset({"ANY", "ALL", "NONE", "SINGLE"})
_PROJECTING = frozenset({"WITH", "RETURN", "LET"})
_ENDING = _PROJECTING | frozenset(
    ["MATCH", "OPTIONAL", "UNWIND", "CALL", "WHERE", "FILTER", "ORDER", "SKIP", "OFFSET", "LIMIT", "UNION", "NEXT"]
)
_NO_NAMES = frozenset(
    [
        *("AS", "AND", "OR", "XOR", "NOT", "IN", "IS", "NULL", "TRUE", "FALSE", "CASE", "WHEN", "THEN", "ELSE", "END"),
        *("STARTS", "ENDS", "WITH", "CONTAINS", "DISTINCT", "WHERE"),
    ]
)
_FLAGS = re.compile(r"\(\?[is]{1,2}\)")
# A group without repeats, a single character or class with at most one, or a bar between two alternatives.
_PART = re.compile(
    r"""\((?:\?:)?(?:[^\\\[\](){}*+?]|\\[^\w\s])*\)(?![*+?{])
    |(?:[^\\\[\](){}*+?|]|\\(?:[dDwWsSbB]|[^\w\s])|\[(?:\\.|[^\\\[\]&])+\])
      (?:(?P<repeat>[*+]|\{\d{1,3},\})|(?P<option>\?|\{\d{1,2}(?:,\d{1,2})?\}))?\??
    |(?P<bar>\|)""",
    re.VERBOSE | re.DOTALL,
)


def check_bounds(code: Sequence[Token]) -> None:
    """Refuse expressions that the server's timeout may not end.

    Args:
        code: the tokens of a query without spaces.

    Raises:
        GuardError: the message says which expression, and what to write instead.

    Example:
        >>> from gear_neo4j.graph.guard.tokens import tokens
        >>> check_bounds([token for token in tokens("RETURN '' =~ '(a*)*'") if token.kind != "space"])
        Traceback (most recent call last):
        gear_neo4j.errors.GuardError: the query has a pattern after =~ that may never end: use CONTAINS, or a text in \
which at most two characters or classes are repeated
    """
    # First: the other checks scan the content of every bracket.
    _check_depth(code)
    for index, token in enumerate(code):
        if token.text == "~" and index and code[index - 1].text == "=":
            _check_pattern(code[index + 1 :])
        if index + 1 < len(code) and code[index + 1].text == "(" and token.name:
            _check_function(token.name.upper(), code[index + 2 :])
    _check_replacements(code)
    _check_loops(code)
    _check_copies(code)


def _check_function(name: str, arguments: Sequence[Token]) -> None:
    if name in ENDLESS:
        raise GuardError(f"the query calls {name}, which may never end: write it without")
    if name == "RANGE":
        bounds = re.match(r"(\d{1,9}),(\d{1,9})(,\d+)?\)", "".join(token.text for token in arguments[:6]))
        if not bounds or int(bounds[2]) - int(bounds[1]) > LONGEST_RANGE:
            raise GuardError(
                f"the query has a range() that is not from one number to another, {LONGEST_RANGE:,} at most"
            )


def _check_pattern(following: Sequence[Token]) -> None:
    """Refuse the pattern after =~ unless matching it takes at most quadratic time."""
    alone = len(following) < 2 or following[1].text not in ("+", "|", ".", "[")
    if not (following and following[0].kind == "text" and alone and is_bounded(_content(following[0]))):
        raise GuardError(
            "the query has a pattern after =~ that may never end: use CONTAINS, or a text in which at most two "
            "characters or classes are repeated"
        )


def is_bounded(pattern: str) -> bool:
    """Whether each alternative of a regular expression has at most two repeats and three options, none of a group.

    Example:
        >>> [is_bounded(pattern) for pattern in ("(?i).*volt(age|s).*", "(a+)+", "a?a?a?a?aaaa", "(a|b)*", ".*.*.*x")]
        [True, False, False, False, False]
    """
    flags = _FLAGS.match(pattern)
    offset, repeats, options = flags.end() if flags else 0, 0, 0
    while offset < len(pattern):
        part = _PART.match(pattern, offset)
        if part is None:
            return False
        offset = part.end()
        repeats, options = (0, 0) if part["bar"] else (repeats + bool(part["repeat"]), options + bool(part["option"]))
        if repeats > MOST_REPEATS or options > MOST_OPTIONS:
            return False
    return True


def _content(text: Token) -> str:
    """The content of a quoted text."""
    return re.sub(r"\\(.)", r"\1", text.text[1:-1], flags=re.DOTALL)


def _check_replacements(code: Sequence[Token]) -> None:
    """Refuse replacements that make a text much longer."""
    indexes = [
        index for index, token in enumerate(code[:-1]) if token.word == "REPLACE" and code[index + 1].text == "("
    ]
    short = all(_is_short(_arguments(code, index + 2)) for index in indexes)
    if len(indexes) > MOST_REPLACEMENTS or not short:
        raise GuardError(
            f"the query has a replace() that may make a text too long: write at most {MOST_REPLACEMENTS}, each with a "
            f"text of at most {LONGEST_REPLACEMENT} characters as its last argument"
        )


def _is_short(arguments: Sequence[Sequence[Token]]) -> bool:
    if len(arguments) != 3 or len(arguments[2]) != 1:
        return False
    return arguments[2][0].kind == "text" and len(_content(arguments[2][0])) <= LONGEST_REPLACEMENT


def _arguments(code: Sequence[Token], index: int) -> list[list[Token]]:
    """The arguments, from an index to the closing bracket."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in code[index:]:
        depth += _step(token)
        if depth < 0:
            break
        if depth == 0 and token.text == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _step(token: Token) -> int:
    if token.kind != "symbol":
        return 0
    return (token.text in "([{") - (token.text in ")]}")


def _check_depth(code: Sequence[Token]) -> None:
    """Refuse deeply nested values, which would exhaust the stack of server and client."""
    depth = deepest = base = levels = 0
    for token in code:
        if token.word in _PROJECTING:
            levels, base, deepest = levels + deepest - base, depth, depth
        depth += _step(token)
        deepest = max(deepest, depth)
    if levels + deepest - base > DEEPEST:
        raise GuardError(
            f"the query nests brackets deeper than {DEEPEST} levels in all: write fewer within one another"
        )


def _check_loops(code: Sequence[Token]) -> None:
    """Refuse nested loops over lists, and loops whose items repeat a value from outside."""
    brackets: list[bool] = []
    for index, token in enumerate(code):
        if token.text in ("(", "[", "{"):
            loops = token.text == "[" or (index > 0 and code[index - 1].word in QUANTIFIERS)
            loops = loops and index + 2 < len(code) and bool(code[index + 1].name) and code[index + 2].word == "IN"
            if loops and any(brackets):
                raise GuardError("the query has a loop over a list within another one: use MATCH and UNWIND")
            brackets.append(loops)
            if token.text == "[":
                _check_items(code, index + 1)
        elif token.text in (")", "]", "}") and brackets:
            brackets.pop()


def _check_items(code: Sequence[Token], index: int) -> None:
    """Refuse a list whose items repeat a value from outside, such as ``[x IN l | l]``: it squares the length."""
    inside = _arguments(code, index)
    if len(inside) != 1 and not inside[0]:
        return
    tokens = [token for part in inside for token in part]
    bar = next((at for at, _ in _at_depth_zero(tokens, "|")), None)
    if bar is None or tokens[0].text in (":", "|") or (tokens[0].name and tokens[1].text in (":", "|")):
        # No loop, or the types of a relationship.
        return
    own = {tokens[0].name} | {
        token.name for at, token in enumerate(tokens[1:bar], start=1) if tokens[at - 1].text in ("(", "[")
    }
    foreign = [token.name for token in _names(tokens[bar + 1 :]) if token.name not in own]
    if foreign:
        raise GuardError(f"the query repeats {foreign[0]} for each item of a list: use UNWIND instead of the loop")


def _at_depth_zero(code: Sequence[Token], text: str) -> Iterator[tuple[int, Token]]:
    depth = 0
    for index, token in enumerate(code):
        if depth == 0 and token.text == text:
            yield index, token
        depth += _step(token)


def _names(code: Sequence[Token]) -> Iterator[Token]:
    """The variables in an expression, with repetitions."""
    for index, token in enumerate(code):
        if not token.name or token.word in _NO_NAMES:
            continue
        before = [token_before.word or token_before.text for token_before in code[max(0, index - 3) : index]]
        after = code[index + 1].text if index + 1 < len(code) else ""
        is_label = before[-1:] == [":"] and before[:1] not in (["{"], [","])
        if after not in ("(", ":") and not is_label and before[-1:] not in (["."], ["AS"]):
            yield token


def _check_copies(code: Sequence[Token]) -> None:
    """Refuse values that double from clause to clause, such as ``WITH l + l AS l`` many times."""
    copies = 1
    for index, token in enumerate(code):
        before = code[index - 1] if index else None
        if token.word in _PROJECTING and not (before and (before.text == "." or before.word in ("STARTS", "ENDS"))):
            copies *= max(1, *(sum(1 for _ in _names(item)) for item in _items(code, index + 1)))
    if copies > MOST_COPIES:
        raise GuardError("the query may copy a value too many times: use fewer names in its WITH and RETURN clauses")


def _items(code: Sequence[Token], index: int) -> list[list[Token]]:
    """The expressions of the WITH or RETURN clause that begins at an index."""
    depth = 0
    end = index
    for end, token in enumerate(code[index:], start=index):
        before = code[end - 1]
        ends = token.word in _ENDING and before.text != "." and before.word not in ("STARTS", "ENDS")
        depth += _step(token)
        if depth < 0 or (depth == 0 and ends):
            return _arguments(code[:end], index)
    return _arguments(code, index)
