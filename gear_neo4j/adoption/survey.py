"""Surveys an existing graph: labels and types with their numbers, and properties by a sample of their values."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal, NamedTuple

from gear_neo4j.errors import InputError
from gear_neo4j.graph.connection.database import Row
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.read.pagerank_queries import Version
from gear_neo4j.graph.schema.indexes import ENTITY

# Maximum number of nodes, and relationships, in the first sample; then for each label and type with too few of them.
SAMPLE = 20_000
SAMPLE_A_LABEL = 200
# A graph from a model has thousands of types, and Neo4j reads all relationships to find those of one: rare types are
# not sampled again.
MOST_TYPES_MISSED = 50
LONGEST_EXAMPLE = 200
# Seconds for which a survey is used again: what the user changes beside us has no version.
RECENT = 60.0
Kind = Literal["text", "texts", "list", "number", "flag", "date", "time", "value"]
COMMUNITY = "__GearCommunity"
RECORDS = frozenset({"__GearStore", "__GearSource", "__GearOrigin", "__GearReaders", "__GearTerm"})
OURS = RECORDS | {"Passage", "Triple", "__GearImport", "__GearImportFile", "__GearTests", COMMUNITY}
MIGRATIONS = frozenset({"__Neo4jMigration", "__Neo4jMigrationsLock"})
# Our types, and our label at the start of each.
OUR_TYPES = {
    "SUBJECT": "Triple",
    "OBJECT": "Triple",
    "FROM": "Triple",
    "DESCRIBES": "Passage",
    "NEXT_PASSAGE": "Passage",
    "NAME_OF": "__GearTerm",
    "SYNONYM": "Entity",
    "PARENT_OF": COMMUNITY,
    "MIGRATED_TO": "__Neo4jMigration",
}


@dataclass(slots=True)
class Property:
    """Statistics of a property's sampled values; ``compared`` counts the values checked for distinctness."""

    name: str
    nodes: int = 0
    kinds: Counter[Kind] = field(default_factory=Counter)
    characters: int = 0
    latin: int = 0
    examples: list[str] = field(default_factory=list)
    distinct: set[str] = field(default_factory=set)
    compared: int = 0

    @property
    def uniqueness(self) -> float:
        """The share of distinct values among those compared, 0 to 1."""
        return len(self.distinct) / self.compared if self.compared else 0.0

    @property
    def is_text(self) -> bool:
        """Whether most values are texts or lists of texts."""
        return self.kinds["text"] + self.kinds["texts"] > self.nodes / 2

    @property
    def length(self) -> float:
        """The mean length of its values, in characters."""
        return self.characters / self.nodes if self.nodes else 0.0

    @property
    def latin_share(self) -> float:
        """The share of values in the Latin script, 0 to 1."""
        return self.latin / self.nodes if self.nodes else 0.0


@dataclass(slots=True)
class Label:
    """A label: the number of its nodes, the number of sampled ones, and their properties by name."""

    name: str
    nodes: int
    sampled: int = 0
    properties: dict[str, Property] = field(default_factory=dict)
    together: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Type:
    """A relationship type: the number of relationships, also by the labels at either end, and their properties."""

    name: str
    relationships: int
    starts: dict[str, int] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    texts: Counter[str] = field(default_factory=Counter)
    numbers: Counter[str] = field(default_factory=Counter)
    values: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    properties: dict[str, Property] = field(default_factory=dict)
    sampled: int = 0


@dataclass(frozen=True, slots=True)
class Survey:
    """The content of a graph without our own nodes; ``indexes`` are its vector and full-text indexes."""

    nodes: int
    labels: dict[str, Label]
    types: dict[str, Type]
    indexes: tuple[tuple[str, str, str, str], ...] = ()


def survey(graph: Graph) -> Survey:
    """Survey a graph: at most 20,000 nodes and relationships, then 200 of each label and type with too few of them.

    Of these types, only the fifty with most relationships are sampled again.

    Raises:
        MigrationError: a newer gear-neo4j has migrated the database.
    """
    record = graph.record()
    # Before the first ingest or adoption, nodes with this label belong to the user.
    entities = {ENTITY} if record and not record.foreign else set[str]()
    total, labels, types = _counts(graph.survey.counts(), ours=OURS | MIGRATIONS | entities)
    _look(labels, graph.survey.nodes([], limit=SAMPLE, longest=LONGEST_EXAMPLE))
    for label in labels.values():
        if label.sampled < min(label.nodes, SAMPLE_A_LABEL):
            sample = {label.name: Label(label.name, label.nodes)}
            _look(sample, graph.survey.nodes([label.name], limit=SAMPLE_A_LABEL, longest=LONGEST_EXAMPLE))
            labels[label.name] = sample[label.name]
    _look_along(types, graph.survey.relationships(list(types), limit=SAMPLE, longest=LONGEST_EXAMPLE))
    missed = [kind for kind in types.values() if kind.sampled < min(kind.relationships, SAMPLE_A_LABEL)]
    for kind in sorted(missed, key=lambda kind: -kind.relationships)[:MOST_TYPES_MISSED]:
        types[kind.name] = Type(kind.name, kind.relationships, kind.starts, kind.ends)
        _look_along(types, graph.survey.relationships([kind.name], limit=SAMPLE_A_LABEL, longest=LONGEST_EXAMPLE))
    return Survey(total, labels, types, tuple(_indexes(graph)))


class Kept(NamedTuple):
    """A survey, the version that our data had just before it, and the time at which it was made."""

    survey: Survey
    version: Version | None
    made: float


class RecentSurvey:
    """The survey of a graph for questions, which need not each read thousands of nodes; threads may share it.

    Args:
        clock: seconds; a survey is used again for 60 of them, as long as nobody ingests or adopts.
    """

    def __init__(self, graph: Graph, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._graph = graph
        self._clock = clock
        self._lock = Lock()
        self._kept: Kept | None = None

    def current(self) -> Survey:
        """The survey, at most a minute old; one round trip where there is one.

        Raises:
            MigrationError: a newer gear-neo4j has migrated the database.
        """
        with self._lock:
            version, now = self._version(), self._clock()
            if self._kept is None or self._kept.version != version or now - self._kept.made >= RECENT:
                self._kept = Kept(survey(self._graph), version, now)
            return self._kept.survey

    def _version(self) -> Version | None:
        try:
            return self._graph.pagerank.version()
        except InputError:
            return None


def survey_types(graph: Graph) -> tuple[dict[str, int], dict[str, int]]:
    """The number of nodes of each label, and of relationships of each type, from the server's own counters."""
    _, labels, types = _counts(graph.survey.counts(), ours=OURS | MIGRATIONS)
    return (
        {label.name: label.nodes for label in labels.values()},
        {kind.name: kind.relationships for kind in types.values()},
    )


def _counts(row: Row, *, ours: Set[str]) -> tuple[int, dict[str, Label], dict[str, Type]]:
    nodes = {entry["label"]: entry["count"] for entry in row["nodes"] if entry.get("label")}
    total = next((entry["count"] for entry in row["nodes"] if not entry.get("label")), 0)
    if "Community" in nodes:
        # Our communities have this label, and the user's nodes may have it, too.
        nodes["Community"] -= nodes.get(COMMUNITY, 0)
    labels = {name: Label(name, count) for name, count in nodes.items() if count and name not in ours}
    types: dict[str, Type] = {}
    for entry in row["relationships"]:
        name = entry.get("relationshipType")
        if name and entry["count"]:
            kind = types.setdefault(name, Type(name, 0))
            if start := entry.get("startLabel"):
                kind.starts[start] = entry["count"]
            elif end := entry.get("endLabel"):
                kind.ends[end] = entry["count"]
            else:
                kind.relationships = entry["count"]
    # Somebody else's types may have the names of ours; ours begin at our nodes, and one of them ends there.
    types = {
        name: kind
        for name, kind in types.items()
        if kind.starts.keys() - {"Community"} != {OUR_TYPES.get(name)} and COMMUNITY not in kind.ends
    }
    total -= sum(count for name, count in nodes.items() if name in ours)
    return total, dict(sorted(labels.items())), dict(sorted(types.items()))


def _look(labels: dict[str, Label], rows: Iterable[Row]) -> None:
    for row in rows:
        for name in row["labels"]:
            if label := labels.get(name):
                label.sampled += 1
                label.together.update(other for other in row["labels"] if other != name)
                for key, kind, length, text in row["properties"]:
                    _note(label.properties.setdefault(key, Property(key)), kind, length, text)


def _look_along(types: dict[str, Type], rows: Iterable[Row]) -> None:
    for row in rows:
        kind = types[row["type"]]
        if kind.sampled < SAMPLE_A_LABEL:
            kind.sampled += 1
            kind.numbers.update(row["numbers"])
            for key, held, length, text in row["properties"]:
                _note(kind.properties.setdefault(key, Property(key)), held, length, text)
                if held == "text":
                    kind.texts[key] += 1
                    kind.values[key].add(text)


def _note(property: Property, kind: Kind, length: int, text: str) -> None:
    property.nodes += 1
    property.kinds[kind] += 1
    property.characters += length if kind == "text" else len(text)
    property.latin += bool(text) and all(char < "\u0250" for char in text if char.isalpha())
    if len(property.distinct) < SAMPLE_A_LABEL:
        property.distinct.add(text)
        property.compared += 1
    if text and len(property.examples) < 3:
        property.examples.append(text)


def _indexes(graph: Graph) -> Iterator[tuple[str, str, str, str]]:
    for row in graph.survey.indexes():
        if row["type"] in ("VECTOR", "FULLTEXT") and not row["name"].startswith("gear_"):
            yield row["name"], row["type"], ", ".join(row["labels"] or ()), ", ".join(row["properties"] or ())
