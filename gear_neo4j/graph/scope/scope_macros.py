"""The scoped form of a query: the same file, with the conditions of the scope inserted.

The file marks the place of a condition by a comment: ``/*+ AND IN_SCOPE_TRIPLE(t) */``. Without a scope, the comment is
removed, so such a search costs nothing. With a scope, its content becomes part of the query, and
``IN_SCOPE_PASSAGE(p)`` or ``IN_SCOPE_TRIPLE(t)`` is replaced by the conditions of the scope. A triple also has the
collection and readers of its passage, so that a walk reads no further node; only a metadata filter does.
``STATED_IN_SCOPE(t)`` is for a triple whose passage is known to be in the scope, and so fulfils the filter.
``IN_COLLECTION(t)`` is for a SEARCH clause, with indexes that filter. ``IN_SCOPE_COMMUNITY(c)`` admits a community if
the scope admitted all its passages when it was built, unless since then one has left its collection or lost a reader.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from gear_neo4j.graph.fragments import fragment
from gear_neo4j.scope import Scope

_MARK = re.compile(r"(\s*)/\*\+\s*(.*?)\s*\*/", re.DOTALL)
_MACRO = re.compile(r"\b(IN_SCOPE_PASSAGE|IN_SCOPE_TRIPLE|IN_SCOPE_COMMUNITY|STATED_IN_SCOPE)\((\w+)\)")
_INDEXED = re.compile(r"\bIN_COLLECTION\((\w+)\)\s*")
_ENTITY = re.compile(r"\b(IN_SCOPE_ENTITY|SPELLING)\((\w+)\)")


class Shape(NamedTuple):
    """The kinds of conditions of a scope, and whether the vector indexes filter by its collections."""

    collections: bool
    principals: bool = False
    where: bool = False
    in_index: bool = False


def shape_of(scope: Scope) -> Shape:
    """The kinds of conditions of a scope."""
    return Shape(scope.collections is not None, scope.principals is not None, scope.where is not None)


def without_scope(text: str) -> str:
    """The text as sent without a scope.

    Example:
        >>> without_scope("MATCH (t:Triple) /*+ WHERE IN_SCOPE_TRIPLE(t) */ RETURN t")
        'MATCH (t:Triple) RETURN t'
    """
    return _MARK.sub("", text)


@cache
def within_scope(text: str, shape: Shape) -> str:
    """The text as sent under a scope with these conditions.

    Example:
        >>> print(within_scope("MATCH (t:Triple) /*+ WHERE IN_SCOPE_TRIPLE(t) */ RETURN t", Shape(collections=True)))
        MATCH (t:Triple) WHERE t.collection IN $scope.collections RETURN t
    """
    marked = _MARK.sub(r"\1\2", text)
    indexed = _put(_INDEXED, marked, lambda match: _in_index(match[1], shape))
    expanded = _put(_ENTITY, indexed, lambda match: _OF_ENTITY[match[1]](match[2]))
    return _put(_MACRO, expanded, lambda match: _CONDITIONS[match[1]](match[2], shape))


def _put(macro: re.Pattern[str], text: str, put: Callable[[re.Match[str]], str]) -> str:
    """A text with a macro replaced; further lines of the replacement are indented more than the macro's line."""

    def indented(match: re.Match[str]) -> str:
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        return put(match).replace("\n", "\n" + " " * (len(line) - len(line.lstrip()) + 2))

    return macro.sub(indented, text)


def reads_communities(text: str) -> bool:
    """Whether a text reads communities, which a metadata filter does not admit, because they use many passages."""
    return "IN_SCOPE_COMMUNITY(" in text


def has_conditions(text: str) -> bool:
    """Whether a text marks places for a scope's conditions."""
    return _MARK.search(text) is not None


def _passage(name: str, shape: Shape) -> str:
    parts = _stamp(name, collections=shape.collections, principals=shape.principals)
    return _all([*parts, _fulfils(name)] if shape.where else parts)


def _triple(name: str, shape: Shape) -> str:
    parts = _stamp(name, collections=shape.collections, principals=shape.principals)
    filtered = f"EXISTS {{ ({name})-[:FROM]->(scopePassage)\n  WHERE {_fulfils('scopePassage')} }}"
    return _all([*parts, filtered] if shape.where else parts)


def _stamp(name: str, *, collections: bool, principals: bool) -> list[str]:
    parts = []
    if collections:
        parts.append(f"{name}.collection IN $scope.collections")
    if principals:
        named = f"any(scopeReader IN {name}.readers WHERE scopeReader IN $scope.principals)"
        parts.append(f"({name}.readers IS NULL OR {named})")
    return parts


def _community(name: str, shape: Shape) -> str:
    parts, marks = [], []
    if shape.collections:
        parts.append(f"{name}.collection IN $scope.collections")
        marks.append(f"scopeBuild.moved = {name}.moved")
    if shape.principals:
        sets = f"{name}.readerSets + coalesce({name}.lateReaders, [])"
        met = "any(scopeReader IN split(scopeSet, ' ') WHERE scopeReader IN $scope.readers)"
        parts.append(f"{name}.readerSets IS NOT NULL AND all(scopeSet IN {sets} WHERE {met})")
        marks.append(f"scopeBuild.restricted = {name}.restricted")
    if marks:
        build = f"(scopeBuild:__GearStore {{id: 'communities/' + {name}.collection}})"
        parts.append(f"EXISTS {{ MATCH {build} USING INDEX SEEK scopeBuild:__GearStore(id)\n  WHERE {_all(marks)} }}")
    return _all(parts)


def _stated(name: str, shape: Shape) -> str:
    return _all(_stamp(name, collections=shape.collections, principals=shape.principals))


def _fulfils(name: str) -> str:
    return fragment("fulfils").text(name)


def _in_index(name: str, shape: Shape) -> str:
    # A filtering index takes only this condition; its results are checked again.
    return f"WHERE {name}.collection IN $scope.collections " if shape.in_index and shape.collections else ""


def _entity(name: str) -> str:
    return f"EXISTS {{ ({name})<-[:SUBJECT|OBJECT]-(scopeTriple:Triple) WHERE IN_SCOPE_TRIPLE(scopeTriple) }}"


def _spelling(name: str) -> str:
    return fragment("spelling").text(name)


def _all(parts: list[str]) -> str:
    return "\nAND ".join(parts) or "true"


_CONDITIONS: dict[str, Callable[[str, Shape], str]] = {
    "IN_SCOPE_PASSAGE": _passage,
    "IN_SCOPE_TRIPLE": _triple,
    "STATED_IN_SCOPE": _stated,
    "IN_SCOPE_COMMUNITY": _community,
}
_OF_ENTITY: dict[str, Callable[[str], str]] = {"IN_SCOPE_ENTITY": _entity, "SPELLING": _spelling}
