"""Expansions, as in a search, and with one query per beam: the step alone, the whole, and the effect of hubs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Self

from rich.progress import track

from benchmarks.made import TwoHopQuestion
from benchmarks.measure import spread, timed
from benchmarks.rivals import beams
from gear_neo4j import Base, Beam, Gear
from gear_neo4j.domain import Path
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.read.store import ScoredTriple, Step, triple_of
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.walk.beam import beam_search
from gear_neo4j.retrieval.walk.expansion import POOL, Expansion, ExpansionResult

EXACT = 10**9
BASE_K = 15
# Maximum number of questions whose paths meet no hub, and of questions whose paths do.
WALKS = 60
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
# Milliseconds of the batched step and of one query per beam, and of the whole expansion in both ways.
Times = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Walk:
    """A question, its base passages, its initial beams of one triple each, and whether one is at a hub."""

    question: Question
    passages: Sequence[str]
    paths: Sequence[Path]
    beam: Beam
    hub: bool = False

    @classmethod
    def begin(cls, gear: Gear, text: str, *, passages: Sequence[str], beam: Beam) -> Self:
        """The walk of a question from its base passages."""
        question = Question(text, embedder=gear.embedder)
        start = gear.graph.store.start_triples(passages, query=question.vector, limit=beam.width)
        return cls(question, passages, beams_of(start, beam), beam, any(triple.degree > beam.hub for triple in start))


def beams_of(start: Sequence[ScoredTriple], beam: Beam) -> list[Path]:
    """The paths of one triple each."""
    return beam_search(start, expand=lambda paths: [[] for _ in paths], beam=beam)


def step(gear: Gear, walk: Walk, *, hub: bool) -> None:
    """One step as in a search: the look-up for the pool, if a hub is met, and the expansion."""
    vector, beam = walk.question.vector, walk.beam
    pool = gear.graph.store.nearest_triples(vector, k=POOL) if hub else []
    gear.graph.store.expand(
        [[triple.id for triple in path.triples] for path in walk.paths],
        scores=[path.score for path in walk.paths],
        step=ranking(vector, beam, hub=beam.hub if hub else EXACT),
        pool=pool,
    )


def ranking(vector: Sequence[float], beam: Beam, *, hub: int) -> Step:
    """The ranking of paths of two triples in a search."""
    weights = [beam.weight(index) for index in range(beam.width)]
    return Step(query=vector, weights=weights, keep=beam.width, scoring="composed", hub=hub)


def compare(gear: Gear, walk: Walk, *, hub: bool) -> Times:
    """A step and a whole expansion, ours and with one query per beam, in turn."""
    vector, beam = walk.question.vector, walk.beam
    ours = Expansion(gear.graph.store, embedder=gear.embedder, beam=beam if hub else Beam(hub=EXACT), score="composed")
    return (
        timed(lambda: step(gear, walk, hub=hub)),
        timed(lambda: beams.one_query_a_beam(gear.graph.database, walk.paths, vector, neighbours=beam.neighbours)),
        timed(lambda: ours.expand(walk.question, passages=walk.passages)),
        timed(lambda: beams.walk(gear.graph.database, walk.passages, vector, beam=beam)),
    )


def summary(times: Sequence[Times]) -> dict[str, Any]:
    """Each spread, and the ratios."""
    return {
        "step_ms": spread([sample[0] for sample in times]),
        "step_singly_ms": spread([sample[1] for sample in times]),
        "step_ratio": spread([sample[1] / sample[0] for sample in times]),
        "whole_ms": spread([sample[2] for sample in times]),
        "whole_singly_ms": spread([sample[3] for sample in times]),
        "whole_ratio": spread([sample[3] / sample[2] for sample in times]),
    }


def walks_of(gear: Gear, questions: Sequence[TwoHopQuestion]) -> tuple[list[Walk], list[Walk]]:
    """The walks of some questions: those without hubs, and those with hubs."""
    base = gear.retriever(Base(base="hybrid"))
    without: list[Walk] = []
    hubs: list[Walk] = []
    for question in track(questions, "walks"):
        if min(len(without), len(hubs)) >= WALKS:
            break
        passages = [hit.passage.id for hit in base.retrieve(question.question, k=BASE_K)]
        walk = Walk.begin(gear, question.question, passages=passages, beam=Beam())
        kind = hubs if walk.hub else without
        if len(kind) < WALKS:
            kind.append(walk)
    return without, hubs


def expansion(gear: Gear, questions: Sequence[TwoHopQuestion]) -> dict[str, Any]:
    """One step of ten beams and the whole expansion, without and with hubs; and a step from the worst start."""
    without, hubs = walks_of(gear, questions)
    results: dict[str, Any] = {}
    for name, walks in (("without_hub", without), ("hub", hubs)):
        # The second of two times, for both ways: then the data is in memory.
        times = ([compare(gear, walk, hub=walk.hub) for _ in range(2)][1] for walk in track(walks, name))
        results[name] = summary(list(times))
    worst = replace(without[0], paths=worst_start(gear, without[0].beam))
    hits = [timed(lambda: step(gear, worst, hub=True)) for _ in range(20)]
    return {**results, "all_start_triples_at_the_largest_hubs": spread(hits), "limit": worst.beam.hub}


def worst_start(gear: Gear, beam: Beam) -> list[Path]:
    """Ten start triples, each at one of the ten busiest entities."""
    start = []
    for row in gear.graph.database.run(BUSIEST)[: beam.width]:
        triple = triple_of(gear.graph.database.run(AT_HUB, name=row["name"])[0])
        start.append(ScoredTriple(triple, 0.5, row["degree"]))
    return beams_of(start, beam)


def hub_recall(gear: Gear, questions: Sequence[TwoHopQuestion]) -> dict[str, Any]:
    """The share of the best paths of exact expansion that the bounded one finds; the same for their passages."""
    bounded = Expansion(gear.graph.store, embedder=gear.embedder, beam=Beam(), score="composed")
    exact = Expansion(gear.graph.store, embedder=gear.embedder, beam=Beam(hub=EXACT), score="composed")
    base = gear.retriever(Base(base="hybrid"))
    paths: list[float] = []
    passages: list[float] = []
    met = 0
    for query in track(questions, "hub recall"):
        start = [hit.passage.id for hit in base.retrieve(query.question, k=BASE_K)]
        ours = bounded.expand(Question(query.question, embedder=gear.embedder), passages=start)
        whole = exact.expand(Question(query.question, embedder=gear.embedder), passages=start)
        met += not ours.exact
        for shares, parts in ((paths, _paths), (passages, _passages)):
            shares.append(_share(parts(whole), parts(ours)))
    counts = {"questions": len(paths), "that_met_a_hub": met}
    return counts | {"paths": round(fmean(paths), 4), "passages": round(fmean(passages), 4)}


def _paths(walked: ExpansionResult) -> set[str]:
    return {str(path) for path in walked.paths}


def _passages(walked: ExpansionResult) -> set[str]:
    return {id for path in walked.paths for id in path.passage_ids}


def _share(wanted: set[str], retrieved: set[str]) -> float:
    return len(wanted & retrieved) / len(wanted) if wanted else 1.0
