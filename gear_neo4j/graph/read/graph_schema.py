"""The schema of a user's graph, to which questions are linked: labels, types, their properties, and their ties."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Literal, Self

from gear_neo4j.graph.read.typegraph import Tie, words

# The kind of a property's values; ``stored_as_text`` marks numbers, dates and times that the graph stores as strings.
Kind = Literal["text", "number", "flag", "date", "time"]
OwnerKind = Literal["label", "type"]


# Between the properties of a name that consists of several: first_name + surname.
JOINED = " + "


@dataclass(frozen=True, slots=True)
class Owner:
    """A label or a relationship type, which has properties."""

    kind: OwnerKind
    name: str


@dataclass(frozen=True, slots=True)
class PropertyRef:
    """A property of a label or relationship type."""

    owner: Owner
    property: str


@dataclass(frozen=True, slots=True)
class PropertySchema:
    """A property of a label or type: its kind, least and greatest number or year, and number of distinct values.

    ``form`` is the order of day, month and year with their sign, such as ``d/m/y``, in dates stored as text; empty for
    those that begin with the year.
    """

    name: str
    kind: Kind = "text"
    stored_as_text: bool = False
    is_list: bool = False
    least: float = 0.0
    greatest: float = 0.0
    distinct: int = 0
    form: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """A relationship type from a label to a neighbour; ``forward`` if it is stored in that direction.

    The direction of a ``mutual`` one says nothing: who knows whom.
    """

    type: str
    forward: bool
    label: str
    mutual: bool = False


@dataclass(frozen=True)
class GraphSchema:
    """Labels and types with their properties by name, the ties between labels, and by label the property that names it.

    Nodes of ``keyed`` labels have no name; they are called by label and key. ``synonyms`` are other words for the
    label, type or property with that name. The names of ``mute`` types say nothing; a property
    of each relationship does.

    Example:
        >>> schema = GraphSchema({"Film": {}, "Person": {}}, {"WROTE": {}}, (Tie("Person", "WROTE", "Film", 9),), {})
        >>> schema.ways["Film"]
        (Way(type='WROTE', forward=False, label='Person', mutual=False),)
        >>> GraphSchema.from_json(schema.to_json()) == schema
        True
    """

    labels: Mapping[str, Mapping[str, PropertySchema]]
    types: Mapping[str, Mapping[str, PropertySchema]]
    ties: tuple[Tie, ...]
    names: Mapping[str, str]
    keyed: tuple[str, ...] = ()
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    mute: tuple[str, ...] = ()

    @cached_property
    def ways(self) -> Mapping[str, tuple[Way, ...]]:
        """The ways out of each label."""
        ways: dict[str, list[Way]] = {label: [] for label in self.labels}
        for tie in self.ties:
            for label, way in _ways_of(tie):
                ways[label].append(way)
        return {label: tuple(dict.fromkeys(of)) for label, of in ways.items()}

    @cached_property
    def uses(self) -> Mapping[tuple[str, Way], int]:
        """The number of relationships of each way out of a label."""
        uses: dict[tuple[str, Way], int] = defaultdict(int)
        for tie in self.ties:
            for label, way in _ways_of(tie):
                uses[label, way] += tie.count
        return uses

    @cached_property
    def between(self) -> Mapping[tuple[str, str], Mapping[str, int]]:
        """The number of relationships of each type between two labels, whatever their direction."""
        between: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for tie in self.ties:
            for labels in {(tie.start, tie.end), (tie.end, tie.start)}:
                between[labels][tie.type] += tie.count
        return {labels: dict(counts) for labels, counts in between.items()}

    @cached_property
    def ends(self) -> Mapping[str, tuple[str, ...]]:
        """The labels at either end of each type."""
        ends: dict[str, dict[str, None]] = {type: {} for type in self.types}
        for tie in self.ties:
            ends[tie.type] |= {tie.start: None, tie.end: None}
        return {type: tuple(labels) for type, labels in ends.items()}

    def had(self, type: str) -> tuple[str, ...]:
        """The labels that the name of a type stands for: of HAS_CAPITAL what is had, else either end."""
        if words(type).split()[0] not in ("has", "have"):
            return self.ends[type]
        return tuple(dict.fromkeys(tie.end for tie in self.ties if tie.type == type))

    def properties(self, owner: Owner) -> Mapping[str, PropertySchema]:
        """The properties of a label or type, by name."""
        return (self.labels if owner.kind == "label" else self.types)[owner.name]

    def owners(self) -> Iterator[Owner]:
        """Every label, then every type."""
        for label in self.labels:
            yield Owner("label", label)
        for type in self.types:
            yield Owner("type", type)

    def names_with(self, owner: Owner, property: str) -> bool:
        """Whether nodes of a label are named by the property, or by it and others."""
        return owner.kind == "label" and property in parts_of(self.names.get(owner.name, ""))

    def names_in_part(self, owner: Owner) -> bool:
        """Whether the name of a label's nodes consists of several properties, which several nodes may share."""
        return owner.kind == "label" and len(parts_of(self.names.get(owner.name, ""))) > 1

    def to_json(self) -> str:
        """The schema as JSON, as the database records it."""
        return json.dumps(
            {
                "labels": _to_lists(self.labels),
                "types": _to_lists(self.types),
                "ties": [[tie.start, tie.type, tie.end, tie.count] for tie in self.ties],
                "names": dict(self.names),
                "keyed": list(self.keyed),
                "synonyms": {name: list(texts) for name, texts in self.synonyms.items()},
                "mute": list(self.mute),
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The schema in a text from :meth:`to_json`."""
        parts = json.loads(text)
        ties = tuple(Tie(*tie) for tie in parts["ties"])
        labels, types = _from_lists(parts["labels"]), _from_lists(parts["types"])
        # A stored schema may be older than synonyms and mute types.
        synonyms = {name: tuple(texts) for name, texts in parts.get("synonyms", {}).items()}
        mute = tuple(parts.get("mute", ()))
        return cls(labels, types, ties, parts["names"], tuple(parts["keyed"]), synonyms, mute)


def _ways_of(tie: Tie) -> Iterator[tuple[str, Way]]:
    """The ways of a tie, each with the label where it begins."""
    if tie.is_mutual:
        yield tie.start, Way(tie.type, True, tie.end, mutual=True)
    else:
        yield tie.start, Way(tie.type, True, tie.end)
        yield tie.end, Way(tie.type, False, tie.start)


def parts_of(name: str) -> list[str]:
    """The properties that a name consists of.

    Example:
        >>> parts_of("first_name + surname"), parts_of("title")
        (['first_name', 'surname'], ['title'])
    """
    return name.split(JOINED)


def can_be_written(name: str) -> bool:
    """Whether a name can be quoted with backticks in a query: Cypher 5 resolves backslashes even there.

    Example:
        >>> can_be_written("Kind of `thing`"), can_be_written(r"Kind\\u0060")
        (True, False)
    """
    return bool(name) and name.isprintable() and "\\" not in name


def _to_lists(owners: Mapping[str, Mapping[str, PropertySchema]]) -> dict[str, list[dict[str, object]]]:
    return {owner: [asdict(property) for property in of.values()] for owner, of in owners.items()}


def _from_lists(owners: Mapping[str, Sequence[Mapping[str, object]]]) -> dict[str, dict[str, PropertySchema]]:
    return {owner: {str(of["name"]): PropertySchema(**of) for of in known} for owner, known in owners.items()}  # type: ignore[arg-type]
