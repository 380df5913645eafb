"""Build the manual: ``python -m tools.manual [--out build/manual]``; any warning of Sphinx is an error.

The pages of ``docs/`` are copied. The reference is generated from the product: the Python API and the errors from the
docstrings, the commands from their help, the queries from ``cypher/``. ``llms.txt`` lists all pages.
"""

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType

import click

import gear_neo4j
from gear_neo4j import errors, types
from gear_neo4j.cli.main import cli
from gear_neo4j.graph.queries import Query, load

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
OUT = ROOT / "build" / "manual"
LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)]+|benchmarks/[^)]+\.md)\)")
TO_PAGE = re.compile(r"\[([^\]]*)\]\([^)]*\)")
HINT = re.compile(r"USING INDEX SEEK \w+:(\w+)\(([^)]*)\)")
# Public only for annotations; their members are internal.
INTERNAL = ("Graph", "Session")
NAMED_INDEX = re.compile(r"'(gear_\w+)'")


def sources(folder: Path) -> None:
    """Copy the pages to a folder, and write the reference."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder)
    for page in folder.glob("*.md"):
        page.write_text(LINK.sub(outside, page.read_text("utf-8")), encoding="utf-8")
    pages: dict[str, Callable[[], Iterator[str]]] = {
        "api": api,
        "commands": commands,
        "errors": error_classes,
        "queries": queries,
    }
    (folder / "reference").mkdir()
    for name, lines in pages.items():
        (folder / "reference" / f"{name}.md").write_text("\n".join(lines()) + "\n", encoding="utf-8")


def outside(link: re.Match[str]) -> str:
    """A link to a file outside the manual becomes its text and its path, because the manual lacks that file."""
    text, path = link[1], f"`{link[2].removeprefix('../')}`"
    return text if text == path else f"{text} ({path})"


def api() -> Iterator[str]:
    """Every public name, by kind, with its docstring."""
    yield "# Public names"
    yield "\nA program imports these from `gear_neo4j`: `from gear_neo4j import Gear`.\n"
    yield from directive("autoclass", "gear_neo4j.Gear", members=True)
    yield from members_of(gear_neo4j)
    yield "\n## For annotations\n\n`from gear_neo4j.types import Trace`\n"
    yield from members_of(types)


def members_of(module: ModuleType) -> Iterator[str]:
    """The public names of a module."""
    for name in module.__all__:
        value = getattr(module, name)
        if name not in ("Gear", "Driver"):
            kind = "autoclass" if isinstance(value, type) else "autofunction"
            members = isinstance(value, type) and name not in INTERNAL
            yield from directive(kind, f"{module.__name__}.{name}", members=members)


def commands() -> Iterator[str]:
    """Every command with its options, from its help."""
    yield "# Commands"
    yield "\n[The command line](../cli.md) says what all commands have in common.\n"
    with click.Context(cli, info_name="gear", **cli.context_settings) as context:
        for name in sorted(cli.commands):
            # The group itself has only a line about each.
            yield from helped(cli.load(name), name, context)


def helped(command: click.Command, name: str, above: click.Context) -> Iterator[str]:
    """The help of a command and of its subcommands."""
    with click.Context(command, info_name=name, parent=above, max_content_width=100, terminal_width=100) as context:
        yield f"## {context.command_path}\n"
        yield f"```text\n{command.get_help(context)}\n```\n"
        if isinstance(command, click.Group):
            for below in command.list_commands(context):
                inner = command.get_command(context, below)
                assert inner
                yield from helped(inner, below, context)


def error_classes() -> Iterator[str]:
    """Every error with its meaning; all are imported from ``gear_neo4j.errors``."""
    yield "# Errors"
    yield "\nAll are subclasses of `GearError`; [the command line](../cli.md) turns each into an exit code.\n"
    for name, value in vars(errors).items():
        if isinstance(value, type) and value.__module__ == errors.__name__:
            yield from directive("autoclass", f"gear_neo4j.errors.{name}", show_inheritance=True)


def queries() -> Iterator[str]:
    """Every query of ``cypher/``: its parameters, columns, indexes, purpose and text."""
    yield "# Queries"
    yield "\nEvery query that has a name, a file each in `cypher/`. All values come as parameters.\n"
    for query in sorted(load(ROOT / "cypher").values(), key=lambda query: query.name):
        yield from described(query)


def described(query: Query) -> Iterator[str]:
    """A query as a section."""
    text = query.text
    indexes = sorted({f"{label}({keys})" for label, keys in HINT.findall(text)} | set(NAMED_INDEX.findall(text)))
    yield f"## {query.name}\n"
    yield f"{' '.join(query.documentation.split())}\n"
    yield "| | |\n|---|---|"
    yield f"| parameters | {listed(sorted(query.parameters))} |"
    yield f"| columns | {listed(query.columns)} |"
    yield f"| access | {'write' if query.writes else 'read'} |"
    yield f"| under a scope | {query.scope} |"
    yield f"| indexes named | {listed(indexes)} |\n"
    # Pygments does not know all of the syntax.
    yield f"```{{code-block}} cypher\n:force:\n\n{text.strip()}\n```\n"


def listed(names: Iterable[str]) -> str:
    """Names as code, with commas."""
    return ", ".join(f"`{name}`" for name in names) or "none"


def directive(kind: str, argument: str, **options: object) -> Iterator[str]:
    """A Sphinx directive in MyST."""
    yield "```{eval-rst}"
    yield f".. {kind}:: {argument}"
    for name, value in options.items():
        if value:
            yield f"   :{name.replace('_', '-')}:" + ("" if value is True else f" {value}")
    yield "```\n"


def list_pages(folder: Path) -> str:
    """llms.txt: every page with its title and its first paragraph."""
    lines = ["# gear-neo4j", "", "> Multi-hop retrieval for RAG, native on Neo4j.", "", "## Pages", ""]
    for page in sorted(page for page in folder.rglob("*.md") if page.parent.name != "benchmarks"):
        title, *rest = page.read_text("utf-8").split("\n\n")
        first = next((" ".join(part.split()) for part in rest if part[:1].isalnum()), "")
        sentence = TO_PAGE.sub(r"\1", first).partition(". ")[0].rstrip(".:")
        name = page.relative_to(folder).with_suffix(".html")
        lines.append(f"- [{title.removeprefix('# ').strip()}]({name}): {sentence}")
    return "\n".join(lines) + "\n"


def build(out: Path) -> int:
    """Build the manual; returns the exit code of Sphinx."""
    prepared = out.with_name(f"{out.name}-sources")
    sources(prepared)
    code = subprocess.call(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-b", "html", prepared, out]
    )
    (out / "llms.txt").write_text(list_pages(prepared), encoding="utf-8")
    return code


def main() -> None:
    """Build, and print the location."""
    parser = argparse.ArgumentParser(prog="python -m tools.manual", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    out = parser.parse_args().out
    if code := build(out):
        sys.exit(code)
    print(f"{out}/index.html")


if __name__ == "__main__":
    main()
