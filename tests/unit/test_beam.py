"""The beam search, compared with a deliberately naive implementation of GeAR's Algorithm 1, and the claims about it."""

import math
import random
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.domain import Path, Triple
from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.read.store import ScoredTriple
from gear_neo4j.retrieval.walk.beam import Beam, beam_search, passages_of
from tests.examples import examples


@dataclass
class Graph:
    """Triples between a few entities, with scores that depend on the whole path."""

    triples: list
    table: list

    def score(self, path):
        """The score of a path, pseudo-random and dependent on the order of its triples."""
        ranks = (1 + rank * int(triple.id[1:]) for rank, triple in enumerate(path, start=1))
        return self.table[sum(ranks) % len(self.table)]

    def start(self, limit=None):
        """All triples as start triples, in the database's order."""
        return ordered([ScoredTriple(triple, self.score([triple])) for triple in self.triples])[:limit]

    def neighbours(self, path, visited):
        """The unvisited triples that share an entity with a path's last one."""
        ends = {path[-1].subject, path[-1].object}
        return [t for t in self.triples if ends & {t.subject, t.object} and t.id not in visited]

    def expand(self, paths, limit=None):
        """The database's reply: each path's candidates, without the triples of any path, best first."""
        visited = {triple.id for path in paths for triple in path.triples}
        return [
            ordered(
                [
                    ScoredTriple(triple, self.score([*path.triples, triple]))
                    for triple in self.neighbours(path.triples, visited)
                ]
            )[:limit]
            for path in paths
        ]


def ordered(candidates):
    """The order of the database: by score, where scores below 0 count as 0, then by id."""
    return sorted(candidates, key=lambda candidate: (-max(0.0, candidate.score), candidate.triple.id))


EIGHTHS = st.integers(-8, 8)


@st.composite
def graphs(draw, scores=EIGHTHS):
    """A graph of up to nine triples; scores are eighths, so that many are equal."""
    ends = draw(st.lists(st.tuples(st.sampled_from("ABCDE"), st.sampled_from("ABCDE")), min_size=1, max_size=9))
    table = draw(st.lists(scores.map(lambda eighths: eighths / 8), min_size=1, max_size=12))
    ids = draw(st.permutations(range(len(ends))))
    triples = [Triple(f"t{id}", s, "p", o, f"passage {id}") for id, (s, o) in zip(ids, ends, strict=True)]
    return Graph(triples, table)


BEAMS = st.builds(
    Beam,
    width=st.integers(1, 6),
    length=st.integers(1, 4),
    gamma=st.none() | st.integers(1, 8),
    diverse=st.booleans(),
)
SEARCHES = settings(deadline=None, max_examples=examples(200))


def algorithm_1(graph, beam):
    """GeAR's Algorithm 1 step by step: (ids of the path, its score) for each beam at the end."""
    gamma = beam.gamma if beam.gamma is not None else 2 * beam.width

    def best(pool):
        return sorted(pool, key=lambda entry: (-entry[1], [triple.id for triple in entry[0]]))[: beam.width]

    beams = best([([triple], max(0.0, graph.score([triple]))) for triple in graph.triples])
    for _ in range(beam.length - 1):
        visited = {triple.id for path, _ in beams for triple in path}
        pool = []
        for path, total in beams:
            found = [(max(0.0, graph.score([*path, t])), t) for t in graph.neighbours(path, visited)]
            found.sort(key=lambda entry: (-entry[0], entry[1].id))
            for n, (similarity, triple) in enumerate(found[: beam.neighbours]):
                weight = math.exp(-min(n, gamma) / gamma) if beam.diverse else 1.0
                pool.append(([*path, triple], weight * (total + similarity)))
        if not pool:
            return beams
        beams = best(pool)
    return beams


def ids_of(paths):
    return [[triple.id for triple in path.triples] for path in paths]


def triple(id, subject, object):
    return Triple(id, subject, "p", object, f"passage of {id}")


@SEARCHES
@given(graphs(), BEAMS, st.integers(1, 6))
def test_any_search_finds_what_algorithm_1_finds(graph, beam, neighbours):
    """The same paths, order and scores as the naive implementation."""
    beam = Beam(width=beam.width, length=beam.length, gamma=beam.gamma, diverse=beam.diverse, neighbours=neighbours)
    expected = algorithm_1(graph, beam)

    actual = beam_search(graph.start(), expand=graph.expand, beam=beam)

    assert [[triple.id for triple in path] for path, _ in expected] == ids_of(actual)
    assert [pytest.approx(score) for _, score in expected] == [path.score for path in actual]


@SEARCHES
@given(graphs(), BEAMS, st.integers(0, 2**32))
def test_the_order_of_the_input_changes_nothing(graph, beam, seed):
    """Start triples and candidates in any order give the same paths."""
    shuffled = random.Random(seed)

    def in_any_order(found):
        return shuffled.sample(found, len(found))

    expected = beam_search(graph.start(), expand=graph.expand, beam=beam)

    actual = beam_search(
        in_any_order(graph.start()), expand=lambda paths: [in_any_order(c) for c in graph.expand(paths)], beam=beam
    )

    assert expected == actual


@SEARCHES
@given(graphs(scores=st.integers(0, 8)), BEAMS)
def test_each_paths_best_candidates_up_to_the_width_are_enough(graph, beam):
    """The claim of the expansion: limiting the database to ``width`` candidates per path changes nothing."""
    expected = beam_search(graph.start(), expand=graph.expand, beam=beam)

    actual = beam_search(graph.start(beam.width), expand=lambda paths: graph.expand(paths, beam.width), beam=beam)

    assert expected == actual


@SEARCHES
@given(graphs(scores=st.integers(-8, 2)), BEAMS)
def test_each_paths_best_candidates_up_to_the_width_are_enough_among_negative_ones(graph, beam):
    """The same if most similarities are below 0: the database ranks them as 0, and so does the search."""
    expected = beam_search(graph.start(), expand=graph.expand, beam=beam)

    actual = beam_search(graph.start(beam.width), expand=lambda paths: graph.expand(paths, beam.width), beam=beam)

    assert expected == actual


@SEARCHES
@given(graphs(), BEAMS)
def test_every_path_is_a_walk_without_repetition(graph, beam):
    """Adjacent triples share an entity, no triple is repeated, and no path or beam is too long."""
    paths = beam_search(graph.start(), expand=graph.expand, beam=beam)

    assert len(paths) <= beam.width
    for path in paths:
        pairs = zip(path.triples, path.triples[1:], strict=False)
        assert all({one.subject, one.object} & {two.subject, two.object} for one, two in pairs)
        assert len(path.triples) == len(set(path.triples)) == len(path.scores) <= beam.length


@SEARCHES
@given(graphs(), BEAMS)
def test_no_score_is_negative_or_above_the_sum_of_its_similarities(graph, beam):
    """The diversity weight never raises a score, not even one below 0."""
    paths = beam_search(graph.start(), expand=graph.expand, beam=beam)

    assert all(0 <= path.score <= sum(path.scores) + 1e-9 for path in paths)
    assert all(similarity >= 0 for path in paths for similarity in path.scores)


def test_the_diversity_weight_does_not_raise_a_negative_similarity():
    """-0.21 at rank 2, weighted by exp(-1), would be -0.08 and beat the -0.2 at rank 1."""
    start = [ScoredTriple(triple("s", "A", "B"), 0.0)]
    candidates = [ScoredTriple(triple("a", "B", "C"), -0.2), ScoredTriple(triple("b", "B", "D"), -0.21)]

    actual = beam_search(start, expand=lambda _: [candidates], beam=Beam(gamma=1))

    assert [["s", "a"], ["s", "b"]] == ids_of(actual)


def test_the_diversity_weight_lets_another_paths_first_candidate_pass():
    """Without diversity, two candidates of the better path come first; with it, one of each path."""
    starts = [ScoredTriple(triple("s1", "A", "B"), 0.9), ScoredTriple(triple("s2", "X", "Y"), 0.7)]
    found = [
        [ScoredTriple(triple("a", "B", "C"), 0.8), ScoredTriple(triple("b", "B", "D"), 0.8)],
        [ScoredTriple(triple("c", "Y", "Z"), 0.8)],
    ]

    def search(diverse):
        return ids_of(beam_search(starts, expand=lambda _: found, beam=Beam(width=2, diverse=diverse)))

    assert [["s1", "a"], ["s2", "c"]] == search(True)
    assert [["s1", "a"], ["s1", "b"]] == search(False)


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_a_chain_is_walked_to_the_length_asked_for(length):
    """Along A-B-C-D-E, the best path of length n is the first n triples."""
    chain = [triple(f"t{i}", "ABCD"[i], "BCDE"[i]) for i in range(4)]
    graph = Graph(chain, [0.5])

    actual = beam_search(graph.start()[:1], expand=graph.expand, beam=Beam(length=length))

    assert [[f"t{i}" for i in range(length)]] == ids_of(actual)
    assert 0.5 * length == pytest.approx(actual[0].score)


def test_paths_that_end_are_kept_where_no_path_goes_on():
    """Two triples without a common entity: the result is the start triples, ordered by score."""
    start = [ScoredTriple(triple("t1", "A", "B"), 0.2), ScoredTriple(triple("t2", "C", "D"), 0.4)]

    actual = beam_search(start, expand=lambda paths: [[] for _ in paths], beam=Beam(length=4))

    assert [["t2"], ["t1"]] == ids_of(actual)


def test_a_path_that_ends_is_dropped_where_another_goes_on():
    """As in Algorithm 1, the best start triple without a neighbour is replaced by a longer path."""
    start = [ScoredTriple(triple("t1", "A", "B"), 0.9), ScoredTriple(triple("t2", "C", "D"), 0.1)]
    found = {"t1": [], "t2": [ScoredTriple(triple("t3", "D", "E"), 0.1)]}

    actual = beam_search(start, expand=lambda paths: [found[path.triples[0].id] for path in paths])

    assert [["t2", "t3"]] == ids_of(actual)


def test_no_start_triple_means_no_path():
    """Base passages without triples are not an error, and the database is not queried."""
    assert [] == beam_search([], expand=lambda _: pytest.fail("asked for nothing"))


def test_passages_are_taken_breadth_first():
    """First those of all first triples, then of all second ones, each once; shorter paths just end."""
    one, two, three, four = (Triple(id, "s", "p", "o", f"p{id}") for id in "1234")
    again = Triple("5", "s", "p", "o", "p1")

    actual = passages_of([Path((one, two), 2.0), Path((three,), 1.5), Path((again, four, two), 1.0)])

    assert ["p1", "p3", "p2", "p4"] == actual


def test_no_paths_have_no_passages():
    """An empty list, not an error."""
    assert [] == passages_of([])


@pytest.mark.parametrize("name", ["width", "length", "neighbours", "gamma", "hub"])
@pytest.mark.parametrize("value", [0, -1])
def test_a_beam_of_numbers_below_one_is_refused(name, value):
    """The message names the number and its value."""
    with pytest.raises(SettingsError, match=f"{name} is {value}"):
        Beam(**{name: value})


@pytest.mark.parametrize(
    ("beam", "rank", "expected"),
    [
        (Beam(), 0, 1.0),
        (Beam(), 7, math.exp(-7 / 20)),
        (Beam(width=3), 5, math.exp(-5 / 6)),
        (Beam(gamma=4), 4, math.exp(-1)),
        (Beam(gamma=4), 400, math.exp(-1)),
        (Beam(diverse=False), 9, 1.0),
    ],
)
def test_the_weight_falls_to_one_over_e(beam, rank, expected):
    """exp(-min(n, gamma) / gamma), with gamma twice the width unless it is given."""
    assert expected == pytest.approx(beam.weight(rank))
