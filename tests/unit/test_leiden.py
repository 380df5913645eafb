"""Hierarchies of communities: each node once, none too large, deterministic, and close to the previous one."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.communities.leiden import clusters

pairs = st.tuples(st.integers(0, 40), st.integers(0, 40)).filter(lambda pair: pair[0] < pair[1])
graphs = st.dictionaries(pairs, st.floats(min_value=0.5, max_value=9), min_size=1, max_size=90)


def cliques(count, size):
    """Cliques in a ring, each connected to the next by one edge."""
    edges = {}
    for at in range(count):
        edges |= dict.fromkeys(combinations(range(at * size, (at + 1) * size), 2), 1.0)
        one, other = sorted((at * size, ((at + 1) % count) * size + 1))
        edges[one, other] = 1.0
    return edges


def walk(cluster):
    """A cluster and all clusters below it."""
    return [cluster, *(one for part in cluster.parts for one in walk(part))]


def leaves(roots):
    return [one for root in roots for one in walk(root) if not one.parts]


def test_cliques_are_communities():
    """Six of eight nodes each."""
    found = clusters(cliques(6, 8), most=10)
    assert [tuple(range(at, at + 8)) for at in range(0, 48, 8)] == sorted(one.nodes for one in found)
    assert {0} == {one.level for one in found}


def test_a_star_is_cut_although_it_has_no_parts():
    """Its hub is in one piece, and no piece is too large."""
    found = clusters({(0, at): 1.0 for at in range(1, 60)}, most=10)
    assert all(len(one.nodes) <= 10 for one in leaves(found))
    assert sorted(range(60)) == sorted(node for one in leaves(found) for node in one.nodes)


@settings(deadline=None)
@given(graphs, st.integers(3, 12))
def test_every_node_is_in_one_leaf_of_bounded_size_and_parts_make_up_the_whole(edges, most):
    """On each level; a second run gives the same."""
    found = clusters(edges, most=most)
    nodes = sorted({node for pair in edges for node in pair})
    assert nodes == sorted(node for root in found for node in root.nodes)
    assert nodes == sorted(node for one in leaves(found) for node in one.nodes)
    assert max(len(one.nodes) for one in leaves(found)) <= most
    for root in found:
        for one in walk(root):
            assert not one.parts or sorted(one.nodes) == sorted(node for part in one.parts for node in part.nodes)
            assert all(part.level == one.level + 1 for part in one.parts)
    assert found == clusters(dict(reversed(edges.items())), most=most)


@settings(deadline=None)
@given(graphs, st.integers(0, 40), st.integers(41, 60))
def test_what_was_together_stays_together_and_a_new_node_joins_a_neighbour(edges, neighbour, new):
    """The previous coarsest communities stay, although Leiden might now find others."""
    before = {node: index for index, root in enumerate(clusters(edges, most=10)) for node in root.nodes}
    more = edges | {(neighbour, new): 5.0}

    after = {node: index for index, root in enumerate(clusters(more, most=10, starting=before)) for node in root.nodes}

    assert all(after[one] == after[other] for one, other in combinations(before, 2) if before[one] == before[other])
    assert all(after[one] != after[other] for one, other in combinations(before, 2) if before[one] != before[other])
    assert after[new] == after[neighbour]
