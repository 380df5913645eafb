"""The rankers of one database; those with the corpus in memory are cached until the graph changes."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from gear_neo4j.domain import Passage, digest
from gear_neo4j.errors import InputError, ScopeRefusal
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.memory import UNLIMITED, Memory, Need, Weight
from gear_neo4j.graph.read.pagerank_queries import Version
from gear_neo4j.graph.read.versioned import Versioned
from gear_neo4j.retrieval.rank.bm25 import BM25
from gear_neo4j.retrieval.rank.colbert import ColBERT, PyLateEncoder
from gear_neo4j.retrieval.rank.rankers import BaseName, Fulltext, Hybrid, Ranker, Sbert, Weighted

Index = TypeVar("Index", BM25, ColBERT)
# The in-memory index takes 5 ms a question for every 1,000 passages; Neo4j's own index is faster from 2,000 on. Up to
# this limit the in-memory index is still the smaller part of a search.
BM25_LIMIT = 5_000
# Bytes of a passage in each index, as long as passages usually are, and of a letter of a longer one.
PASSAGE: Mapping[BaseName, int] = {"bm25": 32 * 1024, "colbert": 96 * 1024}
LETTER = 24
# Seconds until a write by another process is noticed: a query each time would take a tenth of a search.
RECHECK = 1.0


class RankerCache:
    """The rankers over one database by name; threads may share it.

    Args:
        home: the folder for ColBERT's index.
        memory: what the indexes in memory take a part of.
    """

    def __init__(self, graph: Graph, *, home: Path, memory: Memory = UNLIMITED) -> None:
        self._graph = graph
        self._home = home
        self._memory = memory
        # Hybrid is made for each search: it would hold an index that a memory has dropped.
        self._version = Versioned(lambda version: version, version=graph.pagerank.version, recheck=RECHECK)
        self._bm25 = self._index("bm25", lambda: BM25(self._passages("bm25")), lambda index: index.bytes)
        self._colbert = self._index("colbert", self._make_colbert, lambda index: index.bytes)

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
            case "hybrid":
                return self._hybrid(self._version.current())
            case "bm25":
                return self._bm25.current()
            case "colbert":
                return self._colbert.current()

    def invalidate(self) -> None:
        """Check for changes before the next search: this process has just written."""
        for kept in (self._version, self._bm25, self._colbert):
            kept.invalidate()

    def _index(self, name: BaseName, make: Callable[[], Index], size: Callable[[Index], int]) -> Versioned[Index]:
        def need(version: Version) -> Need:
            passages = self._graph.passages(version)
            return Need(PASSAGE[name] * passages, f"{name} over {passages:,} passages")

        weight = Weight(self._memory, need, size)
        return Versioned(lambda _: make(), version=self._graph.pagerank.version, recheck=RECHECK, weight=weight)

    def _passages(self, name: BaseName) -> Iterator[Passage]:
        """All passages, unless they are so long that their index would take more than it may."""
        return self._memory.counted(
            self._graph.store.all_passages(),
            bytes_of=lambda passage: LETTER * len(passage.content),
            of=f"{name} over {{}} passages",
        )

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

    def _make_colbert(self) -> ColBERT:
        if self._memory.refuses and not self._graph.scope.is_everything:
            # Each scope would leave a folder behind.
            raise InputError("colbert is only for keys that see everything: choose bm25, sbert or hybrid")
        encoder = PyLateEncoder()
        # The name of a model may hold a slash.
        scope = self._graph.scope
        # Each scope has its own corpus, and so has each user with limited access to the server.
        owner = [scope.json, self._graph.database.impersonated]
        suffix = "" if owner == [{}, None] else f"-{digest(json.dumps(owner, sort_keys=True))}"
        folder = self._home / "colbert" / f"{self._graph.name}-{encoder.name.replace('/', '-')}{suffix}"
        return ColBERT(self._passages("colbert"), encoder=encoder, folder=folder)
