"""A profile proposed for a graph from what a survey saw; a beginning, which its owner knows better than we."""

import re

from gear_neo4j.adoption.profile import Chunks, Entities, Facts, Profile, words_of
from gear_neo4j.adoption.survey import Label, Property, Survey, Type
from gear_neo4j.errors import InputError

# Words in the names of properties, the more telling first.
NAMES = ("name", "title", "symbol", "label", "caption", "term", "headline", "heading", "username")
ALIASES = ("alias", "aliases", "synonym", "synonyms", "aka", "abbreviation", "acronym")
TEXTS = ("text", "content", "body", "chunk")
PREDICATES = ("relname", "relation", "predicate", "relationship", "name", "label", "type", "kind")
LONGEST_NAME = 120
SHORTEST_TEXT = 40


def propose(found: Survey, *, name: str) -> Profile:
    """The profile that a graph seems to need.

    Raises:
        InputError: the graph holds no nodes, or none that a text names.
    """
    if not found.labels:
        raise InputError("the database holds no nodes that could be adopted ('gear import' brings some)")
    chunks = {label.name: texts for label in found.labels.values() if (texts := _chunk_texts(label))}
    entities = {
        label.name: Entities(names=names, text=_texts(label, names))
        for label in found.labels.values()
        if label.name not in chunks and (names := _names(label))
    }
    if not (entities or chunks):
        raise InputError("no node of the database has a property that could be its name: write a profile by hand")
    return Profile(
        name=name,
        entities=entities,
        chunks={
            label: Chunks(text=texts, title=_titles(found.labels[label]), mentions=_mentions(found, label, entities))
            for label, texts in chunks.items()
        },
        relationships={kind.name: _facts(kind) for kind in found.types.values() if _between(kind, set(entities))},
    )


def _names(label: Label) -> tuple[str, ...]:
    """The properties that name a node: those in the script that the default model reads come first."""
    short = [one for one in label.properties.values() if one.is_text and one.length <= LONGEST_NAME]
    named = [one for one in short if _place(one, NAMES) < len(NAMES)]
    aliases = [one for one in short if _place(one, NAMES) == len(NAMES) and _place(one, ALIASES) < len(ALIASES)]
    telling = sorted(named, key=lambda one: (one.latin_share < 0.9, _place(one, NAMES), -one.nodes, one.name))
    if not telling:
        # Where nothing is called a name, an id of letters is one (llm-graph-builder, LangChain), or what differs most.
        lettered = [one for one in short if _varied(one) and any(any(map(str.isalpha, text)) for text in one.examples)]
        telling = sorted(lettered, key=lambda one: (one.name != "id", -one.nodes, one.name))[:1]
    return tuple(one.name for one in [*telling, *sorted(aliases, key=lambda one: one.name)])


def _texts(label: Label, names: tuple[str, ...]) -> tuple[str, ...]:
    prose = [
        one
        for one in label.properties.values()
        if one.name not in names and one.kinds["text"] > one.nodes / 2 and one.length >= SHORTEST_TEXT and _varied(one)
    ]
    return tuple(one.name for one in sorted(prose, key=lambda one: (-one.length, one.name)))


def _chunk_texts(label: Label) -> tuple[str, ...]:
    """The text of nodes that are pieces of documents: a long text that is called one, on nodes without a name."""
    found = label.properties.values()
    if any(_place(one, ("name",)) == 0 and one.is_text and one.nodes > label.sampled / 2 for one in found):
        return ()
    long = [one for one in found if one.is_text and one.length > SHORTEST_TEXT and _place(one, TEXTS) < len(TEXTS)]
    return tuple(one.name for one in sorted(long, key=lambda one: _place(one, TEXTS))[:1])


def _titles(label: Label) -> tuple[str, ...]:
    titles = [one for one in label.properties.values() if one.is_text and _place(one, ("title", "filename")) < 2]
    return tuple(one.name for one in titles[:1])


def _mentions(found: Survey, chunk: str, entities: dict[str, Entities]) -> tuple[str, ...]:
    """The types between the chunks of a label and named nodes."""
    return tuple(
        kind.name
        for kind in found.types.values()
        if (chunk in kind.starts and kind.ends.keys() & entities.keys())
        or (chunk in kind.ends and kind.starts.keys() & entities.keys())
    )


def _between(kind: Type, labels: set[str]) -> bool:
    return bool(kind.starts.keys() & labels and kind.ends.keys() & labels)


def _facts(kind: Type) -> Facts:
    filled = [name for name in kind.texts if kind.texts[name] >= 0.9 * kind.sampled and len(kind.values[name]) > 1]
    telling = [name for name in filled if _word(name, PREDICATES) < len(PREDICATES)]
    predicate = min(telling, key=lambda name: _word(name, PREDICATES), default=None)
    return Facts(words=words_of(kind.name), predicate=predicate, rank="rank" if "rank" in kind.numbers else None)


def _varied(one: Property) -> bool:
    return len(one.distinct) > min(one.nodes, 100) / 2


def _place(one: Property, words: tuple[str, ...]) -> int:
    return _word(one.name, words)


def _word(name: str, words: tuple[str, ...]) -> int:
    """The place of the first of the words that a name holds; after all of them, if it holds none."""
    parts = {*words_of(re.sub(r"\d+", "", name)).split(), name.casefold()}
    # cfname and fullname are written without a break.
    fits = (place for place, word in enumerate(words) if word in parts or name.casefold().endswith(word))
    return next(fits, len(words))
