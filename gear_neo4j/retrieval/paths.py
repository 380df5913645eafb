"""Retrieval by the paths of a knowledge graph: named entities, shortest paths, and nearby facts.

After S. Pal, "Using Knowledge Graphs to enhance Retrieval Augmented Generation" (2024): entities by dictionary, all
shortest paths of at most two hops, verbalised, beside the passages of a search. The nearby facts are our addition.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

from gear_neo4j.domain import EntityHit, Figure, Hits, Path, node_passage_id
from gear_neo4j.errors import QueryTimeout
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.neighbourhoods import ConnectingPath
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.recipes.recipe import RetrieverRecipe, option
from gear_neo4j.retrieval.dictionary import Match, Names
from gear_neo4j.retrieval.first_stage import FirstStage, FirstStageRecipe
from gear_neo4j.retrieval.patterns.confidence import SURE
from gear_neo4j.retrieval.patterns.finder import EntityResult, PatternFinder
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.fusion import fuse, ranked
from gear_neo4j.retrieval.retriever import BASE_K, fetch_hits
from gear_neo4j.retrieval.walk.expansion import ExpansionResult
from gear_neo4j.retrieval.walk.walk import Walk, choose, walk
from gear_neo4j.text.display import Displayed

MOST_HOPS = 4


class Paths(RetrieverRecipe):
    """The nodes that a question names, the shortest paths between them, and the facts around them.

    Facts around the nodes fill up the paths to at least ``facts`` triples, if the graph has that many.

    Raises:
        SettingsError: a number is out of its range.
    """

    name: ClassVar[str] = "paths"
    base: FirstStageRecipe = option(
        "hybrid", "first stage for the passages beside the paths: a ranker, or any retriever"
    )
    base_k: int = option(BASE_K, "minimum number of passages from the first stage", least=1)
    entities: int = option(8, "maximum number of nodes to recognise in the question", least=1)
    hops: int = option(2, "maximum length of a path between two named nodes, in triples", least=1, most=MOST_HOPS)
    pair_paths: int = option(10, "maximum number of paths between two named nodes", least=1)
    max_paths: int = option(60, "maximum number of paths in all", least=1)
    answers: int = option(20, "maximum number of entities from patterns, over an adopted graph", least=1)
    weight: float = option(1.0, "weight of the passages on the paths beside those of the first stage", least=0, most=1)
    facts: int = option(20, "minimum number of triples, filled up with facts around the nodes", least=0)
    walk: Walk = option(Walk(), "how the facts around the nodes are chosen")


@dataclass(frozen=True, slots=True)
class PathResult(Displayed):
    """The names of a question that the graph has, and the paths, best first.

    The first ``connecting`` paths connect two of the names; the others are facts around them.
    ``nodes``, ``figure`` and ``doubt`` become the fields ``entities``, ``figure`` and ``doubt`` of :class:`Hits`.
    """

    matches: tuple[Match, ...] = ()
    paths: tuple[Path, ...] = ()
    exact: bool = True
    nodes: tuple[EntityHit, ...] = ()
    figure: Figure | None = None
    doubt: str = ""
    connecting: int = 0


class PathRetriever:
    """Finds paths between the entities that a question names, and passages by these paths and by a base retriever."""

    def __init__(
        self,
        graph: Graph,
        *,
        base: FirstStage,
        finder: PatternFinder,
        embedder: Embedder,
        options: Paths = Paths(),
    ) -> None:
        self._store = graph.store
        self._base = base
        self._names = Names(graph.lexicon)
        self._finder = finder
        self._neighbourhoods = graph.neighbourhoods
        self._export = graph.pagerank
        self._embedder = embedder
        self._options = options

    def retrieve(self, question: str, *, k: int = 10) -> Hits:
        """At most k passages, best first, the paths, and the entities that patterns find.

        At most nine round trips, three if nothing is named, plus one for each pattern that is run.
        """
        query = Question(question, k=k, embedder=self._embedder)
        base = self._base.rank(query, k=max(k, self._options.base_k))
        result = self.explore(query)
        passages = dict.fromkeys(id for path in result.paths for id in path.passage_ids)
        described = [(node_passage_id(entity.id), entity.confidence) for entity in result.nodes]
        lists = {"entities": ranked("entities", described), "graph": ranked("graph", [(id, 0.0) for id in passages])}
        # Not every node has a passage: items beyond k replace those without one.
        weights = {"graph": Fraction(self._options.weight)}
        fused = fuse({**lists, self._base.name: base}, weights=weights)[: k + len(described)]
        expansion = ExpansionResult(result.paths, result.exact)
        hits = fetch_hits(self._store, query, fused, name=f"paths over {self._base.name}", expansion=expansion)
        return replace(hits, hits=hits.hits[:k], entities=result.nodes, figure=result.figure, doubt=result.doubt)

    def explore(self, question: Question) -> PathResult:
        """The nodes that answer a question and the paths between those that it names, without passages."""
        with question.timed("patterns"):
            answer = self._finder.find(question.text, most=self._options.answers)
        result = self.connect(question, walk=self._shortened(answer), text=answer.corrected)
        exact = result.exact and answer.exact
        return replace(result, exact=exact, nodes=answer.entities, figure=answer.figure, doubt=answer.doubt)

    def _shortened(self, answer: EntityResult) -> Walk:
        """A shorter walk if patterns have found nodes: it then need not find the answer.

        On the even questions of four graphs, a third step finds nothing more (docs/paths.md).
        """
        options = self._options.walk
        if not answer.entities:
            return options
        most = 1 if answer.confidence >= SURE else 2
        return options.model_copy(update={"steps": min(options.steps, most)})

    def connect(self, question: Question, *, walk: Walk | None = None, text: str = "") -> PathResult:
        """The entities that the question names, the paths between them, then facts around them by a walk.

        ``text`` is the question without typos in its names, if it has some.
        Without named entities there are no paths. There are none after a timeout, either: the result is not ``exact``.
        """
        with question.timed("link"):
            matches = self._link_names(text or question.text)
        groups = [match.nodes for match in matches]
        if not groups:
            return PathResult()
        with question.timed("expand"):
            try:
                between = self._between(question, groups)
                around, exact = self._around(question, groups, known=between, options=walk or self._options.walk)
            except QueryTimeout:
                return PathResult(tuple(matches), (), exact=False)
        return PathResult(tuple(matches), (*between, *around), exact, connecting=len(between))

    def _link_names(self, text: str) -> list[Match]:
        """The names in a question, limited to ``entities`` nodes: the nodes of later names are dropped first."""
        remaining = self._options.entities
        matches: list[Match] = []
        for match in self._names.find(text):
            nodes = match.nodes[:remaining]
            remaining -= len(nodes)
            if nodes and all(nodes != other.nodes for other in matches):
                matches.append(replace(match, nodes=nodes))
        return matches

    def _between(self, question: Question, groups: Sequence[Sequence[str]]) -> list[Path]:
        """The shortest paths between nodes of different names: fewer hops, then lower rank, then nearer."""
        pairs = [
            (start, end) for left, right in combinations(groups, 2) for start in left for end in right if start != end
        ]
        options = self._options
        connections = self._neighbourhoods.between(
            pairs, query=question.vector, hops=options.hops, most=options.pair_paths
        )
        ordered = sorted(connections, key=_order)
        return list(dict.fromkeys(connection.path for connection in ordered))[: options.max_paths]

    def _around(
        self, question: Question, groups: Sequence[Sequence[str]], *, known: Sequence[Path], options: Walk
    ) -> tuple[list[Path], bool]:
        """Facts around the named nodes, as paths of one triple; if they are too few, those nearest to the question."""
        known_ids = {triple.id for path in known for triple in path.triples}
        missing = max(0, self._options.facts - len(known_ids))
        if not missing:
            return [], True
        nodes = [node for group in groups for node in group]
        walked = walk(self._neighbourhoods, nodes, query=question.vector, options=options)
        chosen = choose(walked.facts.values(), groups, k=missing + len(known_ids), options=options)
        facts = [fact.path for fact in chosen if fact.triple.id not in known_ids]
        known_ids |= {path.triples[0].id for path in facts}
        if len(facts) < missing:
            seeds = self._export.seeds(question.vector, k=self._options.facts)
            facts += [seed.path for seed in seeds if seed.triple.id not in known_ids]
        return facts[:missing], walked.exact


def _order(connection: ConnectingPath) -> tuple[int, float, float, tuple[str, ...]]:
    return (
        len(connection.path.triples),
        connection.rank,
        -connection.path.score,
        tuple(triple.id for triple in connection.path.triples),
    )
