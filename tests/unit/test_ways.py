"""The most probable ways of a walk: equal to the best of all ways where these can be listed."""

import math
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.domain import Triple
from gear_neo4j.graph.read.adjacency import Adjacency, NodeEdges
from gear_neo4j.graph.read.store import ScoredTriple
from gear_neo4j.retrieval.walk.local_pagerank import LocalGraph
from gear_neo4j.retrieval.walk.ways import MOST_EQUAL, best_ways, paths_along
from tests.examples import examples

NODES = ["p0", "p1", "p2", "e0", "e1", "e2"]
PAIRS = [(one, other) for one in NODES for other in NODES[3:] if one < other or one.startswith("p")]


@st.composite
def graphs(draw):
    """A graph of three passages and three entities, with weights; and the weights of some seeds."""
    weights = {pair: draw(st.sampled_from([0, 0, 1, 2, 3])) for pair in PAIRS}
    seeds = draw(st.dictionaries(st.sampled_from(NODES), st.sampled_from([0.0, 0.1, 1.0]), max_size=4))
    return {pair: weight for pair, weight in weights.items() if weight}, seeds


def local(weights):
    """The graph as a walk has read it."""
    graph, near = LocalGraph(), {node: {} for node in NODES}
    for (one, other), weight in weights.items():
        near[one][other] = near[other][one] = weight
    of = {
        node: NodeEdges(
            {id: weight for id, weight in ends.items() if id.startswith("p")},
            {id: weight for id, weight in ends.items() if id.startswith("e")},
            sum(ends.values()),
        )
        for node, ends in near.items()
    }
    is_passage = {node: node.startswith("p") for node in NODES}
    graph.add(
        Adjacency(
            {node: edges for node, edges in of.items() if is_passage[node]},
            {node: edges for node, edges in of.items() if not is_passage[node]},
        )
    )
    indexes = {node: graph.passage(node) if is_passage[node] else graph.entity(node) for node in NODES}
    shares = {(one, other): weight / of[one].weight for one in near for other, weight in near[one].items()}
    return graph, indexes, shares


def probability(way, shares, seeds, damping):
    steps = [damping * shares.get(pair, 0.0) for pair in pairwise(way)]
    return math.prod(steps) * seeds.get(way[0], 0.0) / sum(seeds.values())


@given(graphs(), st.sampled_from([0.1, 0.6, 0.9]))
@settings(max_examples=examples(150), deadline=None)
def test_no_way_is_more_probable(drawn, damping):
    """Of all ways without a node twice, from a seed other than the target."""
    weights, seeds = drawn
    graph, indexes, shares = local(weights)

    found = best_ways(
        graph, {indexes[id]: weight for id, weight in seeds.items()}, indexes.values(), damping=damping, longest=9
    )

    names = {index: id for id, index in indexes.items()}
    for target in NODES:
        ways = [
            way
            for length in range(1, len(NODES))
            for start in permutations([node for node in NODES if node != target], length)
            if seeds.get((way := (*start, target))[0]) and all(pair in shares for pair in pairwise(way))
        ]
        best = max((probability(way, shares, seeds, damping) for way in ways), default=0.0)
        shown = [tuple(names[index] for index in way) for way in found.get(indexes[target], [])]
        # A seed is reached from the others: its own weight does not count.
        others = {id: weight for id, weight in seeds.items() if id != target}
        scale = sum(others.values()) / sum(seeds.values()) if others and sum(others.values()) else 1.0
        assert (best > 0) == bool(shown)
        equal = {way for way in ways if best and best == pytest.approx(probability(way, shares, seeds, damping))}
        assert min(len(equal), MOST_EQUAL) <= len(shown) == len(set(shown)) <= MOST_EQUAL
        for way in shown:
            assert way[-1] == target
            assert way[0] != target
            assert best == pytest.approx(scale * probability(way, shares, others, damping))


@given(st.permutations(["e0", "e1", "e2"]))
def test_of_equally_probable_ways_the_nearest_to_the_question_is_taken(order):
    """In whichever order the server returned the edges, and whatever ids it gave to the entities."""
    graph, indexes, _ = local({(passage, entity): 1 for passage in ("p0", "p1") for entity in order})
    ways = best_ways(graph, {indexes["p1"]: 1.0}, [indexes["p0"]], damping=0.5)[indexes["p0"]]
    nodes = [[graph.nodes[index] for index in way] for way in ways]

    (path,) = paths_along([nodes], edges=Behind(), query=[], pool=[])

    assert {("p1", entity, "p0") for entity in order} == {tuple(id for _, id in way) for way in nodes}
    assert ["p1 e1", "e1 p0"] == [triple.id for triple in path.triples]


class Behind:
    """The triples behind edges, of which those of e1 are nearest to every query."""

    def triples(self, edges, *, query):
        ids = [f"{one} {other}" for (_, one), (_, other) in edges]
        return [[ScoredTriple(Triple(id, "a", "b", "c", "p0"), 0.9 if "e1" in id else 0.1)] for id in ids]


def test_without_seeds_or_without_steps_there_is_no_way():
    """Nothing is reached."""
    graph, indexes, _ = local({("p0", "e0"): 1})

    assert {} == best_ways(graph, {}, [indexes["p0"]], damping=0.5)
    assert {} == best_ways(graph, {indexes["e0"]: 1.0}, [indexes["p0"]], damping=0)
    assert {} == best_ways(graph, {indexes["e0"]: 1.0}, [], damping=0.5)


def test_a_name_that_the_passage_lacks_is_joined_to_it():
    """Although the passage itself has the more probable name; a way that is too long joins nothing."""
    weights = {("p0", "e0"): 3, ("p0", "e1"): 1, ("e1", "e2"): 1}
    graph, indexes, _ = local(weights)
    seeds = {indexes["e0"]: 1.0, indexes["e2"]: 1.0}

    def way(**given):
        found = best_ways(graph, seeds, [indexes["p0"]], damping=0.5, **given)
        return [[graph.nodes[index][1] for index in way] for way in found.get(indexes["p0"], [])]

    assert [["e0", "p0"]] == way()
    assert [["e2", "e1", "p0"]] == way(names=list(seeds))
    assert [["e0", "p0"]] == way(names=list(seeds), longest=1)
    assert [] == way(longest=0)
