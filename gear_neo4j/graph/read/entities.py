"""Single entities: the facts about a node and its links, within limits."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gear_neo4j.domain import Triple
from gear_neo4j.graph.connection.database import Database, Row
from gear_neo4j.graph.read.store import triple_of
from gear_neo4j.graph.read.vanished import TRIPLE, present
from gear_neo4j.graph.schema.record import names_on_record

MOST_FACTS = 200
MOST_SYNONYMS = 30
# Maximum number of triples to read of a hub; the facts are chosen from them.
MOST_READ = 2_000
# In an adopted graph, a property of a node may contain a name, a list of names, or none.
Names = Sequence[str | list[str | None] | None]


@dataclass(frozen=True, slots=True)
class EntitySummary:
    """A node that triples mention, by its element id; ``degree`` is the number of its triples."""

    id: str
    name: str
    labels: tuple[str, ...]
    degree: int


@dataclass(frozen=True, slots=True)
class EntityFact:
    """A triple with the title of its passage, and the element ids of its two ends."""

    triple: Triple
    title: str
    head: str
    tail: str


@dataclass(frozen=True, slots=True)
class Synonym:
    """An entity with a similar name, and the cosine of the two names."""

    id: str
    name: str
    score: float


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The entity at the other end of some facts, and their number."""

    id: str
    name: str
    facts: int


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """An entity, its facts by passage, and entities with similar names; ``exact`` is False if it has more facts."""

    entity: EntitySummary
    facts: tuple[EntityFact, ...] = ()
    synonyms: tuple[Synonym, ...] = ()
    exact: bool = True

    @property
    def neighbours(self) -> tuple[Neighbour, ...]:
        """The entities at the other ends of the facts, those with most facts first."""
        names: dict[str, str] = {}
        counts: Counter[str] = Counter()
        for fact in self.facts:
            for id, name in ((fact.head, fact.triple.subject), (fact.tail, fact.triple.object)):
                if id != self.entity.id:
                    counts[id] += 1
                    names.setdefault(id, name)
        ordered = sorted(counts, key=lambda id: (-counts[id], names[id], id))
        return tuple(Neighbour(id, names[id], counts[id]) for id in ordered)


class Entities:
    """The nodes that triples mention, in one database; nodes are given by their element ids."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def summaries(self, ids: Sequence[str]) -> list[EntitySummary]:
        """The nodes, among those given, that triples mention, in the order of the ids; at most two round trips.

        Raises:
            QueryTimeout: the server took more than ten seconds.
        """
        if not ids:
            return []
        rows = self._database.call("entity_summaries", ids=list(ids), names=names_on_record(self._database))
        known = {row["id"]: _summary(row) for row in rows}
        return [known[id] for id in dict.fromkeys(ids) if id in known]

    def record(self, id: str) -> EntityRecord | None:
        """The record of a node; None if no triple mentions it, or it does not exist.

        Raises:
            QueryTimeout: the server took more than ten seconds.
        """
        summaries = self.summaries([id])
        if not summaries:
            return None
        rows = self._database.call("entity_facts", id=id, limit=MOST_FACTS + 1, most=MOST_READ)
        exact = len(rows) <= MOST_FACTS and summaries[0].degree <= MOST_READ
        synonyms = self._database.call("entity_synonyms", id=id, limit=MOST_SYNONYMS)
        return EntityRecord(
            summaries[0],
            tuple(map(_fact, present(rows[:MOST_FACTS], *TRIPLE))),
            tuple(Synonym(row["id"], row["name"], row["score"]) for row in present(synonyms, "name", "score")),
            exact,
        )


def each_name(names: Names) -> Iterator[str]:
    """The names that a query returns for a node, those in lists one by one.

    Example:
        >>> list(each_name([None, ["Ada", "A. Lovelace"], "Countess"]))
        ['Ada', 'A. Lovelace', 'Countess']
    """
    parts = (part for name in names for part in (name if isinstance(name, list) else [name]))
    return (part for part in parts if part)


def first_name(names: Names) -> str:
    """The first of the names that a query returns for a node; empty if it has none.

    Example:
        >>> first_name([None, ["Ada", "A. Lovelace"], "Countess"])
        'Ada'
    """
    return next(each_name(names), "")


def _summary(row: Row) -> EntitySummary:
    return EntitySummary(row["id"], first_name(row["names"]), tuple(row["labels"]), row["degree"])


def _fact(row: Row) -> EntityFact:
    return EntityFact(triple_of(row), row["title"] or "", row["head"], row["tail"])
