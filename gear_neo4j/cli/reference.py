"""The tables of docs/recipes.md, made from the recipes: ``python -m gear_neo4j.cli.reference`` writes them there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gear_neo4j.recipes.assignment import options_of
from gear_neo4j.recipes.registry import REGISTRIES, Entry

PAGE = Path(__file__).parents[2] / "docs" / "recipes.md"
BEGIN, END = "<!-- recipes: generated -->\n", "<!-- end -->\n"


def tables() -> str:
    """All built-in recipes as Markdown: what each does, and its options with their defaults."""
    parts = []
    for registry in REGISTRIES:
        parts.append(f"## {registry.kind.capitalize()}s\n")
        parts += [line for entry in registry if not entry.own for line in _section(entry)]
    return "\n".join(parts)


def page(text: str) -> str:
    """The text of the page with the tables as they should be."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n{tables()}\n{END}{rest.partition(END)[2]}"


def _section(entry: Entry[Any]) -> Iterator[str]:
    yield f"### `{entry.name}`: `{entry.recipe.__name__}`\n"
    yield f"{entry.summary}\n"
    over = entry.recipe.model_fields.get("over")
    if over is not None:
        yield f"Uses `{over.default.title}` unless `over` names another retriever.\n"
    options = list(options_of(entry.recipe))
    if not options:
        yield "No options.\n"
        return
    yield "| option | type | default | |\n|---|---|---|---|"
    for option in options:
        default = f"`{option.default}`" if option.default else ""
        yield f"| `{option.name}` | {option.type} | {default} | {option.description} |"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
