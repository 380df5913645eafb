"""The query files of ``cypher/``: one named query each, loaded once, their headers checked against the text.

A file begins with ``// name: triples_of(passages, limit)``, ``// access: read`` (or ``write``) and
``// columns: id, text`` (or ``none``). ``// timeout: 10`` may follow, the query's time limit in seconds. The other
``//`` lines are its documentation. Files in ``cypher/search_clause/`` replace those of the same name on
servers with the SEARCH clause of Cypher 25.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gear_neo4j.graph.columns import bare, columns_of

_HEADER = re.compile(
    r"//\s*name:\s*(?P<name>\w+)\((?P<parameters>[\w\s,]*)\)\s*\n"
    r"//\s*access:\s*(?P<access>read|write)\s*\n"
    r"//\s*columns:\s*(?P<columns>\w+(?:,[ ]*\w+)*)\s*\n"
    r"(?://\s*timeout:\s*(?P<seconds>\d+)\s*\n)?"
)
# $any(...) and $all(...) are Cypher's syntax for dynamic labels, not parameters.
_PARAMETER = re.compile(r"\$(?!(?:any|all)\()(\w+)")


@dataclass(frozen=True, slots=True)
class Query:
    """A Cypher text with its name, its parameters, whether it writes, and its time limit in seconds.

    ``columns`` and ``file`` (from the repository's root) are empty for a text that is not from a file.
    """

    name: str
    text: str
    parameters: frozenset[str] = frozenset()
    writes: bool = False
    timeout: int | None = None
    columns: tuple[str, ...] = ()
    file: str = ""

    @property
    def interface(self) -> tuple[object, ...]:
        """What a caller depends on: both forms of a query must agree in it."""
        return self.parameters, self.writes, self.columns

    def check(self, parameters: Mapping[str, object]) -> None:
        """Refuse parameters other than those declared, before anything is sent to the server.

        Raises:
            TypeError: names both.
        """
        if self.parameters != parameters.keys():
            raise TypeError(f"{self.name} takes {sorted(self.parameters)}, not {sorted(parameters)}")


def load(folder: Path) -> dict[str, Query]:
    """All queries of a folder by name.

    Raises:
        ValueError: a file's header does not match its text; the message names the file.
    """
    return _parse_all(folder.glob("*.cypher"), folder.parent)


def load_search_forms(folder: Path, plain: Mapping[str, Query]) -> dict[str, Query]:
    """The forms with the SEARCH clause of some of a folder's queries, by name.

    Raises:
        ValueError: a form's parameters, access or columns are not those of the plain form.
    """
    forms = _parse_all((folder / "search_clause").glob("*.cypher"), folder.parent)
    for form in forms.values():
        if form.name not in plain or form.interface != plain[form.name].interface:
            raise ValueError(f"{form.file}: its header must be that of {folder.name}/{form.name}.cypher")
    return forms


@cache
def named(name: str, *, search_clause: bool = False) -> Query:
    """The query of a name, in the form with the SEARCH clause where the server has it and the query needs it.

    Raises:
        KeyError: there is no query of that name.
    """
    return _all(search_clause=search_clause)[name]


def resource_folder(name: str) -> Path:
    """A folder that stands inside an installed package and at the top level of the repository in a checkout."""
    package = Path(__file__).resolve().parents[1]
    return next(base / name for base in (package, package.parent) if (base / name).is_dir())


@cache
def _all(*, search_clause: bool) -> Mapping[str, Query]:
    folder = resource_folder("cypher")
    if not search_clause:
        return load(folder)
    plain = _all(search_clause=False)
    return {**plain, **load_search_forms(folder, plain)}


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
    query = Query(
        name=header["name"],
        text="\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//")),
        parameters=frozenset(_names(header["parameters"])),
        writes=header["access"] == "write",
        timeout=int(header["seconds"]) if header["seconds"] else None,
        columns=() if header["columns"] == "none" else _names(header["columns"]),
        file=file,
    )
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
