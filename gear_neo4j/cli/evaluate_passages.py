"""``gear evaluate`` on a data set with passages: one system or all of them, measured with progress and journals."""

from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any, Literal

import click

from gear_neo4j.cli.options import opened
from gear_neo4j.cli.progress import counting
from gear_neo4j.cli.reporting import progress_shown, report_problem
from gear_neo4j.cli.screen import errors
from gear_neo4j.cli.table import measure
from gear_neo4j.evaluate import datasets, runs, systems
from gear_neo4j.evaluate.journal import Journals
from gear_neo4j.evaluate.judging import judge, with_quality
from gear_neo4j.evaluate.oracle import LABEL, require_decompositions
from gear_neo4j.evaluate.poster import rows
from gear_neo4j.gear import Gear
from gear_neo4j.models.openai import open_chat
from gear_neo4j.scope import Scope
from gear_neo4j.settings import Settings

Player = Literal["model", "oracle"]
# Below GEAR_HOME.
JOURNALS = "evaluations"


def _provide(gear: Gear, dataset: datasets.Dataset, *, synonyms: bool) -> None:
    """Ingest the data set unless the database holds it."""
    with progress_shown() as on_progress:
        runs.provide(gear, dataset, synonyms=synonyms, on_problem=report_problem, on_progress=on_progress)


def measure_system(
    dataset: datasets.Dataset,
    queries: Sequence[datasets.EvaluationQuery],
    ks: tuple[int, ...],
    system: systems.System,
    *,
    scope: Scope,
    separately: bool,
    quality: bool,
    fresh: bool,
    settings: Settings,
) -> tuple[dict[str, Any], Journals]:
    """Measure one system; returns its report, and the journals to discard once that is written."""
    if quality and system.agent is None:
        raise click.UsageError("--quality judges the answers of an agent: add --agent")
    if system.uses_oracle:
        require_decompositions(queries)
    needed = quality or (system.needs_model and not system.uses_oracle)
    chat = open_chat(settings, cache=settings.chat_cache) if needed else None
    with opened(settings, chat=chat, create=True) as opened_gear:
        _provide(opened_gear, dataset, synonyms=system.needs_synonyms)
        gear = opened_gear.scoped(scope)
        journals = _journals(gear, dataset, fresh=fresh, settings=settings)
        with counting("questions", len(queries) * (len(ks) if separately and not system.agent else 1)) as advance:
            results = systems.measure(
                gear, system, queries, ks=ks, separately=separately, journals=journals, on_done=lambda: advance(1)
            )
        head = {"dataset": dataset.name, "fingerprint": dataset.fingerprint, "questions": len(queries)}
        report = {**head, **system.to_json(), **runs.summary(results, ks=ks)}
        if not quality:
            return report, journals
        with counting("judging", len(queries)) as advance:
            qualities = judge(
                results,
                chat=gear.chat,
                embedder=gear.embedder,
                journal=lambda keys: journals.qualities(system.to_json(), keys=keys),
                on_done=lambda: advance(1),
            )
    return with_quality(report, qualities), journals


def _journals(gear: Gear, dataset: datasets.Dataset, *, fresh: bool, settings: Settings) -> Journals:
    """The journals of this evaluation; says on standard error what they hold already."""
    stamp = {
        "version": version("gear-neo4j"),
        "dataset": dataset.fingerprint,
        "graph": asdict(gear.graph.pagerank.version()),
        "scope": gear.graph.scope.json,
        "neo4j": gear.graph.version,
        "embedding": gear.embedder.name,
        "model": settings.chat_model,
    }

    def tell_kept(name: str, kept: int, total: int) -> None:
        errors.print_line(f"{name}: {kept} of {total} kept from a run that was cut (--fresh starts anew)")

    folder = settings.home / JOURNALS
    return Journals(folder, stamp=stamp, fresh=fresh, on_kept=tell_kept, on_loss=errors.print_line)


def measure_table(
    dataset: datasets.Dataset,
    queries: Sequence[datasets.EvaluationQuery],
    ks: tuple[int, ...],
    *,
    llm: Player,
    steps: int,
    separately: bool,
    fresh: bool,
    settings: Settings,
) -> tuple[dict[str, Any], Journals]:
    """Measure every system; see :func:`measure_system`."""
    oracle = llm == "oracle"
    if oracle:
        require_decompositions(queries)
    model = settings.chat_model if not oracle else None
    chat = open_chat(settings, cache=settings.chat_cache) if model else None
    plays: Player | None = "oracle" if oracle else "model" if model else None
    with opened(settings, chat=chat, create=True) as gear:
        _provide(gear, dataset, synonyms=True)
        table = rows(llm=plays, triples=gear.corpus.counts().triples > 0, max_steps=steps)
        name = LABEL if oracle else model or "none"
        journals = _journals(gear, dataset, fresh=fresh, settings=settings)
        report = measure(gear, dataset, table, queries, ks=ks, llm=name, separately=separately, journals=journals)
        return report, journals
