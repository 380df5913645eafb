"""The query files of ``cypher/``: one named query each, loaded once, their headers checked against the text.

A file begins with ``// name: triples_of(passages, limit)``, ``// access: read`` (or ``write``) and
``// columns: id, text`` (or ``none``). A line on scopes may follow: ``// scope: filtered``, if the file says where the
conditions of a scope belong (``scoping.py``); ``// scope: free``, if it reads nothing that a scope could hide;
``// scope: graph``, if it reads the user's own nodes, for scopes that admit all of these. Any other query is refused
under a scope. ``// timeout: 10`` may follow, the query's time limit in seconds. The other ``//`` lines are its
documentation. Files in ``cypher/search_clause/`` replace those of the same name on servers with the SEARCH clause of
Cypher 25, and files in ``cypher/small_scope/`` under a scope of few passages, which are read instead of an index.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal, cast

from gear_neo4j.graph.columns import bare, columns_of
from gear_neo4j.graph.scope.scope_macros import Shape, has_conditions, within_scope, without_scope

_HEADER = re.compile(
    r"//\s*name:\s*(?P<name>\w+)\((?P<parameters>[\w\s,]*)\)\s*\n"
    r"//\s*access:\s*(?P<access>read|write)\s*\n"
    r"//\s*columns:\s*(?P<columns>\w+(?:,[ ]*\w+)*)\s*\n"
    r"(?://\s*scope:\s*(?P<scope>free|filtered|graph)\s*\n)?"
    r"(?://\s*timeout:\s*(?P<seconds>\d+)\s*\n)?"
)
ScopeUse = Literal["refused", "free", "filtered", "graph"]
Forms = Literal["plain", "search_clause", "small_scope"]
# The parameters that say how many candidates an index gives: more under a scope.
SCALED = frozenset({"candidates", "near"})
# $any(...) and $all(...) are Cypher's syntax for dynamic labels, not parameters.
_PARAMETER = re.compile(r"\$(?!(?:any|all)\()(\w+)")


@dataclass(frozen=True, slots=True)
class Query:
    """A Cypher text with its name, its parameters, whether it writes, and its time limit in seconds.

    ``columns`` and ``file`` (from the repository's root) are empty for a text that is not from a file. ``scope`` says
    what happens under a scope, and ``marked`` is the text with the places of its conditions. ``ignored`` are parameters
    that callers give and this form does not need.
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

    @property
    def interface(self) -> tuple[object, ...]:
        """What a caller depends on: all forms of a query must agree in it."""
        return self.parameters | self.ignored, self.writes, self.columns

    @property
    def sized(self) -> bool:
        """Whether it depends on the size of the scope."""
        return any(f"$scope.{name}" in self.marked for name in ("ids", "factor", "triples", "adopted"))

    def within(self, shape: Shape) -> "Query":
        """The form of a filtered query under a scope with these conditions; it takes the parameter ``scope``, too."""
        return replace(self, text=within_scope(self.marked, shape), parameters=self.parameters | {"scope"})

    def check(self, parameters: Mapping[str, object]) -> None:
        """Refuse parameters other than those declared, before anything is sent to the server.

        Raises:
            TypeError: names both.
        """
        if (taken := self.parameters | self.ignored) != parameters.keys():
            raise TypeError(f"{self.name} takes {sorted(taken)}, not {sorted(parameters)}")


def load(folder: Path) -> dict[str, Query]:
    """All queries of a folder by name.

    Raises:
        ValueError: a file's header does not match its text; the message names the file.
    """
    return _parse_all(folder.glob("*.cypher"), folder.parent)


def load_forms(folder: Path, form: Forms, plain: Mapping[str, Query]) -> dict[str, Query]:
    """The other forms of some of a folder's queries, by name; one that uses no index ignores how much of it is read.

    Raises:
        ValueError: a form's parameters, access or columns are not those of the plain form.
    """
    queries = _parse_all((folder / form).glob("*.cypher"), folder.parent)
    for name, query in queries.items():
        if name in plain and form == "small_scope":
            queries[name] = query = replace(query, ignored=SCALED & plain[name].parameters - query.parameters)
        if name not in plain or query.interface != plain[name].interface:
            raise ValueError(f"{query.file}: its header must be that of {folder.name}/{name}.cypher")
    return queries


@cache
def named(name: str, *, form: Forms = "plain") -> Query:
    """The query of a name, in a form if it has that.

    Raises:
        KeyError: there is no query of that name.
    """
    return _all(form).get(name) or _all("plain")[name]


def has_small_form(name: str) -> bool:
    """Whether a query has a form of its own under a scope of few passages."""
    return name in _all("small_scope")


def resource_folder(name: str) -> Path:
    """A folder that stands inside an installed package and at the top level of the repository in a checkout."""
    package = Path(__file__).resolve().parents[1]
    return next(base / name for base in (package, package.parent) if (base / name).is_dir())


@cache
def _all(form: Forms) -> Mapping[str, Query]:
    folder = resource_folder("cypher")
    return load(folder) if form == "plain" else load_forms(folder, form, _all("plain"))


def _parse_all(paths: Iterable[Path], root: Path) -> dict[str, Query]:
    return {path.stem: _parse(path, path.relative_to(root).as_posix()) for path in sorted(paths)}


def _parse(path: Path, file: str) -> Query:
    text = path.read_text(encoding="utf-8").strip()
    header = _HEADER.match(text)
    if header is None:
        raise ValueError(
            f"{file}: the first lines must be '// name: stem(parameters)', '// access: read|write' and "
            "'// columns: names' or '// columns: none'"
        )
    body = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
    query = Query(
        name=header["name"],
        text=without_scope(body),
        parameters=frozenset(_names(header["parameters"])),
        writes=header["access"] == "write",
        timeout=int(header["seconds"]) if header["seconds"] else None,
        columns=() if header["columns"] == "none" else _names(header["columns"]),
        file=file,
        scope=cast(ScopeUse, header["scope"] or "refused"),
        marked=body if header["scope"] == "filtered" else "",
    )
    if has_conditions(body) != (query.scope == "filtered"):
        raise ValueError(f"{file}: a text with the conditions of a scope declares '// scope: filtered', no other does")
    _check(query, stem=path.stem)
    return query


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def _check(query: Query, *, stem: str) -> None:
    parameters, columns = frozenset(_PARAMETER.findall(bare(query.text))), columns_of(query.text)
    if query.name != stem:
        raise ValueError(f"{query.file}: declares the name {query.name}")
    if query.parameters != parameters:
        raise ValueError(f"{query.file}: declares {sorted(query.parameters)} but uses {sorted(parameters)}")
    if query.columns != columns:
        raise ValueError(f"{query.file}: declares the columns {list(query.columns)} but returns {list(columns)}")
