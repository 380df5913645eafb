"""The entities that answer a question: patterns are found, run one by one, and their nodes ranked."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from gear_neo4j.domain import EntityHit
from gear_neo4j.errors import InputError, QueryTimeout
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.graph_schema import GraphSchema, OwnerKind, PropertySchema
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.retrieval.dictionary import MOST_NODES, Dictionary
from gear_neo4j.retrieval.patterns.cypher import Compiler
from gear_neo4j.retrieval.patterns.likeness import Likenesses
from gear_neo4j.retrieval.patterns.reading import Reader
from gear_neo4j.retrieval.patterns.search import Candidate, PatternSearch
from gear_neo4j.retrieval.patterns.vocabulary import Place, Vocabulary
from gear_neo4j.retrieval.versioned import Versioned

LONGEST_VALUE = 200
# Patterns that are run, until enough nodes are known; most questions need one.
TRIED = 12
# Points behind the best pattern with an answer, beyond which another is hardly meant.
MARGIN = 2.0
ROWS = 100
Owners = Mapping[str, Mapping[str, PropertySchema]]


@dataclass(frozen=True, slots=True)
class EntityResult:
    """The entities of a question, best first; ``exact`` is False if a pattern had more, or took too long."""

    entities: tuple[EntityHit, ...] = ()
    exact: bool = True


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is made from one version of the graph."""

    search: PatternSearch
    compiler: Compiler


class PatternFinder:
    """Finds the entities that answer questions over one adopted graph; threads may share it."""

    def __init__(self, graph: Graph, *, embedder: Embedder) -> None:
        self._patterns = graph.patterns
        self._embedder = embedder
        self._kept = Versioned(lambda _: self._make(), version=graph.export.version)

    def find(self, question: str, *, most: int = 20) -> EntityResult:
        """At most ``most`` entities; none over a graph whose schema is not on record.

        Each pattern is one round trip, which ends after five seconds.

        Raises:
            InputError: the graph has too many values to be held in memory.
        """
        kept = self._kept.current()
        if kept is None:
            return EntityResult()
        entities: dict[str, EntityHit] = {}
        exact, least = True, -math.inf
        for candidate in kept.search.find(question)[:TRIED]:
            if len(entities) >= most or candidate.score < least:
                break
            try:
                rows = list(self._run(candidate, kept.compiler))
            except QueryTimeout:
                exact = False
                continue
            if rows:
                least = max(least, candidate.score - MARGIN)
            exact = exact and len(rows) < ROWS
            entities |= {hit.id: hit for hit in rows if hit.id not in entities}
        ranked = (replace(hit, rank=rank) for rank, hit in enumerate(islice(entities.values(), most), start=1))
        return EntityResult(tuple(ranked), exact)

    def _run(self, candidate: Candidate, compiler: Compiler) -> Iterator[EntityHit]:
        pattern, target = candidate.pattern, candidate.target
        label = pattern.labels[target]
        rows = self._patterns.run(compiler.run(pattern, target, limit=ROWS))
        wording, shown = pattern.wording(target), compiler.shown(pattern, target, limit=ROWS)
        for row in rows:
            yield EntityHit(row["id"], compiler.called(label, row["name"]), tuple(row["labels"]), 0, wording, shown)

    def _make(self) -> _Kept | None:
        schema = self._patterns.schema()
        if schema is None:
            return None
        vocabulary = Vocabulary(self._values(schema))
        reader = Reader(schema, vocabulary, Dictionary(vocabulary.named()))
        return _Kept(PatternSearch(reader, Likenesses(schema, self._embedder)), Compiler(schema))

    def _values(self, schema: GraphSchema) -> Iterator[tuple[Place, str]]:
        """The texts of all properties; numbers that are kept as texts, too, since they may be names or keys."""
        count = 0
        kinds: tuple[tuple[OwnerKind, Owners], ...] = (("label", schema.labels), ("type", schema.types))
        for kind, owners in kinds:
            wanted = {owner: _texts(properties) for owner, properties in owners.items() if _texts(properties)}
            found = self._patterns.values(kind, wanted, longest=LONGEST_VALUE, most=MOST_NODES + 1)
            for owner, property, value in found:
                count += 1
                if count > MOST_NODES:
                    raise InputError(f"the graph has more than {MOST_NODES:,} values, too many for values in memory")
                yield Place(owner, property), value


def _texts(properties: Mapping[str, PropertySchema]) -> list[str]:
    return [name for name, property in properties.items() if property.kind == "text" or property.stored_as_text]
