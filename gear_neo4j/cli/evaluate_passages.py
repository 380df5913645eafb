"""``gear evaluate`` on a data set with passages: one system or all of them, measured with progress and journals."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
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
from gear_neo4j.models.chat import ChatModel
from gear_neo4j.models.openai import open_chat
from gear_neo4j.scope import Scope
from gear_neo4j.settings import Settings

Player = Literal["model", "oracle"]
Protocol = Literal["one", "paper"]
# Below GEAR_HOME.
JOURNALS = "evaluations"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How the questions of a data set are asked."""

    llm: Player
    protocol: Protocol
    ks: tuple[int, ...]
    limit: int | None
    fresh: bool

    @property
    def separately(self) -> bool:
        """Whether each k has a run of its own."""
        return self.protocol == "paper"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Measures systems on a data set; returns a report, and the journals to discard once it is written."""

    dataset: datasets.Dataset
    run: RunOptions
    settings: Settings

    @property
    def queries(self) -> Sequence[datasets.EvaluationQuery]:
        """The questions to ask."""
        return self.dataset.queries[: self.run.limit]

    def measure_system(self, system: systems.System, *, scope: Scope, quality: bool) -> tuple[dict[str, Any], Journals]:
        """Measure one system."""
        if quality and system.agent is None:
            raise click.UsageError("--quality judges the answers of an agent: add --agent")
        if system.uses_oracle:
            require_decompositions(self.queries)
        needed = quality or (system.needs_model and not system.uses_oracle)
        with opened(self.settings, chat=self._chat() if needed else None, create=True) as opened_gear:
            self._provide(opened_gear, synonyms=system.needs_synonyms)
            gear = opened_gear.scoped(scope)
            journals = self._journals(gear)
            results = self._results(gear, system, journals)
            head = {
                "dataset": self.dataset.name,
                "fingerprint": self.dataset.fingerprint,
                "questions": len(self.queries),
            }
            report = {**head, **system.to_json(), **runs.summary(results, ks=self.run.ks)}
            return self._judged(report, results, gear, system, journals) if quality else report, journals

    def measure_table(self, *, steps: int) -> tuple[dict[str, Any], Journals]:
        """Measure every system."""
        oracle = self.run.llm == "oracle"
        if oracle:
            require_decompositions(self.queries)
        model = self.settings.chat_model if not oracle else None
        plays: Player | None = "oracle" if oracle else "model" if model else None
        with opened(self.settings, chat=self._chat() if model else None, create=True) as gear:
            self._provide(gear, synonyms=True)
            table = rows(llm=plays, triples=gear.corpus.counts().triples > 0, max_steps=steps)
            journals = self._journals(gear)
            report = measure(
                gear,
                self.dataset,
                table,
                self.queries,
                ks=self.run.ks,
                llm=LABEL if oracle else model or "none",
                separately=self.run.separately,
                journals=journals,
            )
            return report, journals

    def _chat(self) -> ChatModel:
        return open_chat(self.settings, cache=self.settings.chat_cache)

    def _provide(self, gear: Gear, *, synonyms: bool) -> None:
        """Ingest the data set unless the database holds it."""
        with progress_shown() as on_progress:
            runs.provide(gear, self.dataset, synonyms=synonyms, on_problem=report_problem, on_progress=on_progress)

    def _results(self, gear: Gear, system: systems.System, journals: Journals) -> list[runs.QueryResult]:
        run = self.run
        rounds = len(run.ks) if run.separately and not system.agent else 1
        with counting("questions", len(self.queries) * rounds) as advance:
            return systems.measure(
                gear,
                system,
                self.queries,
                ks=run.ks,
                separately=run.separately,
                journals=journals,
                on_done=lambda: advance(1),
            )

    def _judged(
        self,
        report: dict[str, Any],
        results: Sequence[runs.QueryResult],
        gear: Gear,
        system: systems.System,
        journals: Journals,
    ) -> dict[str, Any]:
        """A report with the quality of the answers, as the language model judges it."""
        with counting("judging", len(self.queries)) as advance:
            qualities = judge(
                results,
                chat=gear.chat,
                embedder=gear.embedder,
                journal=lambda keys: journals.qualities(system.to_json(), keys=keys),
                on_done=lambda: advance(1),
            )
        return with_quality(report, qualities)

    def _journals(self, gear: Gear) -> Journals:
        """The journals of this evaluation; prints on standard error how many results they already hold."""
        stamp = {
            "version": version("gear-neo4j"),
            "dataset": self.dataset.fingerprint,
            "graph": asdict(gear.graph.pagerank.version()),
            "scope": gear.graph.scope.json,
            "neo4j": gear.graph.version,
            "embedding": gear.embedder.name,
            "model": self.settings.chat_model,
        }

        def tell_kept(name: str, kept: int, total: int) -> None:
            errors.print_line(f"{name}: {kept} of {total} kept from an interrupted run (--fresh starts anew)")

        folder = self.settings.home / JOURNALS
        return Journals(folder, stamp=stamp, fresh=self.run.fresh, on_kept=tell_kept, on_loss=errors.print_line)
