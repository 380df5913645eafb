"""``gear demo``: ingestion and multi-hop search on the bundled corpus."""

from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import click
from rich.panel import Panel
from rich.text import Text

from gear_neo4j.cli.options import CONNECTION, EMBEDDING, opened, own_server, with_settings
from gear_neo4j.cli.reporting import progress_shown
from gear_neo4j.cli.screen import Screen
from gear_neo4j.cli.search import print_hits, print_paths
from gear_neo4j.evaluate import datasets, runs
from gear_neo4j.retrieval.base import Base
from gear_neo4j.settings import Settings

SHOWN_PATHS = 3
K = 10


@click.command()
@with_settings(CONNECTION, EMBEDDING)
def demo(settings: Settings) -> None:
    """Start a local Neo4j, ingest forty short passages, and answer multi-hop questions; no key, no Docker, no Java."""
    dataset = datasets.load(Path(str(files("gear_neo4j.demo"))))
    console = Screen()
    with opened(own_server(settings, "demo"), create=True) as gear:
        with progress_shown() as on_progress:
            runs.provide(gear, dataset, on_progress=on_progress)
        counts = gear.corpus.counts()
        contents = f"{counts.passages} passages, {counts.triples} triples and {counts.entities} entities"
        console.print(
            Text.assemble(f"{contents} in Neo4j {gear.graph.version}; ", ("✓", "green"), " marks the gold passages\n")
        )
        graph_results = runs.ask(gear.retriever("naive"), dataset.queries, k=K)
        vector_results = runs.ask(gear.retriever(Base(base="sbert")), dataset.queries, k=K)
        for number, result in enumerate(graph_results, start=1):
            title = f"question {number} of {len(graph_results)}"
            answer = f"answer: {result.query.answers[0]}"
            console.print(Panel(Text(result.query.question, style="bold"), title=Text(title), subtitle=Text(answer)))
            print_hits(console, result.hits, gold=result.query.gold, snippet=0)
            paths = result.hits.paths[:SHOWN_PATHS]
            print_paths(console, paths, gear.cypher(paths[0]) if paths else None)
    graph, vector = (runs.summary(results, ks=[K])["all_found"][str(K)] for results in (graph_results, vector_results))
    console.print(
        f"All gold passages were among the first {K} for {graph:.0f} % "
        f"of the questions with the graph, and for {vector:.0f} % by vector search alone."
    )
    console.print("Forty passages are a demonstration, not a benchmark: README.md has measurements.", style="dim")
    extra = "" if find_spec("fastapi") else " (first: pip install 'gear-neo4j[server]')"
    console.print_line(f"In the browser: run gear serve --demo{extra} and open http://127.0.0.1:8765")
