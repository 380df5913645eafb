"""List public names without an example: ``python -m tools.examples``; exit code 1 if there are any.

An example is a doctest of the name's own docstring or of a method's, or its use in a Python block of the documentation.
The tests run all of these.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import gear_neo4j
from gear_neo4j import types
from tools.manual import INTERNAL

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def without_example() -> list[str]:
    """The public names that have none, in order."""
    used = {name for block in blocks() for name in names(block)}
    public = {name: getattr(module, name) for module in (gear_neo4j, types) for name in module.__all__}
    return [name for name in sorted(public) if name not in (*INTERNAL, *used) and not tested(public[name])]


def blocks() -> Iterator[str]:
    """The Python blocks of the README and of the pages."""
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        yield from BLOCK.findall(page.read_text("utf-8"))


def names(block: str) -> Iterator[str]:
    """The names that a block uses, except in its imports."""
    for node in ast.walk(ast.parse(block)):
        if isinstance(node, ast.Name):
            yield node.id


def tested(thing: object) -> bool:
    """Whether one of its docstrings contains a doctest."""
    members = vars(thing).items() if inspect.isclass(thing) else ()
    own = [member for name, member in members if not name.startswith("_")]
    return any(">>>" in (inspect.getdoc(one) or "") for one in (thing, *own))


if __name__ == "__main__":
    missing = without_example()
    print(*(f"{name} has no example" for name in missing), sep="\n", end="\n" if missing else "")
    sys.exit(bool(missing))
