"""Proposes a profile for a graph from a survey; a starting point for its owner to edit."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from gear_neo4j.adoption.fact_properties import details, why_no_fact
from gear_neo4j.adoption.profile import Chunks, Entities, Facts, Profile, words_of
from gear_neo4j.adoption.recognition import SHORTEST_TEXT, recognise
from gear_neo4j.adoption.schema import property_schema
from gear_neo4j.adoption.survey import Label, Property, Survey, Type
from gear_neo4j.adoption.values import are_numbered, are_opaque, are_origins, is_origin
from gear_neo4j.errors import InputError
from gear_neo4j.graph.read.graph_schema import JOINED
from gear_neo4j.graph.read.typegraph import says_nothing

# Words in the names of properties, the strongest evidence first.
NAMES = ("name", "title", "symbol", "label", "caption", "term", "headline", "heading", "username")
# The two parts of a person's name; "name" stands for the first only beside the second.
GIVEN_NAMES = ("first name", "given name", "forename", "firstname", "givenname", "name")
FAMILY_NAMES = ("last name", "family name", "surname", "lastname", "familyname")
ALIASES = ("alias", "aliases", "synonym", "synonyms", "aka", "abbreviation", "acronym")
KEYS = ("number", "code", "key", "nr", "no", "id", "uuid")
LONGEST_NAME_KEY = 40
TEXTS = ("text", "content", "body", "chunk")
TITLES = ("title", "headline", "heading", "filename")
PREDICATES = ("relname", "relation", "predicate", "relationship", "name", "label", "type", "kind")
# The properties that say how two nodes are related if the type does not (LightRAG, and graphs like its own).
MEANINGS = ("keywords", "keyword", "description")
LONGEST_NAME = 120
# Minimum share of distinct values, for the name of a node and for its other names. Customers share titles and
# countries.
UNIQUE_NAME = 0.5
UNIQUE_ALIAS = 0.8
# How suitable a property is as a name, best first: a name; a file, path or address that is called "name"; a text of
# letters; another file, path or address; a time, or machine-readable text.
A_NAME, ORIGIN_CALLED_NAME, LETTERS, ORIGIN, OPAQUE = range(5)


def propose(survey: Survey, *, name: str) -> Profile:
    """A profile for a graph: a built-in one if it fits, with the given name.

    Raises:
        InputError: the graph has no nodes, or none with a name.

    Example:
        >>> names = Property("name", nodes=2, characters=13, latin=2, distinct={"Curie", "Lippmann"}, compared=2)
        >>> names.kinds["text"] = 2
        >>> person = Label("Person", nodes=2, sampled=2, properties={"name": names})
        >>> propose(Survey(2, {"Person": person}, {}), name="mine").entities["Person"].names
        ('name',)
    """
    if not survey.labels:
        raise InputError("the database holds no nodes that could be adopted ('gear import' brings some)")
    if known := recognise(survey):
        return replace(known, name=name)
    texts, names = _kinds(survey)
    if not (names or texts):
        raise InputError("no node of the database has a property that could be its name: write a profile by hand")
    keys = _keys(survey, named={*names, *texts})
    entities = {label: _entities(survey.labels[label], names=of) for label, of in names.items()}
    entities |= {label: _entities(survey.labels[label], key=key) for label, key in keys.items()}
    return Profile(
        name=name,
        entities=entities,
        chunks={
            label: Chunks(text=of, title=_titles(survey.labels[label]), mentions=_mentions(survey, label, entities))
            for label, of in texts.items()
        },
        relationships={kind.name: _facts(kind) for kind in survey.types.values() if _between(kind, set(entities))},
    )


def _entities(label: Label, *, names: tuple[str, ...] = (), key: str | None = None) -> Entities:
    texts = _texts(label, names if key is None else (key,))
    known = Entities(names=names, key=key, text=texts)
    rest = [prop for prop in label.properties.values() if prop.name not in (*known.calling, *texts)]
    return replace(known, facts=tuple(sorted(prop.name for prop in rest if why_no_fact(prop) is None)))


def _kinds(survey: Survey) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The labels of chunks with their text properties, and those of entities with their name properties."""
    pieces = [label for label in survey.labels.values() if not _is_titled(label, survey)]
    texts = {label.name: of for label in pieces if (of := _chunk_texts(label))}
    rest = [label for label in survey.labels.values() if label.name not in texts]
    names = {label.name: of for label in rest if (of := _names(label) or _moment(label))}
    bases = {label.name for label in survey.labels.values() if _is_base(label, survey, texts, names)}
    return (
        {label: of for label, of in texts.items() if label not in bases},
        {label: of for label, of in names.items() if label not in bases},
    )


def _is_base(label: Label, survey: Survey, texts: Mapping[str, object], names: Mapping[str, object]) -> bool:
    """Whether a label such as __KGBuilder__ is on chunks and entities, whose nodes all have other labels, too."""
    others = {other: survey.labels[other] for other in label.together if other in texts or other in names}
    chunks = [other for name, other in others.items() if name in texts]
    entities = [other for name, other in others.items() if name in names]
    both = any(entity.name not in chunk.together for chunk in chunks for entity in entities)
    return both and sum(other.nodes for other in others.values()) >= label.nodes


def _names(label: Label) -> tuple[str, ...]:
    """The properties that name a node; those in Latin script, which the default model reads, come first."""
    short = [
        prop for prop in label.properties.values() if prop.is_text and prop.length <= LONGEST_NAME and _varied(prop)
    ]
    ranks = {prop.name: _rank(prop) for prop in short}
    telling = _distinctive(
        sorted(
            (prop for prop in short if ranks[prop.name] == A_NAME),
            key=lambda prop: (
                prop.latin_share < 0.9,
                prop.name.casefold() not in NAMES,
                _rank_by_word(prop, NAMES),
                _fill(prop),
            ),
        )
    )
    if not any(2 * prop.nodes >= label.sampled for prop in telling):
        # An id of letters may be the name (llm-graph-builder, LangChain), else a property that most nodes have.
        others = [prop for prop in short if ranks[prop.name] != A_NAME and _rank_by_word(prop, ALIASES) == len(ALIASES)]
        lettered = [
            prop
            for prop in others
            if prop.uniqueness >= UNIQUE_NAME
            and 2 * prop.nodes >= label.sampled
            and any(any(map(str.isalpha, text)) for text in prop.examples)
            and not are_numbered(prop.distinct)
        ]
        ids = ("id", "key")
        telling += sorted(
            lettered,
            # Of two vehicles of one model, the number plates differ.
            key=lambda prop: (
                ranks[prop.name],
                prop.name != "id",
                _rank_by_word(prop, ids),
                prop.uniqueness < 1,
                _fill(prop),
            ),
        )[:1]
    if person := _person(label):
        telling = [prop for prop in telling if prop.name not in person]
    aliases = [prop for prop in short if ranks[prop.name] == LETTERS and _rank_by_word(prop, ALIASES) < len(ALIASES)]
    named = [*([JOINED.join(person)] if person else []), *(prop.name for prop in telling)]
    return (*named, *(prop.name for prop in sorted(aliases, key=lambda prop: prop.name) if prop.name not in named))


def _person(label: Label) -> tuple[str, str] | None:
    """The properties with the two parts of people's names, the given name first; None unless most nodes have both."""
    common = {prop.name for prop in label.properties.values() if prop.is_text and 2 * prop.nodes >= label.sampled}
    given, family = (
        next((name for words in names for name in sorted(common) if words_of(name) == words), None)
        for names in (GIVEN_NAMES, FAMILY_NAMES)
    )
    return (given, family) if given and family else None


def _moment(label: Label) -> tuple[str, ...]:
    """The date of an event without a name, with the time of day if there is one.

    Empty if many events share it, or if a key says more.
    """
    if any(not are_numbered(label.properties[key].distinct) for key in _key_properties(label)):
        return ()
    common = [prop for prop in label.properties.values() if 2 * prop.nodes >= label.sampled]
    kinds = {prop.name: schema.kind for prop in common if (schema := property_schema(prop))}
    first = [next((name for name in kinds if kinds[name] == kind), None) for kind in ("date", "time")]
    parts = [name for name in first if name]
    distinct = max((label.properties[name].uniqueness for name in parts), default=0.0)
    return (JOINED.join(parts),) if first[0] and distinct >= UNIQUE_NAME else ()


def _keys(survey: Survey, *, named: Set[str]) -> dict[str, str]:
    """By label, the key property of nodes without a name that are connected to named nodes, or to others with a key."""
    ties = [(kind.starts.keys(), kind.ends.keys()) for kind in survey.types.values()]
    found: dict[str, str] = {}
    while True:
        known = named | found.keys()
        tied = {
            label for starts, ends in ties for label in starts | ends if (ends if label in starts else starts) & known
        }
        rest = [label for name, label in survey.labels.items() if name in tied - known and not label.together & named]
        more = {label.name: keys[0] for label in rest if (keys := _key_properties(label))}
        if not more:
            return found
        found |= more


def _key_properties(label: Label) -> list[str]:
    """Unique properties that are called a key; one with the label in its name comes first."""
    unique = [
        prop
        for prop in label.properties.values()
        if prop.nodes == label.sampled and prop.uniqueness == 1 and prop.characters <= LONGEST_NAME_KEY * prop.nodes
    ]
    keys = [prop for prop in unique if _rank_by_word(prop, KEYS) < len(KEYS)]
    own = words_of(label.name)
    return [
        prop.name for prop in sorted(keys, key=lambda prop: (own not in words_of(prop.name), _rank_by_word(prop, KEYS)))
    ]


def _distinctive(names: Sequence[Property]) -> list[Property]:
    """The properties with mostly distinct values; a few nodes may share the first, as people share a name."""
    first = next((prop for prop in names if prop.uniqueness >= UNIQUE_NAME), None)
    return [prop for prop in names if prop is first or (first and prop.uniqueness >= UNIQUE_ALIAS)]


def _rank(prop: Property) -> int:
    telling = _rank_by_word(prop, NAMES) < len(NAMES)
    if are_opaque(prop.distinct):
        return OPAQUE
    if is_origin(prop.name) or are_origins(prop.distinct):
        return ORIGIN_CALLED_NAME if prop.name.casefold() in NAMES else ORIGIN
    return A_NAME if telling else LETTERS


def _texts(label: Label, names: tuple[str, ...]) -> tuple[str, ...]:
    prose = [
        prop
        for prop in label.properties.values()
        if prop.name not in names
        and prop.kinds["text"] > prop.nodes / 2
        and prop.length >= SHORTEST_TEXT
        and _varied(prop)
    ]
    texts = [prop for prop in prose if not (are_opaque(prop.distinct) or are_origins(prop.distinct))]
    return tuple(prop.name for prop in sorted(texts, key=lambda prop: (-prop.length, prop.name)))


def _chunk_texts(label: Label) -> tuple[str, ...]:
    """The text property of chunks: a long text with a suitable name, on nodes without a name."""
    common = [prop for prop in label.properties.values() if prop.is_text and 2 * prop.nodes >= label.sampled]
    if any(_rank_by_word(prop, ("name",)) == 0 and _rank(prop) == A_NAME and _varied(prop) for prop in common):
        return ()
    long = [prop for prop in common if prop.length > SHORTEST_TEXT and _rank_by_word(prop, TEXTS) < len(TEXTS)]
    return tuple(prop.name for prop in sorted(long, key=lambda prop: _rank_by_word(prop, TEXTS))[:1])


def _is_titled(label: Label, survey: Survey) -> bool:
    """Whether nodes with a long text are independent, such as the questions and answers of a forum.

    Each has its own title, and relationships of several types; chunks share the title of their document, or only have
    mentions.
    """
    titled = any(
        prop.is_text
        and prop.nodes >= UNIQUE_ALIAS * label.sampled
        and prop.uniqueness >= UNIQUE_ALIAS
        and _rank_by_word(prop, TITLES[:1]) == 0
        and _rank(prop) == A_NAME
        for prop in label.properties.values()
    )
    return titled and sum(label.name in kind.starts.keys() ^ kind.ends.keys() for kind in survey.types.values()) > 1


def _titles(label: Label) -> tuple[str, ...]:
    titles = [prop for prop in label.properties.values() if prop.is_text and _title(prop) < len(TITLES)]
    return tuple(prop.name for prop in sorted(titles, key=lambda prop: (_title(prop), _fill(prop)))[:1])


def _title(prop: Property) -> int:
    # file_name, fileName and filename are one word.
    return min(_rank_by_word(prop, TITLES), _word(prop.name.replace("_", ""), TITLES))


def _mentions(survey: Survey, chunk: str, entities: Mapping[str, Entities]) -> tuple[str, ...]:
    """The types between chunks of a label and named nodes."""
    return tuple(
        kind.name
        for kind in survey.types.values()
        if (chunk in kind.starts and kind.ends.keys() & entities.keys())
        or (chunk in kind.ends and kind.starts.keys() & entities.keys())
    )


def _between(kind: Type, labels: set[str]) -> bool:
    return bool(kind.starts.keys() & labels and kind.ends.keys() & labels)


def _facts(kind: Type) -> Facts:
    filled = [name for name in kind.texts if kind.texts[name] >= 0.9 * kind.sampled and len(kind.values[name]) > 1]
    telling = [*PREDICATES, *MEANINGS] if says_nothing(kind.name) else list(PREDICATES)
    known = [name for name in filled if _word(name, telling) < len(telling)]
    predicate = min(known, key=lambda name: _word(name, telling), default=None)
    rank = "rank" if "rank" in kind.numbers else None
    rest = tuple(name for name in details(kind) if name not in (predicate, rank))
    return Facts(words=words_of(kind.name), predicate=predicate, rank=rank, details=rest)


def _varied(prop: Property) -> bool:
    """Whether a property has enough distinct values to distinguish nodes."""
    return len(prop.distinct) > min(prop.nodes, 100) / 4


def _fill(prop: Property) -> tuple[int, str]:
    return -prop.nodes, prop.name


def _rank_by_word(prop: Property, words: tuple[str, ...]) -> int:
    return _word(prop.name, words)


def _word(name: str, words: Sequence[str]) -> int:
    """The index of the first of the words that a name contains; the number of words if it contains none."""
    parts = {*words_of(re.sub(r"\d+", "", name)).split(), name.casefold()}
    # cfname and fullname are written without a break.
    fits = (index for index, word in enumerate(words) if word in parts or name.casefold().endswith(word))
    return next(fits, len(words))
