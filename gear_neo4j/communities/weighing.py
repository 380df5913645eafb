"""The triples of a collection as a weighted graph: the passages that connect two nodes, and their readers."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.domain import entity_key
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.entities import first_name
from gear_neo4j.scope import reader_set

# More distinct sets of readers than this are replaced by one empty set.
MOST_SETS = 1_000
NOBODY = reader_set([""])
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class WeightedGraph:
    """The graph between nodes: passages and triples by pair; nodes are indexes in the order of their names.

    ``readers`` holds the sets of readers of a pair's triples, as texts; without any, everyone may read them.
    """

    ids: Sequence[str]
    keys: Sequence[str]
    passages: Mapping[Pair, frozenset[str]]
    triples: Mapping[Pair, tuple[str, ...]]
    readers: Mapping[Pair, frozenset[str]]

    def pairs_by_node(self) -> Mapping[int, Sequence[Pair]]:
        """The pairs of each node."""
        pairs: dict[int, list[Pair]] = defaultdict(list)
        for pair in self.triples:
            for node in pair:
                pairs[node].append(pair)
        return pairs


def weigh(graph: Graph, collection: str) -> WeightedGraph:
    """Read the triples of a collection that connect two nodes, in one stream."""
    record = graph.record()
    names: dict[str, str] = {}
    passages: dict[tuple[str, str], set[str]] = defaultdict(set)
    triples: dict[tuple[str, str], list[str]] = defaultdict(list)
    readers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in graph.communities.facts(collection, names=record.names if record else ()):
        (head, head_names), (tail, tail_names) = row["ends"]
        for id, parts in ((head, head_names), (tail, tail_names)):
            if id not in names:
                names[id] = entity_key(first_name(parts))
        ends = (head, tail) if head < tail else (tail, head)
        passages[ends].add(row["passage"])
        triples[ends].append(row["id"])
        if row["readers"]:
            readers[ends].add(reader_set(row["readers"]))
    ids = sorted(names, key=lambda id: (names[id], id))
    index = {id: number for number, id in enumerate(ids)}
    pairs = {ends: _pair(index, *ends) for ends in triples}
    return WeightedGraph(
        ids,
        [names[id] for id in ids],
        {pairs[ends]: frozenset(stating) for ends, stating in passages.items()},
        {pairs[ends]: tuple(sorted(facts)) for ends, facts in triples.items()},
        {pairs[ends]: frozenset(sets) for ends, sets in readers.items()},
    )


def bounded(sets: Iterable[str]) -> tuple[str, ...]:
    """Sets of readers, sorted; one empty set instead of more than 1,000."""
    ordered = tuple(sorted(sets))
    return ordered if len(ordered) <= MOST_SETS else (NOBODY,)


def _pair(index: Mapping[str, int], head: str, tail: str) -> Pair:
    first, second = sorted((index[head], index[tail]))
    return first, second
