"""Runs patterns on the user's graph, for nodes with names and measures, or for one figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from gear_neo4j.domain import EntityHit, Figure
from gear_neo4j.graph.connection.database import Row
from gear_neo4j.graph.read.pattern_queries import PatternQueries
from gear_neo4j.retrieval.dictionary import Names
from gear_neo4j.retrieval.patterns.aggregation import LISTED, Aggregation
from gear_neo4j.retrieval.patterns.condition import is_name
from gear_neo4j.retrieval.patterns.cypher import MOST_ROWS, NO_ANCHORS, Anchors, Compiler, is_bounded
from gear_neo4j.retrieval.patterns.description import counted, description
from gear_neo4j.retrieval.patterns.pattern import Pattern
from gear_neo4j.retrieval.patterns.search import Candidate

# A name that more nodes share is left to the server.
FEW_NODES = 50
# Names whose nodes are kept: the patterns of a question share them.
KEPT = 64


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes of a pattern, not yet ranked; ``whole`` is False if there may be more."""

    hits: tuple[EntityHit, ...]
    whole: bool


class PatternRunner:
    """Runs the patterns of one version of a graph; each takes one round trip and times out after five seconds.

    Args:
        names: look up nodes by name, so that the server need not scan a label.
    """

    def __init__(self, queries: PatternQueries, *, compiler: Compiler, names: Names) -> None:
        self.queries = queries
        self.compiler = compiler
        self._nodes_named = lru_cache(KEPT)(names.nodes_named)

    def figure(self, candidate: Candidate, wanted: Aggregation) -> Figure:
        """One number over the nodes of a pattern.

        Raises:
            QueryTimeout: the server took too long.
        """
        pattern, target = candidate.pattern, candidate.target
        run = self.compiler.figure(pattern, target, wanted, anchors=self._anchors(pattern))
        value = self.queries.run(run)[0]["value"]
        return Figure(
            value,
            description(pattern, target, self.compiler.schema),
            self.compiler.figure(pattern, target, wanted),
            candidate.confidence,
            candidate.evidence.unused.phrases,
            candidate.understood,
            counted(pattern, target, wanted),
        )

    def nodes(self, candidate: Candidate, *, limit: int, wanted: Aggregation = LISTED) -> Nodes:
        """At most ``limit`` nodes of a pattern, ordered by their measure or by the number of matches.

        Nodes that the question itself names come last. Of *the largest*, only those that are equally large.

        Raises:
            QueryTimeout: the server took too long.
        """
        pattern, target = candidate.pattern, candidate.target
        compiler, anchors = self.compiler, self._anchors(pattern)
        rows = self.queries.run(compiler.run(pattern, target, limit=limit, aggregation=wanted, anchors=anchors))
        if wanted.order and wanted.limit is None and not wanted.picks:
            rows = [row for row in rows if row["measure"] == rows[0]["measure"]]
            limit = max(1, len(rows))
        cut = is_bounded(pattern) and _may_be_cut(rows, limit)
        # Which rows come first depends on the plan: for a cut result, the query is displayed as it was run.
        sought = anchors if cut else NO_ANCHORS
        shown = compiler.shown(pattern, target, limit=limit, aggregation=wanted, anchors=sought, bounded=cut)
        if not pattern.measures:
            given = {id for ids in anchors.values() for id in ids}
            rows = sorted(rows, key=lambda row: row["id"] in given)
        label, described = pattern.labels[target], description(pattern, target, self.compiler.schema)
        hits = (
            EntityHit(
                row["id"],
                compiler.called(label, row["name"]),
                tuple(row["labels"]),
                0,
                described,
                shown,
                row["value"],
                candidate.confidence,
                candidate.evidence.unused.phrases,
                candidate.understood,
            )
            for row in rows
        )
        return Nodes(tuple(hits), whole=len(rows) < limit and not cut)

    def _anchors(self, pattern: Pattern) -> Anchors:
        """The nodes that the names in a pattern may mean, unless a name has too many."""
        if not pattern.edges:
            # Only nodes in triples have names on record, and this node may be in none.
            return NO_ANCHORS
        anchors: dict[int, Sequence[str]] = {}
        for constraint in pattern.on_nodes:
            if is_name(constraint.condition, self.compiler.schema):
                texts = constraint.condition.texts
                ids = dict.fromkeys(id for text in texts for id in self._nodes_named(text))
                if 0 < len(ids) <= FEW_NODES:
                    anchors[constraint.index] = list(ids)
        return anchors


def _may_be_cut(rows: Sequence[Row], limit: int) -> bool:
    return len(rows) == limit or sum(row["ways"] for row in rows) >= MOST_ROWS
