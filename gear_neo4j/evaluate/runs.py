"""One evaluation: a data set in a database of its own, every question asked, the figures put together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from gear_neo4j.domain import Hits
from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.datasets import Dataset, Query
from gear_neo4j.evaluate.metrics import all_found, percentile, recall
from gear_neo4j.gear import Gear
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.retrieval.retrievers import Retriever

PARTS = ("encode", "base", "expand", "fetch")


@dataclass(frozen=True, slots=True)
class Answered:
    """A question of the data set and what the retriever returned for it."""

    query: Query
    hits: Hits

    @property
    def ranking(self) -> list[str]:
        """The ids of the passages, best first."""
        return [hit.passage.id for hit in self.hits]


def provide(
    gear: Gear,
    dataset: Dataset,
    *,
    on_problem: Callable[[Problem], None] = lambda _: None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> None:
    """Ingest the data set unless the database holds exactly it already; an interrupted ingest goes on.

    Raises:
        InputError: the database holds something else.
    """
    stamp = gear.store.dataset()
    if stamp == (dataset.name, dataset.fingerprint):
        return
    if (stamp is None or stamp[0] != dataset.name) and gear.counts().passages:
        raise InputError(
            f"the database {gear.database.name} holds other passages than the data set {dataset.name}: "
            "give it a database of its own (--database, or --name for a local server)"
        )
    gear.prepare()
    gear.store.record_dataset(dataset.name, fingerprint=None)
    gear.ingest([dataset.folder], on_problem=on_problem, on_progress=on_progress)
    gear.store.record_dataset(dataset.name, fingerprint=dataset.fingerprint)


def ask(
    retriever: Retriever, queries: Sequence[Query], *, k: int, on_done: Callable[[], None] = lambda: None
) -> list[Answered]:
    """Ask every question; the first is asked once more beforehand, so that no figure holds the time of loading."""
    retriever.retrieve(queries[0].question, k=k)
    answered = []
    for query in queries:
        answered.append(Answered(query, retriever.retrieve(query.question, k=k)))
        on_done()
    return answered


def summary(answered: Sequence[Answered], *, ks: Sequence[int]) -> dict[str, Any]:
    """Recall and share of questions with all gold found, in percent at each k, and the latency with its parts."""
    totals = [sum(one.hits.milliseconds.values()) for one in answered]
    parts = {part: [one.hits.milliseconds.get(part, 0.0) for one in answered] for part in PARTS}
    return {
        "recall": {
            str(k): round(100 * fmean(recall(one.ranking, one.query.gold, k=k) for one in answered), 2) for k in ks
        },
        "all_found": {
            str(k): round(100 * fmean(all_found(one.ranking, one.query.gold, k=k) for one in answered), 2) for k in ks
        },
        "latency_ms": _latency(totals) | {part: _latency(spent) for part, spent in parts.items()},
        "llm": {"calls": 0, "input_tokens": 0, "output_tokens": 0},
        "per_question": [_per_question(one, ks) for one in answered],
    }


def _latency(milliseconds: Sequence[float]) -> dict[str, Any]:
    return {"p50": round(percentile(milliseconds, 50), 2), "p95": round(percentile(milliseconds, 95), 2)}


def _per_question(one: Answered, ks: Sequence[int]) -> dict[str, Any]:
    return {
        "id": one.query.id,
        "question": one.query.question,
        "gold": list(one.query.gold),
        "retrieved": one.ranking,
        "recall": {str(k): round(100 * recall(one.ranking, one.query.gold, k=k), 2) for k in ks},
        "latency_ms": round(sum(one.hits.milliseconds.values()), 2),
        "paths": [str(path) for path in one.hits.paths[:3]],
    }
