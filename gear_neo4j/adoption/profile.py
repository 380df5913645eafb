"""A profile: how the nodes and relationships of a graph map to entities, triples and passages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.read.graph_schema import parts_of
from gear_neo4j.scope import DEFAULT_COLLECTION, checked_name, reader_names

_WORDS = re.compile(r"[_\W]+|(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entities:
    """Nodes of a label: the properties that name them (the first non-empty one is displayed), and those with prose.

    A name may consist of several properties: ``first_name + surname``.

    The name of a node without one is its label and the value of ``key``, as in *Order 10248*. Each property of
    ``facts`` becomes a triple of the node, as in *Chai —unit price→ 18*.
    """

    names: tuple[str, ...] = ()
    key: str | None = None
    text: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()

    @property
    def calling(self) -> tuple[str, ...]:
        """The properties that name or call a node, each by itself.

        Example:
            >>> Entities(names=("first_name + surname", "alias")).calling
            ('first_name', 'surname', 'alias')
        """
        parts = [part for name in self.names for part in parts_of(name)]
        return tuple(dict.fromkeys([*parts, *([self.key] if self.key else [])]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunks:
    """Nodes of a label that are passages: their properties with text and title, and the types that lead to mentions.

    ``key`` is the property by which a relationship refers to the chunk that states it.
    """

    text: tuple[str, ...]
    title: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Relationships of a type: the words between two names, or a property with these words, and a property with a rank.

    A lower rank means a stronger relationship. A relationship with a value in a property of ``ended`` is no longer a
    fact. The properties of ``details`` follow the words in brackets, as in *acted in (roles: Neo)*.
    """

    words: str = ""
    predicate: str | None = None
    rank: str | None = None
    ended: tuple[str, ...] = ()
    details: tuple[str, ...] = ()

    @property
    def properties(self) -> tuple[str, ...]:
        """All properties of a relationship that are read."""
        return tuple(name for name in (self.predicate, self.rank, *self.ended, *self.details) if name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How to read a graph; without ``relationships``, every type between two named nodes is a fact.

    ``without`` names types that are no facts, such as the order of chunks; ``sources`` the properties of a relationship
    with the keys of the chunks that state it. ``synonyms`` are other words for a label, a type or a property in
    questions.

    Passages and triples are in the ``collection``. ``readers`` is the property of a node that names the principals who
    may read it, one or a list; ``default_readers`` applies to nodes without it; if it is empty, everyone may read them.

    Raises:
        SettingsError: a collection or reader has an invalid name, or the property of readers is also displayed.
    """

    name: str
    entities: Mapping[str, Entities] = field(default_factory=dict)
    chunks: Mapping[str, Chunks] = field(default_factory=dict)
    relationships: Mapping[str, Facts] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    collection: str = DEFAULT_COLLECTION
    readers: str | None = None
    default_readers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked_name(self.collection, kind="collection")
        reader_names(self.default_readers)
        facts = {name for entities in self.entities.values() for name in entities.facts}
        if self.readers in {*self.calling_properties, *self.text_properties, *facts}:
            raise SettingsError(f"the property {self.readers!r} holds the readers of a node: it can be nothing else")

    @property
    def restricts_readers(self) -> bool:
        """Whether nodes may be hidden from some readers."""
        return self.readers is not None or bool(self.default_readers)

    @property
    def name_properties(self) -> tuple[str, ...]:
        """All names of nodes of any label: properties, or several joined."""
        return tuple(dict.fromkeys(name for entities in self.entities.values() for name in entities.names))

    @property
    def calling_properties(self) -> tuple[str, ...]:
        """The properties that name nodes, and the keys of nodes without a name."""
        return tuple(dict.fromkeys(name for entities in self.entities.values() for name in entities.calling))

    def prose_properties(self, label: str) -> tuple[str, ...]:
        """The properties with the texts of a label's nodes."""
        entities, chunks = self.entities.get(label), self.chunks.get(label)
        return (entities.text if entities else ()) + (chunks.text if chunks else ())

    @property
    def text_properties(self) -> tuple[str, ...]:
        """The properties with texts and titles of nodes of any label."""
        texts = [name for label in (*self.entities, *self.chunks) for name in self.prose_properties(label)]
        titles = [name for chunk in self.chunks.values() for name in chunk.title]
        return tuple(dict.fromkeys([*texts, *titles]))

    def covers(self, kind: str) -> bool:
        """Whether the profile decides on a relationship type: as a fact, as no fact, or as a mention.

        Example:
            >>> Profile(name="mine", relationships={"KNEW": Facts()}, without=("NEXT",)).covers("BORN_IN")
            False
        """
        mentions = {name for chunk in self.chunks.values() for name in chunk.mentions}
        return not self.relationships or kind in self.relationships or kind in self.without or kind in mentions

    def predicate(self, kind: str) -> str:
        """The words for a relationship type.

        Example:
            >>> Profile(name="mine").predicate("has_var"), Profile(name="mine").predicate("WORKS_AT")
            ('has var', 'works at')
        """
        facts = self.relationships.get(kind)
        return facts.words if facts and facts.words else words_of(kind)


def words_of(name: str) -> str:
    """The words in a name of the schema, in lower case.

    Example:
        >>> words_of("ClinicalTrial"), words_of("ACTED_IN"), words_of("治疗"), words_of("hasPartDNA")
        ('clinical trial', 'acted in', '治疗', 'has part dna')
    """
    return " ".join(part for part in _WORDS.split(name) if part).casefold() or name
