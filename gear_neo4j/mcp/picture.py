"""The paths of a result as a picture, in hosts that show apps: the extension MCP Apps, version 2026-01-26.

Other hosts show the text of the result. The data for the page are in its metadata, which no model reads.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from mcp.server.apps import Apps, ResourceCsp

from gear_neo4j.domain import Path
from gear_neo4j.text.printable import printable

URI = "ui://gear-neo4j/paths.html"
# The tools whose results have paths.
TOOLS = frozenset({"search", "paths", "ask"})
Steps = list[dict[str, Any]]


def make_app() -> Apps:
    """The page, for a server; it loads nothing from anywhere."""
    app = Apps()
    app.add_html_resource(
        URI,
        page(),
        name="paths",
        title="Paths",
        description="The paths of a result, from entity to entity; a fact shows the passage that states it.",
        csp=ResourceCsp(connect_domains=[], resource_domains=[]),
        prefers_border=True,
    )
    return app


def tool_metadata(name: str) -> dict[str, Any] | None:
    """The metadata of a tool: which page shows its results, if any."""
    return {"ui": {"resourceUri": URI}} if name in TOOLS else None


def result_metadata(paths: Mapping[str, Path], *, fetch: str) -> dict[str, Any]:
    """The metadata of a result: the steps of each path by its key, and the name of the tool that gets a passage."""
    return {"gear-neo4j/steps": {key: steps(path) for key, path in paths.items()}, "gear-neo4j/fetch": fetch}


def steps(path: Path) -> Steps:
    """The steps of a path as the page draws them.

    Example:
        >>> from gear_neo4j.domain import Triple
        >>> steps(Path((Triple("1", "Salter", "founded", "Sigma", "p1"),), 1.0))[0]["start"]
        'Salter'
    """
    return [
        {
            "start": printable(step.start),
            "predicate": printable(step.triple.predicate),
            "end": printable(step.end),
            "forward": step.forward,
            "continues": step.continues,
            "passage": step.triple.passage_id,
        }
        for step in path.steps
    ]


@cache
def page() -> str:
    """The page, in one text."""
    folder = files("gear_neo4j.mcp") / "static"
    html, style, script = ((folder / f"paths.{kind}").read_text("utf-8") for kind in ("html", "css", "js"))
    return html.replace("{style}", style).replace("{script}", script)
