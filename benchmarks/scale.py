"""One synthetic corpus: loading, searches and expansions, compared with alternatives on the same graph.

Used by ``python -m benchmarks``; every function runs in turn with others, in one run on one server.
"""

import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any, TextIO

from rich.progress import track

from benchmarks.made import SyntheticCorpus, TwoHopQuestion, WordVectors
from benchmarks.measure import peak_megabytes, spread, timed
from benchmarks.rivals.bm25 import RankBM25
from benchmarks.rivals.pagerank import PageRank
from benchmarks.rivals.vector_cypher import VectorCypher
from gear_neo4j import Base, Beam, Gear, Naive, Settings
from gear_neo4j.domain import Passage, Triple
from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.bm25 import BM25

K = 10
# Number of questions for slow systems.
SLOW = 10
CLIENTS = (1, 4, 16)
Samples = dict[str, list[float]]


def write_files(corpus: SyntheticCorpus, folder: Path) -> None:
    """The corpus as the JSONL files that an ingest reads."""
    folder.mkdir(parents=True)
    with (folder / "corpus.jsonl").open("w") as passages, (folder / "triples.jsonl").open("w") as triples:
        for batch in track(corpus.batches(), "making", total=-(-corpus.passages // 100)):
            write_batch(batch, passages, triples)


def write_batch(
    batch: Sequence[tuple[Passage, Sequence[Triple]]], passages: TextIO, triples: TextIO, *, source: str | None = None
) -> None:
    """Passages and their triples as lines of JSON."""
    for passage, facts in batch:
        row = {"id": passage.id, "title": passage.title, "text": passage.text, "source": source}
        passages.write(json.dumps(row) + "\n")
        rows = [[triple.subject, triple.predicate, triple.object] for triple in facts]
        triples.write(json.dumps({"id": passage.id, "triples": rows}) + "\n")


def load(settings: Settings, folder: Path) -> dict[str, Any]:
    """Ingest the files, in a separate process: seconds by stage, the rate at the start and at the end, memory."""
    started = time.perf_counter()
    reached: list[tuple[float, int]] = []
    ends: dict[str, float] = {}

    def note(progress: Progress) -> None:
        now = time.perf_counter() - started
        ends[progress.stage] = now
        if progress.stage == "triples":
            reached.append((now, progress.written))

    with Gear.connect(settings, embedder=WordVectors()) as gear:
        report = gear.ingest([folder], on_progress=note)
    written, passages, triples = report.triples_written, ends["passages"], ends["triples"]
    tenth = max(1, len(reached) // 10)
    return {
        "triples": written,
        "passages": report.passages_written,
        "seconds": {
            "passages": round(passages, 1),
            "triples": round(triples - passages, 1),
            "index": round(time.perf_counter() - started - triples, 1),
        },
        "a_second": {
            "triples_alone": round(written / (triples - passages)),
            "with_passages": round(written / triples),
            "with_index": round(written / (time.perf_counter() - started)),
            "first_tenth": _rate(reached[0], reached[tenth]),
            "last_tenth": _rate(reached[-1 - tenth], reached[-1]),
        },
        "client_mb": peak_megabytes(),
        "reached": [(round(at, 1), done) for at, done in reached[:: max(1, len(reached) // 100)]],
    }


def _rate(first: tuple[float, int], last: tuple[float, int]) -> int:
    return round((last[1] - first[1]) / max(last[0] - first[0], 1e-9))


def question_vector(gear: Gear, question: TwoHopQuestion) -> list[float]:
    """The vector of a question."""
    return Question(question.question, embedder=gear.embedder).vector


def retrievers(gear: Gear, questions: Sequence[TwoHopQuestion]) -> dict[str, Any]:
    """Whole searches, in turn: ours, vector search with a two-hop query in Cypher, and PageRank in memory."""
    ours = {
        "naive over hybrid": gear.retriever(Naive(base="hybrid")),
        "naive over sbert": gear.retriever(Naive(base="sbert")),
        "sbert": gear.retriever(Base(base="sbert")),
    }
    two_hop = {}
    if find_spec("neo4j_graphrag"):
        two_hop = {"VectorCypherRetriever": VectorCypher(gear), "the same, no hubs": VectorCypher(gear, hub=Beam().hub)}
    pagerank = PageRank(gear) if find_spec("igraph") else None
    times: Samples = {}
    recalls: Samples = {}
    for number, question in enumerate(track(questions, "searches")):
        for name, retriever in ours.items():
            started = time.perf_counter()
            ids = [hit.passage.id for hit in retriever.retrieve(question.question, k=K)]
            _note(times, recalls, name, started, ids, question)
        vector = question_vector(gear, question)
        for name, rival in two_hop.items():
            if name != "VectorCypherRetriever" or number < SLOW:
                started = time.perf_counter()
                _note(times, recalls, name, started, rival.search(vector, k=K), question)
        if pagerank and number < SLOW * 2:
            started = time.perf_counter()
            _note(times, recalls, "PageRank in memory (igraph)", started, pagerank.search(vector, k=K), question)
    results: dict[str, Any] = {
        name: {"ms": spread(times[name]), "recall_at_10": round(100 * fmean(recalls[name]), 1)} for name in times
    }
    return results | ({"igraph": pagerank.report} if pagerank else {})


def _note(
    times: Samples, recalls: Samples, name: str, started: float, ids: list[str], question: TwoHopQuestion
) -> None:
    times.setdefault(name, []).append(1_000 * (time.perf_counter() - started))
    recalls.setdefault(name, []).append(recall(ids, question.gold, k=K))


def keywords(gear: Gear, queries: Sequence[TwoHopQuestion]) -> dict[str, Any]:
    """BM25 in memory, ours and rank-bm25, and full text: seconds to build, memory, time per question, recall."""
    before, started = peak_megabytes(), time.perf_counter()
    index = BM25(gear.graph.store.all_passages())
    built, mb = time.perf_counter() - started, peak_megabytes() - before
    plain = RankBM25(gear.graph.store.all_passages())
    fulltext = gear.retriever(Base(base="fulltext"))
    times: Samples = {}
    recalls: Samples = {}
    for query in track(queries, "keywords"):
        started = time.perf_counter()
        question = Question(query.question, embedder=gear.embedder)
        _note(times, recalls, "bm25 in memory", started, [item.id for item in index.rank(question, k=K)], query)
        started = time.perf_counter()
        _note(times, recalls, "rank-bm25", started, plain.search(query.question, k=K), query)
        started = time.perf_counter()
        ids = [hit.passage.id for hit in fulltext.retrieve(query.question, k=K)]
        _note(times, recalls, "fulltext", started, ids, query)
    results = {
        name: {"ms": spread(times[name]), "recall_at_10": round(100 * fmean(recalls[name]), 1)} for name in times
    }
    return results | {"bm25 in memory built": {"seconds": round(built, 1), "mb": mb}}


def throughput(gear: Gear, questions: Sequence[TwoHopQuestion]) -> dict[str, Any]:
    """Searches per second with 1, 4 and 16 concurrent threads."""
    retriever = gear.retriever(Naive(base="hybrid"))
    results = {}
    for clients in CLIENTS:
        times: list[float] = []

        def search(question: str, times: list[float] = times) -> None:
            times.append(timed(lambda: retriever.retrieve(question, k=K)))

        texts = [questions[number % len(questions)].question for number in range(40 * clients if clients < 16 else 320)]
        started = time.perf_counter()
        with ThreadPoolExecutor(clients) as pool:
            list(pool.map(search, texts))
        results[str(clients)] = {
            "a_second": round(len(texts) / (time.perf_counter() - started), 1),
            "ms": spread(times),
        }
    return results
