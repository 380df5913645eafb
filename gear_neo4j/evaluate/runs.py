"""One evaluation run: ingest a data set, ask every question, and summarise the results."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from statistics import fmean
from typing import Any, TypeVar

from gear_neo4j.agents.agent import Agent
from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.ranking import after, final_ranking
from gear_neo4j.domain import Hits
from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.answers import exact_match, f1
from gear_neo4j.evaluate.datasets import Dataset, EvaluationQuery
from gear_neo4j.evaluate.journal import Journal, key_of
from gear_neo4j.evaluate.metrics import all_found, percentile, recall
from gear_neo4j.extraction.extractor import Rules
from gear_neo4j.gear import Gear
from gear_neo4j.graph.schema.record import RecordedDataset
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.usage import Usage

PARTS = ("encode", "base", "expand", "fetch")
# Recorded with the fingerprint of a data set once its synonyms are linked.
SYNONYMS = "+synonyms"
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The result of a retriever or an agent for one question of the data set.

    ``separate`` holds the rankings of separate runs by k, if the protocol has them.
    """

    query: EvaluationQuery
    hits: Hits
    answer: Answer | None = None
    separate: Mapping[int, Sequence[str]] = field(default_factory=dict)

    @property
    def ranking(self) -> list[str]:
        """The ids of the passages, best first."""
        return [hit.passage.id for hit in self.hits]

    def ranking_at(self, k: int) -> Sequence[str]:
        """The ids of the passages that recall at k is measured on."""
        return self.separate.get(k, self.ranking)

    @property
    def usage(self) -> Mapping[str, Usage]:
        """The usage by role of the language model."""
        return self.answer.usage if self.answer else self.hits.usage

    @property
    def milliseconds(self) -> float:
        """The latency."""
        return 1_000 * self.answer.seconds if self.answer else sum(self.hits.milliseconds.values())

    def ranking_after(self, steps: int) -> list[str]:
        """The ids of the passages had the agent stopped after this many steps."""
        if not self.answer:
            return self.ranking
        return [item.id for item in final_ranking(after(self.answer.trace, steps))]


def provide(
    gear: Gear,
    dataset: Dataset,
    *,
    synonyms: bool = False,
    on_problem: Callable[[Problem], None] = lambda _: None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> None:
    """Ingest the data set unless the database holds it; an interrupted ingest resumes.

    Args:
        synonyms: also link synonymous entities, once, which takes minutes; other retrievers do not see these edges.

    Raises:
        InputError: the database, or the collection, holds something else.
    """
    collection, store = dataset.collection, gear.graph.store
    linked = dataset.fingerprint + SYNONYMS
    recorded = store.dataset(collection=collection)
    whole = {RecordedDataset(dataset.name, linked)}
    if not synonyms:
        whole.add(RecordedDataset(dataset.name, dataset.fingerprint))
    is_taken = _is_taken(gear, collection)
    if recorded in whole and is_taken:
        return
    if (recorded is None or recorded.name != dataset.name) and is_taken:
        raise InputError(
            f"the database {gear.graph.name} holds other passages than the data set {dataset.name}: use a collection "
            "(--collection), or a separate database (--database, or --name for a local server)"
        )
    gear.corpus.prepare()
    store.record_dataset(dataset.name, fingerprint=None, collection=collection)
    by_rules = dataset.triples == "rules"
    gear.ingest(
        dataset.sources, extract=by_rules, collection=collection, on_problem=on_problem, on_progress=on_progress
    )
    if dataset.triples == "both":
        gear.corpus.extract(extractor=Rules.name, on_progress=lambda report: on_progress(report.progress))
    if synonyms:
        gear.corpus.link_synonyms(on_progress=on_progress)
    fingerprint = linked if synonyms else dataset.fingerprint
    store.record_dataset(dataset.name, fingerprint=fingerprint, collection=collection)


def _is_taken(gear: Gear, collection: str) -> bool:
    """Whether the collection holds passages; the default collection counts all passages of the database."""
    if collection == DEFAULT_COLLECTION:
        return gear.corpus.counts().passages > 0
    return collection in {known.name for known in gear.corpus.collections()}


def ask(
    retriever: Retriever,
    queries: Sequence[EvaluationQuery],
    *,
    k: int,
    journal: Journal[Hits] | None = None,
    warm_up: bool = True,
    on_done: Callable[[], None] = lambda: None,
) -> list[QueryResult]:
    """Ask every question that the journal has no result for, after a warm-up, so that latencies exclude loading.

    Args:
        warm_up: ask the first question once beforehand; False if every question costs money.
    """
    if warm_up:
        retriever.retrieve(queries[0].question, k=k)
    results = []
    for query in queries:
        results.append(QueryResult(query, _once(journal, query, partial(retriever.retrieve, query.question, k=k))))
        on_done()
    return results


def ask_agent(
    agent: Agent,
    queries: Sequence[EvaluationQuery],
    *,
    k: int,
    journal: Journal[Answer] | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> list[QueryResult]:
    """Ask an agent every question that the journal has no answer to."""
    results = []
    for query in queries:
        answer = _once(journal, query, partial(agent.ask, query.question, k=k))
        results.append(QueryResult(query, answer.hits, answer))
        on_done()
    return results


def _once(journal: Journal[Value] | None, query: EvaluationQuery, make: Callable[[], Value]) -> Value:
    return journal.result(key_of(query), make) if journal else make()


def summary(results: Sequence[QueryResult], *, ks: Sequence[int]) -> dict[str, Any]:
    """Recall and share of questions with all gold found, in percent at each k, and the latency with its parts."""
    totals = [result.milliseconds for result in results]
    parts = {part: [result.hits.milliseconds.get(part, 0.0) for result in results] for part in PARTS}
    return {
        "recall": {
            str(k): _percent(recall(result.ranking_at(k), result.query.gold, k=k) for result in results) for k in ks
        },
        "all_found": {
            str(k): _percent(all_found(result.ranking_at(k), result.query.gold, k=k) for result in results) for k in ks
        },
        "latency_ms": _latency(totals) | {part: _latency(spent) for part, spent in parts.items()},
        "llm": _llm(results),
        **(_steps(results, ks) if results[0].answer else {}),
        "per_question": [_per_question(result, ks) for result in results],
    }


def _percent(shares: Iterable[float]) -> float:
    return round(100 * fmean(shares), 2)


def _llm(results: Sequence[QueryResult]) -> dict[str, Any]:
    """Calls and tokens of the language model, in total and by role."""
    roles = list(dict.fromkeys(role for result in results for role in result.usage))
    spent = {role: sum((result.usage.get(role, Usage()) for result in results), Usage()) for role in roles}
    return asdict(sum(spent.values(), Usage())) | {"roles": {role: asdict(usage) for role, usage in spent.items()}}


def _steps(results: Sequence[QueryResult], ks: Sequence[int]) -> dict[str, Any]:
    """The steps per question, recall had the agent stopped after each step, and its stop reasons."""
    answers = [result.answer for result in results if result.answer]
    step_counts = [len(answer.trace.steps) for answer in answers]
    by_step = {
        str(step): {
            str(k): _percent(recall(result.ranking_after(step), result.query.gold, k=k) for result in results)
            for k in ks
        }
        for step in range(1, max(step_counts) + 1)
    }
    matches = [
        _matches(result.answer, result.query.answers) for result in results if result.answer and result.query.answers
    ]
    return {
        **{key: round(fmean(match[key] for match in matches), 2) for key in ("em", "f1") if matches},
        "steps": round(fmean(step_counts), 3),
        "seconds": _seconds(answers),
        "recall_by_step": by_step,
        "stop_reasons": dict(Counter(answer.stop_reason for answer in answers)),
    }


def _seconds(answers: Sequence[Answer]) -> dict[str, float]:
    """The seconds per question of each part of a step: of the database, and of each role of the model."""
    spent: dict[str, float] = {}
    for step in (step for answer in answers for step in answer.trace.steps):
        for part, milliseconds in step.milliseconds.items():
            spent[part] = spent.get(part, 0.0) + milliseconds
    return {part: round(total / 1_000 / len(answers), 3) for part, total in spent.items()}


def _latency(milliseconds: Sequence[float]) -> dict[str, Any]:
    return {"p50": round(percentile(milliseconds, 50), 2), "p95": round(percentile(milliseconds, 95), 2)}


def _per_question(result: QueryResult, ks: Sequence[int]) -> dict[str, Any]:
    return {
        "id": result.query.id,
        "question": result.query.question,
        "gold": list(result.query.gold),
        "hops": len(result.query.decomposition) or len(result.query.gold),
        "retrieved": result.ranking,
        "recall": {str(k): round(100 * recall(result.ranking_at(k), result.query.gold, k=k), 2) for k in ks},
        "latency_ms": round(result.milliseconds, 2),
        "llm": asdict(sum(result.usage.values(), Usage())),
        "paths": [str(path) for path in result.hits.paths[:3]],
        **(_answer(result.answer) if result.answer else {}),
        **(_matches(result.answer, result.query.answers) if result.answer and result.query.answers else {}),
    }


def _matches(answer: Answer, gold: Sequence[str]) -> dict[str, float]:
    return {"em": 100 * exact_match(answer.plain, gold), "f1": round(100 * f1(answer.plain, gold), 2)}


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "answer": answer.plain,
        "stop_reason": answer.stop_reason,
        "steps": [step.question for step in answer.trace.steps],
        "gist": [str(fact) for fact in answer.gist],
    }
