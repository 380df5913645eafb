"""The rankers of one database; those with the corpus in memory are cached until the graph changes."""

import json
from collections.abc import Callable
from pathlib import Path

from gear_neo4j.domain import digest
from gear_neo4j.errors import ScopeRefusal
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.pagerank_queries import Version
from gear_neo4j.graph.read.versioned import Versioned
from gear_neo4j.retrieval.rank.bm25 import BM25
from gear_neo4j.retrieval.rank.colbert import ColBERT, PyLateEncoder
from gear_neo4j.retrieval.rank.rankers import BaseName, Fulltext, Hybrid, Ranker, Sbert, Weighted

# The in-memory index takes 5 ms a question for every 1,000 passages; Neo4j's own index is faster from 2,000 on. Up to
# this limit the in-memory index is still the smaller part of a search.
BM25_LIMIT = 5_000
# Seconds until a write by another process is noticed: a query each time would take a tenth of a search.
RECHECK = 1.0


class RankerCache:
    """The rankers over one database by name; threads may share it.

    Args:
        home: the folder for ColBERT's index.
    """

    def __init__(self, graph: Graph, *, home: Path) -> None:
        self._graph = graph
        self._home = home
        self._bm25 = self._versioned(lambda _: BM25(graph.store.all_passages()))
        self._kept: dict[BaseName, Versioned[Ranker]] = {
            "bm25": self._bm25,
            "colbert": self._versioned(lambda _: self._colbert()),
            "hybrid": self._versioned(self._hybrid),
        }

    def ranker(self, name: BaseName) -> Ranker:
        """The ranker with a name, for the corpus at most a second ago."""
        match name:
            case "fulltext":
                self._require_fulltext(name)
                return Fulltext()
            case "sbert":
                return Sbert()
            case "weighted":
                self._require_fulltext(name)
                return Weighted()
            case _:
                return self._kept[name].current()

    def invalidate(self) -> None:
        """Check for changes before the next search: this process has just written."""
        for ranker in self._kept.values():
            ranker.invalidate()

    def _versioned(self, make: Callable[[Version], Ranker]) -> Versioned[Ranker]:
        return Versioned(make, version=self._graph.pagerank.version, recheck=RECHECK)

    def _hybrid(self, version: Version) -> Ranker:
        # At the same version: an index that another search has just checked may be older.
        if self._graph.passages(version) <= BM25_LIMIT:
            return Hybrid([self._bm25.at(version), Sbert()])
        self._require_fulltext("hybrid")
        return Hybrid([Fulltext(), Sbert()])

    def _require_fulltext(self, name: BaseName) -> None:
        if self._graph.scope.strict:
            raise ScopeRefusal(
                f"{name} is refused under a strict scope: full-text scores depend on every passage; use sbert"
            )

    def _colbert(self) -> Ranker:
        encoder = PyLateEncoder()
        # The name of a model may hold a slash.
        scope = self._graph.scope
        # Each scope has its own corpus, and so has each user with limited access to the server.
        owner = [scope.json, self._graph.database.impersonated]
        suffix = "" if owner == [{}, None] else f"-{digest(json.dumps(owner, sort_keys=True))}"
        folder = self._home / "colbert" / f"{self._graph.name}-{encoder.name.replace('/', '-')}{suffix}"
        return ColBERT(self._graph.store.all_passages(), encoder=encoder, folder=folder)
