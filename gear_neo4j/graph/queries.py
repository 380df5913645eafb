"""The query files of ``cypher/``: one named query each, loaded once, their parameters checked against the text.

A file begins with ``// name: triples_of(passages, limit)`` and ``// access: read`` (or ``write``), then, where the
server is to break it off after so many seconds, ``// timeout: 10``; the ``//`` lines after those are its documentation.
Files in ``cypher/search_clause/`` replace those of the same name on servers with the SEARCH clause of Cypher 25.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_SIGNATURE = re.compile(r"//\s*name:\s*(?P<name>\w+)\((?P<parameters>[\w\s,]*)\)\s*")
_TIMEOUT = re.compile(r"//\s*timeout:\s*(?P<seconds>\d+)\s*")
_ACCESS = re.compile(r"//\s*access:\s*(?P<access>read|write)\s*")
# $any(...) and $all(...) are how the language writes labels that a parameter holds.
_PARAMETER = re.compile(r"\$(?!(?:any|all)\()(\w+)")
_COMMENT = re.compile(r"//.*|/\*[\s\S]*?\*/")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`")


@dataclass(frozen=True, slots=True)
class Query:
    """A Cypher text with its name, the parameters it takes, whether it writes, and its time limit in seconds."""

    name: str
    text: str
    parameters: frozenset[str] = frozenset()
    writes: bool = False
    timeout: int | None = None

    def check(self, given: Mapping[str, object]) -> None:
        """Refuse other parameters than those declared: what is missing never reaches the server.

        Raises:
            TypeError: names both.
        """
        if self.parameters != given.keys():
            raise TypeError(f"{self.name} takes {sorted(self.parameters)}, not {sorted(given)}")


def load(folder: Path) -> dict[str, Query]:
    """All queries of a folder by name.

    Raises:
        ValueError: a file's first lines, name or parameters are not what its text says.
    """
    return {query.name: query for query in map(_parse, sorted(folder.glob("*.cypher")))}


@cache
def named(name: str, *, search_clause: bool = False) -> Query:
    """The query of a name, in the form with the SEARCH clause where the server has it and the query needs it.

    Raises:
        KeyError: there is no query of that name.
    """
    if search_clause and name in _all("cypher/search_clause"):
        return _all("cypher/search_clause")[name]
    return _all("cypher")[name]


def resource_folder(name: str) -> Path:
    """A folder that stands inside an installed package and at the top level of the repository in a checkout."""
    package = Path(__file__).resolve().parents[1]
    return next(base / name for base in (package, package.parent) if (base / name).is_dir())


@cache
def _all(folder: str) -> dict[str, Query]:
    return load(resource_folder(folder))


def _parse(path: Path) -> Query:
    lines = path.read_text(encoding="utf-8").strip().splitlines()
    signature, access = (
        (_SIGNATURE.fullmatch(lines[0]), _ACCESS.fullmatch(lines[1])) if len(lines) > 2 else (None, None)
    )
    if signature is None or access is None:
        raise ValueError(
            f"{path.name}: the first lines must be '// name: stem(parameters)' and '// access: read|write'"
        )
    declared = frozenset(signature["parameters"].replace(",", " ").split())
    body = "\n".join(line for line in lines if not line.lstrip().startswith("//"))
    used = frozenset(_PARAMETER.findall(_COMMENT.sub("", _QUOTED.sub("", body))))
    if signature["name"] != path.stem:
        raise ValueError(f"{path.name}: declares the name {signature['name']}")
    if declared != used:
        raise ValueError(f"{path.name}: declares {sorted(declared)} but uses {sorted(used)}")
    timeout = _TIMEOUT.fullmatch(lines[2])
    seconds = int(timeout["seconds"]) if timeout else None
    return Query(path.stem, body, declared, writes=access["access"] == "write", timeout=seconds)
