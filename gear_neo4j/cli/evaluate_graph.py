"""``gear evaluate`` on a knowledge graph with questions: recall of the answers' entities in the retrieved triples."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from gear_neo4j.cli.ingest import progress_shown, tell
from gear_neo4j.cli.options import opened, own_server
from gear_neo4j.cli.progress import counting
from gear_neo4j.evaluate import knowledge
from gear_neo4j.recipes import RetrieverRecipe
from gear_neo4j.retrieval.naive import Naive
from gear_neo4j.retrieval.paths import Paths
from gear_neo4j.settings import Settings
from gear_neo4j.wording import counted

TRIPLES = 20


def evaluate_graph(
    folder: Path, settings: Settings, *, chosen: Sequence[RetrieverRecipe], limit: int | None
) -> dict[str, Any]:
    """Measure nearest triples, ``naive``, ``paths`` and the chosen retrievers side by side, in a separate database."""
    dataset = knowledge.load(folder)
    settings = own_server(settings, f"evaluate-{dataset.name}")
    with opened(settings) as gear:
        with progress_shown() as on_progress:
            knowledge.provide(gear, dataset, on_problem=tell, on_progress=on_progress)
        recipes: dict[str, RetrieverRecipe] = {recipe.name: recipe for recipe in (Naive(), Paths(), *chosen)}
        systems = knowledge.retrievers(gear, list(recipes.values()))
        with counting("questions", len(dataset.questions[:limit])) as advance:
            return knowledge.measure(gear, dataset, systems, k=TRIPLES, limit=limit, on_done=lambda: advance(1))


def graph_table(report: Mapping[str, Any]) -> Table:
    """The results as a table."""
    title = (
        f"{report['dataset']}: entities of the answer among the first {report['k']} entities and triples, "
        f"{report['counted']} of {report['questions']} questions"
    )
    table = Table(title=title, title_justify="left", box=None, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("", "recall %", "95 %", "first %", "odd: recall %", "first %", "exact %", "p50 ms", "p95 ms"):
        table.add_column(column, justify="left" if not column else "right")
    for name, figures in report["systems"].items():
        times = figures["latency_ms"]
        latency = (f"{times[key]:.0f}" if times.get(key) else "" for key in ("p50", "p95"))
        spread = f"{figures['low']:.1f} to {figures['high']:.1f}"
        odd = figures["halves"]["odd"]
        shares = (f"{value:.1f}" for value in (figures["first"], odd["recall"], odd["first"], odd["exact"]))
        table.add_row(name, f"{figures['recall']:.1f}", spread, *shares, *latency)
        for hops, of in figures["hops"].items():
            split = (f"{of[key]:.1f}" for key in ("recall", "first", "exact"))
            table.add_row(f"  {counted(hops, 'hop')}", "", "", "", *split, "", "", style="dim")
    return table
