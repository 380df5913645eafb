"""The query files of ``cypher/``: one named query each, whose header is checked against its text when it is loaded.

A file begins with ``// name: triples_of(passages, limit)``, ``// access: read`` (or ``write``) and
``// columns: id, text`` (or ``none``). A line on scopes may follow: ``// scope: filtered`` if the file marks where the
conditions of a scope belong (``scope_macros.py``); ``// scope: free`` if it reads nothing that a scope could hide;
``// scope: graph`` if it reads the user's own nodes, for scopes that admit all of them. Any other query is refused
under a scope. ``// timeout: 10`` may follow, the query's time limit in seconds. The other ``//`` lines are its
documentation, except ``// include:``, which includes a fragment (``fragments.py``). With a fragment of several forms,
the query also has several forms.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal, cast

from gear_neo4j.graph.columns import bare, columns_of
from gear_neo4j.graph.fragments import Form, included, resource_folder, without_comments
from gear_neo4j.graph.scope.scope_macros import Shape, has_conditions, within_scope, without_scope

_HEADER = re.compile(
    r"//\s*name:\s*(?P<name>\w+)\((?P<parameters>[\w\s,]*)\)\s*\n"
    r"//\s*access:\s*(?P<access>read|write)\s*\n"
    r"//\s*columns:\s*(?P<columns>\w+(?:,[ ]*\w+)*)\s*\n"
    r"(?://\s*scope:\s*(?P<scope>free|filtered|graph)\s*\n)?"
    r"(?://\s*timeout:\s*(?P<seconds>\d+)\s*\n)?"
    r"(?P<documentation>(?://(?! include:).*\n)*)"
)
ScopeUse = Literal["refused", "free", "filtered", "graph"]
# The parameters for the number of candidates of an index, which is larger under a scope.
SCALED = frozenset({"candidates", "near"})
# $any(...) and $all(...) are Cypher's syntax for dynamic labels, not parameters.
_PARAMETER = re.compile(r"\$(?!(?:any|all)\()(\w+)")


@dataclass(frozen=True, slots=True)
class Query:
    """A Cypher text with its name, its parameters, whether it writes, and its time limit in seconds.

    ``columns``, ``file`` (from the repository's root) and ``documentation`` are empty for a text that is not from a
    file. ``scope`` says what happens under a scope, and ``marked`` is the text before its conditions are filled in.
    ``ignored`` lists parameters that callers pass but this form does not need.
    """

    name: str
    text: str
    parameters: frozenset[str] = frozenset()
    writes: bool = False
    timeout: int | None = None
    columns: tuple[str, ...] = ()
    file: str = ""
    scope: ScopeUse = "refused"
    marked: str = ""
    ignored: frozenset[str] = frozenset()
    documentation: str = ""

    @property
    def summary(self) -> str:
        """The first sentence of its documentation."""
        first, _, rest = " ".join(self.documentation.split()).partition(". ")
        return f"{first}." if rest else first

    @property
    def sized(self) -> bool:
        """Whether it depends on the size of the scope."""
        return any(f"$scope.{name}" in self.marked for name in ("ids", "factor", "triples", "adopted"))

    def within(self, shape: Shape) -> "Query":
        """The form of a filtered query under a scope with these conditions; it also has the parameter ``scope``."""
        return replace(self, text=within_scope(self.marked, shape), parameters=self.parameters | {"scope"})

    def check(self, parameters: Mapping[str, object]) -> None:
        """Refuse parameters other than those declared, before anything is sent to the server.

        Raises:
            TypeError: names both.
        """
        if (taken := self.parameters | self.ignored) != parameters.keys():
            raise TypeError(f"{self.name} takes {sorted(taken)}, not {sorted(parameters)}")


def load(folder: Path, *, form: Form = "plain") -> dict[str, Query]:
    """All queries of a folder by name, in the given form if they have it.

    Raises:
        ValueError: a file's header does not match its text; the message names the file.
    """
    return {path.stem: _parse(path, form) for path in sorted(folder.glob("*.cypher"))}


@cache
def named(name: str, *, form: Form = "plain") -> Query:
    """The query with a name, in the given form if it has it.

    Raises:
        KeyError: there is no query with that name.
        ValueError: its header does not match its text.
    """
    file = resource_folder("cypher") / f"{name}.cypher"
    if not file.is_file():
        raise KeyError(name)
    return _parse(file, form)


@cache
def has_form(name: str, form: Form) -> bool:
    """Whether a query has its own form for some servers, or under some scopes."""
    return named(name, form=form) != named(name)


def _parse(path: Path, form: Form) -> Query:
    file, text = f"{path.parent.name}/{path.name}", path.read_text(encoding="utf-8").strip()
    header = _HEADER.match(text)
    if header is None:
        raise ValueError(
            f"{file}: the first lines must be '// name: stem(parameters)', '// access: read|write' and "
            "'// columns: names' or '// columns: none'"
        )
    if form == "small_scope" and header["scope"] != "filtered":
        form = "plain"
    own = without_comments(text)
    body = _included(own, form, path)
    declared, parameters = frozenset(_names(header["parameters"])), _parameters(without_scope(body))
    query = Query(
        name=header["name"],
        text=without_scope(body),
        parameters=parameters,
        writes=header["access"] == "write",
        timeout=int(header["seconds"]) if header["seconds"] else None,
        columns=() if header["columns"] == "none" else _names(header["columns"]),
        file=file,
        scope=cast(ScopeUse, header["scope"] or "refused"),
        marked=body if header["scope"] == "filtered" else "",
        # Without an index, there are no candidates.
        ignored=(declared - parameters) & SCALED if form == "small_scope" else frozenset(),
        documentation=re.sub(r"^// ?", "", header["documentation"], flags=re.MULTILINE).strip(),
    )
    if query.name != path.stem:
        raise ValueError(f"{file}: declares the name {query.name}")
    # Conditions in a fragment do not matter if the query never runs under a scope.
    if has_conditions(body if query.scope == "filtered" else own) != (query.scope == "filtered"):
        raise ValueError(f"{file}: a text with the conditions of a scope declares '// scope: filtered', no other does")
    _check(query, declared)
    return query


def _check(query: Query, declared: frozenset[str]) -> None:
    """Compare what a header declares with the text that is sent."""
    if query.parameters | query.ignored != declared:
        raise ValueError(f"{query.file}: declares {sorted(declared)} but uses {sorted(query.parameters)}")
    if query.columns != (columns := columns_of(query.text)):
        raise ValueError(f"{query.file}: declares the columns {list(query.columns)} but returns {list(columns)}")


def _included(text: str, form: Form, path: Path) -> str:
    """A text with its fragments; with the SEARCH clause, for Cypher 25, whatever the default of the database."""
    try:
        body = included(text, form=form, folder=path.parent / "fragments")
        has_clause = form == "search_clause" and body != included(text, form="plain", folder=path.parent / "fragments")
    except ValueError as error:
        raise ValueError(f"{path.parent.name}/{path.name}: {error}") from error
    return f"CYPHER 25\n{body}" if has_clause else body


def _parameters(text: str) -> frozenset[str]:
    return frozenset(_PARAMETER.findall(bare(text)))


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())
