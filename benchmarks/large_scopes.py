"""Scopes in a large graph: ``python -m benchmarks.large_scopes [--passages 150000] [--keep]``.

The corpus of ``large_scout`` (``--keep`` uses the server that it kept, and keeps it), with its passages in collections
of half, a twentieth and a thousandth of the corpus, and of ten passages. A collection contains whole topics, whose
passages are similar, so it is not spread evenly. Every question is asked in each scope and without one, system by
system in turn. Recall is that of the scope's ten passages nearest to the question, by exact cosine. Prints a table and
writes docs/benchmarks/large_scopes-VERSION.json; absolute times are for this machine only.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.large_scout import chosen, loaded_server
from benchmarks.made import TOPIC, SyntheticCorpus, WordVectors, mixed
from benchmarks.measure import in_own_process, machine, spread, timed
from benchmarks.rivals.filtered import Search, rivals
from benchmarks.searches import time_search
from gear_neo4j import Base, Gear, Naive, Scout, Settings
from gear_neo4j.graph.queries import Query
from gear_neo4j.models.embeddings import Vectors
from gear_neo4j.retrieval.retriever import Retriever

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks"
EVERYTHING = "no scope"
# Topics per thousand.
SHARES = {"half": 500, "twentieth": 50, "thousandth": 1}
TEN = "ten passages"
REST = "rest"
COLLECTIONS = (*SHARES, TEN)
QUESTIONS = 100
K = 10
A_BATCH = 2_000
STAMP = Query(
    "stamp",
    "UNWIND $ids AS id MATCH (p:Passage {id: id}) SET p.collection = $collection "
    "WITH p MATCH (p)<-[:FROM]-(t:Triple) SET t.collection = $collection",
    frozenset({"ids", "collection"}),
    writes=True,
    timeout=0,
)
SYSTEMS = {"sbert": Base(base="sbert"), "naive": Naive(base="sbert"), "scout": Scout()}


def collection_of(number: int) -> str:
    """The collection of a passage, by its number."""
    index = mixed(number // TOPIC, 11) % 1_000
    bound = 0
    for name, share in SHARES.items():
        bound += share
        if index < bound:
            return name
    return REST


def members(corpus: SyntheticCorpus) -> dict[str, list[int]]:
    """The numbers of the passages of each collection; the ten are from one topic of the rest."""
    numbers: dict[str, list[int]] = {name: [] for name in (*SHARES, REST)}
    for number in range(corpus.passages):
        numbers[collection_of(number)].append(number)
    return numbers | {TEN: numbers[REST][:10], REST: numbers[REST][10:]}


def stamp(settings: Settings, corpus: SyntheticCorpus) -> None:
    """Put the passages and their triples into their collections."""
    with Gear.connect(settings, embedder=WordVectors()) as gear:
        for name, numbers in members(corpus).items():
            ids = iter([f"made-{corpus.seed}-{number:07}" for number in numbers])
            batches = iter(lambda: list(islice(ids, A_BATCH)), [])  # noqa: B023
            for batch in track(batches, name, total=-(-len(numbers) // A_BATCH)):
                gear.graph.database.run(STAMP, ids=batch, collection=name)
        # Cached data of a scope is stale.
        gear.graph.store.record_dataset("large_scopes", fingerprint=None)


def vectors(corpus: SyntheticCorpus, numbers: Sequence[int]) -> tuple[list[str], Vectors]:
    """The ids and vectors of some passages."""
    wanted, embedder = set(numbers), WordVectors()
    passages = [
        passage for batch in corpus.batches() for passage, _ in batch if int(passage.id.rpartition("-")[2]) in wanted
    ]
    return [passage.id for passage in passages], embedder.embed([passage.content for passage in passages])


def nearest(ids: Sequence[str], of: Vectors, question: Vectors) -> set[str]:
    """The ids of the ten passages with the highest cosines."""
    cosines = of @ question
    return {ids[index] for index in np.argsort(-cosines, kind="stable")[:K]}


def systems(gear: Gear, scope: str | None) -> dict[str, Retriever]:
    """The measured retrievers, in a scope."""
    view = gear if scope is None else gear.scoped(collections=[scope])
    return {name: view.retriever(recipe) for name, recipe in SYSTEMS.items()}


def measure(settings: Settings, corpus: SyntheticCorpus) -> dict[str, Any]:
    """Every question in every scope, in two rounds; the second counts, and the times of the first are also reported."""
    questions = [question.question for question in corpus.questions(QUESTIONS)]
    encoded = WordVectors().embed(questions)
    # In a small corpus, the smallest collections are empty.
    numbers = {name: indexes for name, indexes in members(corpus).items() if indexes}
    collections = [name for name in COLLECTIONS if name in numbers]
    truth = {}
    for name in collections:
        ids, of = vectors(corpus, numbers[name])
        truth[name] = [nearest(ids, of, question) for question in encoded]
    with Gear.connect(settings, embedder=WordVectors()) as gear:
        scopes: dict[str, dict[str, Retriever]] = {name: systems(gear, name) for name in collections}
        scopes = {EVERYTHING: systems(gear, None), **scopes}
        others = rivals(gear, k=K)
        cold, *_ = _round(questions, encoded, scopes, others, truth, shown="first round")
        times, recalls, exact = _round(questions, encoded, scopes, others, truth, shown="second round")
        return {
            "questions": len(questions),
            "passages": {name: len(numbers[name]) for name in collections},
            "scopes": {
                scope: {
                    name: {
                        "ms": spread(spent),
                        "first_round_ms": spread(cold[scope][name]),
                        "recall_at_10": _percent(recalls[scope][name]),
                        "exact": _percent(exact[scope][name]),
                    }
                    for name, spent in of.items()
                }
                for scope, of in times.items()
            },
            "machine": machine(gear.graph.version),
        }


def _percent(shares: Sequence[float]) -> float | None:
    return round(100 * fmean(shares), 1) if shares else None


Figures = dict[str, dict[str, list[float]]]


def _round(
    questions: Sequence[str],
    encoded: Vectors,
    scopes: dict[str, dict[str, Retriever]],
    others: Mapping[str, Search],
    truth: dict[str, list[set[str]]],
    *,
    shown: str,
) -> tuple[Figures, Figures, Figures]:
    """Times, recall and shares of exact answers, by scope and system."""
    names = [*SYSTEMS, *others]
    times, recalls, exact = (_empty(scopes, names) for _ in range(3))
    for index, question in enumerate(track(questions, shown)):
        for scope, retrievers in scopes.items():
            for name, retriever in retrievers.items():
                timing = time_search(retriever, question, k=K)
                times[scope][name].append(timing.total)
                exact[scope][name].append(float(timing.hits.exact))
                if scope != EVERYTHING and name == "sbert":
                    recalls[scope][name].append(_share([hit.passage.id for hit in timing.hits], truth[scope][index]))
            for name, search in others.items() if scope != EVERYTHING else ():
                ids: list[str] = []
                vector = encoded[index].tolist()
                times[scope][name].append(timed(lambda: ids.extend(search(question, vector, scope))))  # noqa: B023
                recalls[scope][name].append(_share(ids, truth[scope][index]))
    return times, recalls, exact


def _empty(scopes: Iterable[str], names: Iterable[str]) -> Figures:
    return {scope: {name: [] for name in names} for scope in scopes}


def _share(ids: Sequence[str], wanted: set[str]) -> float:
    return len(wanted & set(ids)) / len(wanted)


def rows(results: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """The table's rows: scope, system, p50, p95, the ratio to the time without a scope, recall."""
    plain = results["scopes"][EVERYTHING]
    for scope, of in results["scopes"].items():
        size = f" ({results['passages'][scope]:,})" if scope in results["passages"] else ""
        for name, figures in of.items():
            ms = figures["ms"]
            if ms["count"]:
                base = plain[name]["ms"].get("median")
                times = f"{ms['median'] / base:.2f}" if base else ""
                recall = "" if figures["recall_at_10"] is None else f"{figures['recall_at_10']:.1f}"
                yield scope + size, name, f"{ms['median']:.1f}", f"{ms['p95']:.1f}", times, recall


def main() -> None:
    """Load, stamp, ask, print, write."""
    settings, corpus, keep = chosen("large_scopes", description=__doc__)
    with loaded_server(settings, corpus, keep=keep):
        in_own_process(stamp, settings, corpus).result()
        results: dict[str, Any] = in_own_process(measure, settings, corpus).result()
    version = results["machine"]["neo4j"]
    (RESULTS / f"large_scopes-{version}.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    view = Table(title=f"{corpus.triples:,} triples, Neo4j {version}", box=None, header_style="bold")
    for column in ("scope", "system", "p50 ms", "p95", "times unscoped", "recall of the ten nearest"):
        view.add_column(column, justify="left" if column in ("scope", "system") else "right")
    for row in rows(results):
        view.add_row(*row)
    Console().print(view)


if __name__ == "__main__":
    main()
