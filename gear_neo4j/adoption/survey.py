"""A look at a graph that is already there: labels, types and their numbers, and what properties hold, by a sample."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import Literal

from gear_neo4j.graph.connection.database import Row
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.schema.indexes import ENTITY

# Nodes, and relationships, looked at in the order of the store; then those of each label, and type, that this missed.
SAMPLE = 20_000
SAMPLE_A_LABEL = 200
# A model's graph has thousands of types, and Neo4j finds those of one by reading all: the rarest stay as they are.
MOST_TYPES_MISSED = 50
LONGEST_EXAMPLE = 200
Kind = Literal["text", "texts", "list", "number", "flag", "date", "value"]
COMMUNITY = "__GearCommunity"
OURS = frozenset(
    {"Passage", "Triple", "__GearStore", "__GearSource", "__GearImport", "__GearImportFile", "__GearTests", COMMUNITY}
)
MIGRATIONS = frozenset({"__Neo4jMigration", "__Neo4jMigrationsLock"})
# Our types, and the label of ours that each of them begins at.
OUR_TYPES = {
    "SUBJECT": "Triple",
    "OBJECT": "Triple",
    "FROM": "Triple",
    "DESCRIBES": "Passage",
    "SYNONYM": "Entity",
    "PARENT_OF": COMMUNITY,
    "MIGRATED_TO": "__Neo4jMigration",
}


@dataclass(slots=True)
class Property:
    """What the sampled values of a property are like; ``compared`` of them, until enough different ones were seen."""

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
        """The share of different values among those that were compared, 0 to 1."""
        return len(self.distinct) / self.compared if self.compared else 0.0

    @property
    def is_text(self) -> bool:
        """Whether it mostly holds a text, or texts."""
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
    """A label: how many nodes have it, how many were looked at, and their properties by name."""

    name: str
    nodes: int
    sampled: int = 0
    properties: dict[str, Property] = field(default_factory=dict)
    together: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Type:
    """A relationship type: how many there are, by the labels at either end, and names of properties."""

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
    """What a graph holds, our own nodes left out; ``indexes`` are the vector and full-text indexes that it has."""

    nodes: int
    labels: dict[str, Label]
    types: dict[str, Type]
    indexes: tuple[tuple[str, str, str, str], ...] = ()


def survey(graph: Graph) -> Survey:
    """Look at a graph: at 20,000 nodes and relationships at most, and 200 of each label and type that these leave out.

    Of the types left out, the fifty with most relationships are looked at.

    Raises:
        MigrationError: a newer gear-neo4j has migrated the database.
    """
    record = graph.record()
    # Before the first ingest or adoption, nodes with that label are the user's.
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


def survey_types(graph: Graph) -> tuple[dict[str, int], dict[str, int]]:
    """How many nodes each label has, and how many relationships each type; from the server's own counters."""
    _, labels, types = _counts(graph.survey.counts(), ours=OURS | MIGRATIONS)
    return (
        {label.name: label.nodes for label in labels.values()},
        {kind.name: kind.relationships for kind in types.values()},
    )


def _counts(row: Row, *, ours: Set[str]) -> tuple[int, dict[str, Label], dict[str, Type]]:
    nodes = {entry["label"]: entry["count"] for entry in row["nodes"] if entry.get("label")}
    total = next((entry["count"] for entry in row["nodes"] if not entry.get("label")), 0)
    if "Community" in nodes:
        # Ours have this label, too, and the user's may.
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
