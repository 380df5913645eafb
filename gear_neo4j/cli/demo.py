"""``gear demo``: ingestion and multi-hop search on the bundled corpus."""

import sys
from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from os.path import relpath
from pathlib import Path as File
from shutil import which

import click
from rich.text import Text

from gear_neo4j.cli.options import CONNECTION, EMBEDDING, opened, own_server, with_settings
from gear_neo4j.cli.reporting import progress_shown
from gear_neo4j.cli.screen import Screen
from gear_neo4j.domain import Path, entity_key
from gear_neo4j.evaluate import datasets, runs
from gear_neo4j.gear import Gear
from gear_neo4j.retrieval.auto import Auto
from gear_neo4j.retrieval.base import Base
from gear_neo4j.settings import Settings

# Questions whose answers are two facts away from an entity that they name.
SHOWN = ("q02", "q05", "q06")
SHOWN_PASSAGES = 3
K = 10


@click.command()
@with_settings(CONNECTION, EMBEDDING)
def demo(settings: Settings) -> None:
    """Start a local Neo4j, ingest forty short passages, and answer multi-hop questions; no key, no Docker, no Java."""
    dataset = datasets.load(File(str(files("gear_neo4j.demo"))))
    settings = own_server(settings, "demo")
    console = Screen()
    with opened(settings, create=True) as gear:
        with progress_shown() as on_progress:
            runs.provide(gear, dataset, on_progress=on_progress)
        counts = gear.corpus.counts()
        contents = f"{counts.passages} passages, {counts.triples} triples and {counts.entities} entities"
        console.print(f"{contents} in Neo4j {gear.graph.version}.")
        console.print(
            Text.assemble("Three questions, their first hits (", ("✓", "green"), " gold), the path to the answer:\n")
        )
        graph_results = runs.ask(gear.retriever(Auto()), dataset.queries, k=K)
        vector_results = runs.ask(gear.retriever(Base(base="sbert")), dataset.queries, k=K)
        for number, result in enumerate((result for result in graph_results if result.query.id in SHOWN), start=1):
            _print_result(console, result)
            if path := _path_to_answer(gear, result):
                console.print_line(f"  {path}", style="cyan")
                if number == 1:
                    console.print("\n  This path in Neo4j Browser:")
                    console.print(str(gear.cypher(path)), style="green", soft_wrap=True)
            console.print()
    graph, vector = (_complete(results) for results in (graph_results, vector_results))
    console.print(
        f"For {graph} of {len(graph_results)} questions the graph found every needed passage in its first {K}; vector "
        f"search alone for {vector}. This is no benchmark: README.md has measurements.\n"
    )
    _print_next(console, settings)


def _complete(results: Sequence[runs.QueryResult]) -> int:
    """For how many questions all gold passages were found."""
    share: float = runs.summary(results, ks=[K])["all_found"][str(K)]
    return round(share * len(results) / 100)


def _print_result(console: Screen, result: runs.QueryResult) -> None:
    """Print a question and its first passages."""
    console.print(Text(result.query.question, style="bold"))
    for hit in result.hits[:SHOWN_PASSAGES]:
        mark = ("✓ " if hit.passage.id in result.query.gold else "  ", "green")
        console.print(Text.assemble(f"{hit.rank:3} ", mark, hit.passage.title))


def _path_to_answer(gear: Gear, result: runs.QueryResult) -> Path | None:
    """The first path to a hit that ends at the answer, else the best path there from an entity in the question."""
    answer = entity_key(result.query.answers[0])
    connected = gear.paths(f"{result.query.question} {answer}")
    paths = (*result.hits.paths, *connected.paths)
    return next((path for path in paths if entity_key(str(path)).endswith(answer)), None)


def _print_next(console: Screen, settings: Settings) -> None:
    """Print commands to try next."""
    name = "" if settings.uri else f" --name {settings.name}"
    extra = "" if find_spec("fastapi") else " (first: pip install 'gear-neo4j[server]')"
    if which("gear") is None:
        console.print_line(f"First put gear on the path: . {relpath(sys.prefix)}/bin/activate")
    console.print_line("To see more passages and their paths, the paths between two names, and a web page:")
    console.print_line(f'  gear search "Which novels did Han Kang write?" --paths{name}')
    console.print_line(f'  gear paths "Why Nations Fail, Yale University"{name}')
    console.print_line(f"  gear serve --demo{extra}, at http://127.0.0.1:8765")
