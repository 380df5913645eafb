"""``gear evaluate`` on a knowledge graph with questions: recall of the answers' entities in the retrieved triples."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from gear_neo4j.cli.options import opened, own_server
from gear_neo4j.cli.progress import counting
from gear_neo4j.cli.reporting import progress_shown, report_problem
from gear_neo4j.evaluate import knowledge
from gear_neo4j.recipes.recipe import RetrieverRecipe
from gear_neo4j.retrieval.naive import Naive
from gear_neo4j.retrieval.paths import Paths
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.settings import Settings
from gear_neo4j.text.printable import single_line
from gear_neo4j.text.wording import pluralize

TRIPLES = 20


def evaluate_graph(
    folder: Path, settings: Settings, *, chosen: Sequence[RetrieverRecipe], limit: int | None, collection: str
) -> dict[str, Any]:
    """Measure nearest triples, ``naive``, ``paths`` and the chosen retrievers side by side, in a separate database.

    In a collection other than the default one, the graph may share a database with other data, and is searched alone.
    """
    dataset = knowledge.load(folder).within(collection)
    settings = own_server(settings, f"evaluate-{dataset.name}")
    with opened(settings, create=True) as gear:
        with progress_shown() as on_progress:
            knowledge.provide(gear, dataset, on_problem=report_problem, on_progress=on_progress)
        recipes: dict[str, RetrieverRecipe] = {recipe.name: recipe for recipe in (Naive(), Paths(), *chosen)}
        view = gear if collection == DEFAULT_COLLECTION else gear.scoped(collections=[collection])
        systems = knowledge.retrievers(view, list(recipes.values()))
        with counting("questions", len(dataset.questions[:limit])) as advance:
            return knowledge.measure(view, dataset, systems, k=TRIPLES, limit=limit, on_done=lambda: advance(1))


def graph_table(report: Mapping[str, Any]) -> Table:
    """The results as a table."""
    title = (
        f"{report['dataset']}: entities of the answer among the first {report['k']} entities and triples, "
        f"{report['counted']} of {report['questions']} questions"
    )
    table = Table(title=single_line(title), title_justify="left", box=None, header_style="bold", padding=(0, 1, 0, 0))
    for column in ("", "recall % (95 %)", "odd: recall %", "first %", "exact %", "p50 ms", "p95 ms"):
        table.add_column(column, justify="left" if not column else "right")
    for name, figures in report["systems"].items():
        times = figures["latency_ms"]
        latency = (f"{times[key]:.0f}" if times.get(key) else "" for key in ("p50", "p95"))
        recall = f"{figures['recall']:.1f} ({figures['low']:.1f} to {figures['high']:.1f})"
        table.add_row(name, recall, *_shares(figures["halves"]["odd"]), *latency)
        for hops, of in figures["hops"].items():
            table.add_row(f"  {pluralize(hops, 'hop')}", "", *_shares(of), "", "", style="dim")
    return table


def _shares(figures: Mapping[str, float]) -> Iterator[str]:
    for key in ("recall", "first", "exact"):
        yield f"{figures[key]:.1f}"
