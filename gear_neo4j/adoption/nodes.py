"""Reads nodes according to a profile: their names, and the passages that represent them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.adoption.profile import Profile, words_of
from gear_neo4j.domain import Passage, node_passage_id
from gear_neo4j.graph.connection.database import Row
from gear_neo4j.graph.read.graph_schema import parts_of
from gear_neo4j.graph.read.typegraph import spoken

# Longer texts are cut: the embedding model reads only the first few hundred words, and rows must stay small.
LONGEST_TEXT = 20_000
OTHERS = 20
# Properties without meaning for a reader.
IDS = ("id", "uuid")


@dataclass(frozen=True, slots=True)
class NodePassage:
    """A passage that represents a node: ``node`` is its element id; a ``card`` lists the properties of an entity."""

    passage: Passage
    node: str
    card: bool


def node_passage(row: Row, profile: Profile) -> NodePassage | None:
    """The passage of a node; None if the node has neither a name nor a text."""
    chunk = next((profile.chunks[label] for label in row["labels"] if label in profile.chunks), None)
    texts = dict(row["texts"])
    text = "\n".join(_all(texts, chunk.text)) if chunk else ""
    if chunk and text:
        title = " ".join(_all(texts, chunk.title))
        return NodePassage(Passage(node_passage_id(row["id"]), title, text), row["id"], card=False)
    names = names_of(row["labels"], row["names"], profile)
    if not names:
        return None
    title = f"{names[0]} ({', '.join(names[1:])})" if names[1:] else names[0]
    return NodePassage(Passage(node_passage_id(row["id"]), title, _card(row, texts, profile)), row["id"], card=True)


def has_prose(row: Row, profile: Profile) -> bool:
    """Whether a node has a text besides its name."""
    texts = dict(row["texts"])
    return any(_all(texts, profile.prose_properties(label)) for label in row["labels"])


def names_of(
    labels: Sequence[str], properties: Sequence[tuple[str, str | list[str | None]]], profile: Profile
) -> tuple[str, ...]:
    """The names of a node, the display name first; without a name, its label with its key.

    Example:
        >>> from gear_neo4j.adoption.profile import Entities
        >>> profile = Profile(name="mine", entities={"Drug": Entities(names=("name_en", "name"))})
        >>> names_of(["Drug"], [("name", "阿来替尼"), ("name_en", "alectinib")], profile)
        ('alectinib', '阿来替尼')
        >>> names_of(["Order"], [("number", "10248")], Profile(name="mine", entities={"Order": Entities(key="number")}))
        ('Order 10248',)
    """
    values = dict(properties)
    named = [name for label in profile.entities if label in labels for name in profile.entities[label].names]
    texts = [text for name in dict.fromkeys(named) for text in _called(values, parts_of(name))]
    names = tuple(dict.fromkeys(text for text in texts if len(text) <= 500))
    if names:
        return names
    keys = [(label, profile.entities[label].key) for label in profile.entities if label in labels]
    called = [f"{spoken(label)} {text}" for label, key in keys if key for text in _all(values, [key])]
    return tuple(called[:1])


def _called(values: Mapping[str, str | list[str | None]], parts: Sequence[str]) -> list[str]:
    """The texts of a name: those of its property, or those of several joined."""
    if len(parts) == 1:
        return _all(values, parts)
    # Of a list, the first.
    firsts = [text for part in parts for text in _all(values, [part])[:1]]
    return [" ".join(firsts)] if firsts else []


def _card(row: Row, texts: Mapping[str, str | list[str | None]], profile: Profile) -> str:
    """The labels, the prose, and the other properties, one per line."""
    labels = ", ".join(words_of(label) for label in row["labels"])
    prose = [text for label in row["labels"] for text in _all(texts, profile.prose_properties(label))]
    others = [
        f"{words_of(name)}: {' '.join(value.split())}"
        for name, value in sorted(row["others"])
        if value.strip() and name.casefold() not in IDS and name != profile.readers
    ]
    return "\n".join(dict.fromkeys([labels, *prose, *others]))


def _all(values: Mapping[str, str | list[str | None]], keys: Sequence[str] | Mapping[str, None]) -> list[str]:
    """The values of the keys, in order, stripped; lists are flattened."""
    present = [values[key] for key in keys if key in values]
    parts = [part for value in present for part in (value if isinstance(value, list) else [value])]
    return [part.strip() for part in parts if part and part.strip()]
