"""One made corpus of a size: loaded, searched, walked, and compared with what others would do on the same graph.

Used by ``python -m benchmarks``; every function takes part in one run on one server, turn by turn.
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

from benchmarks.made import Asked, Made, WordVectors
from benchmarks.measure import peak_megabytes, spread, timed
from benchmarks.rivals.beams import one_query_a_beam
from benchmarks.rivals.pagerank import PageRank
from benchmarks.rivals.vector_cypher import VectorCypher
from gear_neo4j import Beam, Gear, Settings
from gear_neo4j.domain import Passage, Triple
from gear_neo4j.domain import Path as Walk
from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.store import ScoredTriple, Step, triple_of
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.retrieval.beam import beam_search
from gear_neo4j.retrieval.bm25 import BM25
from gear_neo4j.retrieval.expansion import POOL, Expanded, Expansion
from gear_neo4j.retrieval.question import Question

K = 10
BASE_K = 15
# So many questions whose paths meet no hub, and so many whose paths do.
WALKS = 60
SLOW_WALKS = 10
CLIENTS = (1, 4, 16)
EXACT = 10**9
Noted = dict[str, list[float]]
BUSIEST = Query(
    "busiest",
    "MATCH (e:Entity) WITH e, COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() } AS degree "
    "ORDER BY degree DESC LIMIT 40 RETURN e.name AS name, degree",
)
AT_HUB = Query(
    "at_hub",
    "MATCH (e:Entity {key: toLower($name)})<-[:SUBJECT|OBJECT]-(t:Triple) WITH t LIMIT 1 "
    "MATCH (t)-[:FROM]->(p) RETURN t.id AS id, t.subject AS subject, t.predicate AS predicate, t.object AS object, "
    "p.id AS passage",
    frozenset({"name"}),
)


def write_files(made: Made, folder: Path) -> None:
    """The corpus as the JSONL files that an ingest reads."""
    folder.mkdir(parents=True)
    with (folder / "corpus.jsonl").open("w") as passages, (folder / "triples.jsonl").open("w") as triples:
        for batch in track(made.batches(), "making", total=-(-made.passages // 100)):
            write_batch(batch, passages, triples)


def write_batch(
    batch: Sequence[tuple[Passage, Sequence[Triple]]], passages: TextIO, triples: TextIO, *, source: str | None = None
) -> None:
    """Passages and their triples as lines of JSON."""
    for passage, facts in batch:
        row = {"id": passage.id, "title": passage.title, "text": passage.text, "source": source}
        passages.write(json.dumps(row) + "\n")
        told = [[one.subject, one.predicate, one.object] for one in facts]
        triples.write(json.dumps({"id": passage.id, "triples": told}) + "\n")


def load(settings: Settings, folder: Path) -> dict[str, Any]:
    """Ingest the files, in a process of its own: seconds by stage, the rate at the start and at the end, memory."""
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


def _rate(one: tuple[float, int], other: tuple[float, int]) -> int:
    return round((other[1] - one[1]) / max(other[0] - one[0], 1e-9))


class Walks:
    """The start of the walk of each question: vectors, ids of base passages, start triples, whether they meet a hub."""

    def __init__(self, gear: Gear, asked: Sequence[Asked]) -> None:
        self.gear = gear
        self.beam = Beam()
        self.without: list[tuple[list[float], list[Walk]]] = []
        self.hubs: list[tuple[list[float], list[Walk]]] = []
        base = gear.retriever("base", base="hybrid")
        for one in track(asked, "walks"):
            if min(len(self.without), len(self.hubs)) >= WALKS:
                break
            vector = Question(one.question, embedder=gear.embedder).vector
            passages = [hit.passage.id for hit in base.retrieve(one.question, k=BASE_K)]
            start = gear.store.start_triples(passages, query=vector, limit=self.beam.width)
            kind = self.hubs if any(found.degree > self.beam.hub for found in start) else self.without
            if len(kind) < WALKS:
                kind.append((vector, beams_of(start, self.beam)))


def step(gear: Gear, beam: Beam, vector: list[float], paths: Sequence[Walk], *, hub: int) -> None:
    """One step as a search takes it: the probe for the pool, if a hub is met, and the expansion."""
    pool = gear.store.nearest_triples(vector, k=POOL) if hub else []
    weights = [beam.weight(place) for place in range(beam.width)]
    gear.store.expand(
        [[triple.id for triple in path.triples] for path in paths],
        scores=[path.score for path in paths],
        step=Step(query=vector, weights=weights, keep=beam.width, scoring="composed", hub=hub or EXACT),
        pool=pool,
    )


def beams_of(start: Sequence[ScoredTriple], beam: Beam) -> list[Walk]:
    """The paths of one triple each."""
    return beam_search(start, expand=lambda paths: [[] for _ in paths], beam=beam)


def expansion(gear: Gear, asked: Sequence[Asked]) -> dict[str, Any]:
    """One step of ten beams: ours without and with hubs, the worst start there is, and one query a beam."""
    walks = Walks(gear, asked)
    hub = walks.beam.hub
    found: dict[str, list[float]] = {name: [] for name in ("without_hub", "singly_without_hub", "hub", "singly_hub")}
    ratios: dict[str, list[float]] = {"without_hub": [], "hub": []}
    for name, kind in (("without_hub", walks.without), ("hub", walks.hubs)):
        limit = hub if name == "hub" else 0
        for number, (vector, paths) in enumerate(track(kind, f"expansion, {name}")):
            ours = min(timed(lambda: step(gear, walks.beam, vector, paths, hub=limit)) for _ in range(2))  # noqa: B023
            found[name].append(ours)
            if name == "without_hub" or number < SLOW_WALKS:
                theirs = timed(lambda: one_query_a_beam(gear.database, paths, vector, neighbours=walks.beam.neighbours))  # noqa: B023
                found[f"singly_{name}"].append(theirs)
                ratios[name].append(theirs / ours)
    worst = worst_start(gear, walks.beam)
    vector = asked_vector(gear, asked[0])
    hits = [timed(lambda: step(gear, walks.beam, vector, worst, hub=hub)) for _ in range(20)]
    return {
        **{name: spread(values) for name, values in found.items()},
        "ratio": {name: spread(values) for name, values in ratios.items()},
        "all_start_triples_at_the_largest_hubs": spread(hits),
        "limit": hub,
    }


def asked_vector(gear: Gear, one: Asked) -> list[float]:
    """The vector of a question."""
    return Question(one.question, embedder=gear.embedder).vector


def worst_start(gear: Gear, beam: Beam) -> list[Walk]:
    """Ten start triples, each at one of the ten busiest entities."""
    start = []
    for row in gear.database.run(BUSIEST)[: beam.width]:
        found = gear.database.run(AT_HUB, name=row["name"])[0]
        start.append(ScoredTriple(triple_of(found), 0.5, row["degree"]))
    return beams_of(start, beam)


def hub_recall(gear: Gear, asked: Sequence[Asked]) -> dict[str, Any]:
    """Of the best paths of exact expansion, the share that the bounded one finds; the same of their passages."""
    bounded = Expansion(gear.store, embedder=gear.embedder)
    exact = Expansion(gear.store, embedder=gear.embedder, beam=Beam(hub=EXACT))
    base = gear.retriever("base", base="hybrid")
    paths: list[float] = []
    passages: list[float] = []
    met = 0
    for one in track(asked, "hub recall"):
        start = [hit.passage.id for hit in base.retrieve(one.question, k=BASE_K)]
        ours = bounded.expand(Question(one.question, embedder=gear.embedder), passages=start)
        whole = exact.expand(Question(one.question, embedder=gear.embedder), passages=start)
        met += not ours.exact
        for shares, told in ((paths, _paths), (passages, _passages)):
            shares.append(_share(told(whole), told(ours)))
    counts = {"questions": len(paths), "that_met_a_hub": met}
    return counts | {"paths": round(fmean(paths), 4), "passages": round(fmean(passages), 4)}


def _paths(walked: Expanded) -> set[str]:
    return {str(path) for path in walked.paths}


def _passages(walked: Expanded) -> set[str]:
    return {id for path in walked.paths for id in path.passage_ids}


def _share(wanted: set[str], found: set[str]) -> float:
    return len(wanted & found) / len(wanted) if wanted else 1.0


def retrievers(gear: Gear, asked: Sequence[Asked]) -> dict[str, Any]:
    """Whole searches, turn by turn: ours, vector search with a two-hop query in Cypher, and PageRank in memory."""
    ours = {
        "naive over hybrid": gear.retriever("naive", base="hybrid"),
        "naive over sbert": gear.retriever("naive", base="sbert"),
        "sbert": gear.retriever("base", base="sbert"),
    }
    two_hop = {}
    if find_spec("neo4j_graphrag"):
        two_hop = {"VectorCypherRetriever": VectorCypher(gear), "the same, no hubs": VectorCypher(gear, hub=Beam().hub)}
    pagerank = PageRank(gear) if find_spec("igraph") else None
    times: Noted = {}
    recalls: Noted = {}
    for number, one in enumerate(track(asked, "searches")):
        for name, retriever in ours.items():
            started = time.perf_counter()
            ids = [hit.passage.id for hit in retriever.retrieve(one.question, k=K)]
            _note(times, recalls, name, started, ids, one)
        vector = asked_vector(gear, one)
        for name, rival in two_hop.items():
            if name != "VectorCypherRetriever" or number < SLOW_WALKS:
                started = time.perf_counter()
                _note(times, recalls, name, started, rival.search(vector, k=K), one)
        if pagerank and number < SLOW_WALKS * 2:
            started = time.perf_counter()
            _note(times, recalls, "PageRank in memory (igraph)", started, pagerank.search(vector, k=K), one)
    told: dict[str, Any] = {
        name: {"ms": spread(times[name]), "recall_at_10": round(100 * fmean(recalls[name]), 1)} for name in times
    }
    return told | ({"igraph": pagerank.told} if pagerank else {})


def _note(times: Noted, recalls: Noted, name: str, started: float, ids: list[str], one: Asked) -> None:
    times.setdefault(name, []).append(1_000 * (time.perf_counter() - started))
    recalls.setdefault(name, []).append(recall(ids, one.gold, k=K))


def keywords(gear: Gear, asked: Sequence[Asked]) -> dict[str, Any]:
    """rank-bm25 in memory against Neo4j's full-text index: time to build, memory, time a question, recall."""
    before, started = peak_megabytes(), time.perf_counter()
    index = BM25(gear.store.all_passages())
    built = time.perf_counter() - started
    fulltext = gear.retriever("base", base="fulltext")
    times: Noted = {}
    recalls: Noted = {}
    for one in track(asked, "keywords"):
        started = time.perf_counter()
        question = Question(one.question, embedder=gear.embedder)
        _note(times, recalls, "rank-bm25", started, [item.id for item in index.rank(question, k=K)], one)
        started = time.perf_counter()
        ids = [hit.passage.id for hit in fulltext.retrieve(one.question, k=K)]
        _note(times, recalls, "fulltext", started, ids, one)
    told = {name: {"ms": spread(times[name]), "recall_at_10": round(100 * fmean(recalls[name]), 1)} for name in times}
    return told | {"rank-bm25 built": {"seconds": round(built, 1), "mb": peak_megabytes() - before}}


def throughput(gear: Gear, asked: Sequence[Asked]) -> dict[str, Any]:
    """Searches a second with 1, 4 and 16 threads that search at once."""
    retriever = gear.retriever("naive", base="hybrid")
    found = {}
    for clients in CLIENTS:
        times: list[float] = []

        def one(question: str, times: list[float] = times) -> None:
            times.append(timed(lambda: retriever.retrieve(question, k=K)))

        questions = [asked[number % len(asked)].question for number in range(40 * clients if clients < 16 else 320)]
        started = time.perf_counter()
        with ThreadPoolExecutor(clients) as pool:
            list(pool.map(one, questions))
        found[str(clients)] = {
            "a_second": round(len(questions) / (time.perf_counter() - started), 1),
            "ms": spread(times),
        }
    return found
