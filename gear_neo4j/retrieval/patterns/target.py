"""What a question asks for: how likely each label is the answer's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.read.graph_schema import GraphSchema
from gear_neo4j.retrieval.patterns.amounts import NUMBER_WORDS
from gear_neo4j.retrieval.patterns.condition import Condition, is_name
from gear_neo4j.retrieval.patterns.language import is_identifier, names_a_doer, telling_words
from gear_neo4j.retrieval.patterns.likeness import CERTAIN, NOTHING, Element, Likeness, Likenesses
from gear_neo4j.retrieval.patterns.reading import Literal, Reading, Word, is_cue

# Minimum likeness at which a word names a label or type.
NAMES = 0.6
EXACT = 0.9
LABEL_ITSELF = 0.8
# Minimum likeness of a word in the place of the answer's label.
RESEMBLES = 0.4
# The share of a label of several words that one of them names, if it is another label itself: a phone is no phone call.
PART = 0.5
PERSONLIKE = 0.5
# A type in the position of the answer's label implies the label at one of its ends, with this share.
BY_TYPE = 0.8
# Without a question word, the first label is the answer's; later ones get these shares.
SECOND, LATER = 0.35, 0.2
# "The film Conan", "Conan is a film": a label this near to a value describes the value.
NEAR = 3
_DETERMINERS = frozenset({"which", "what", "this"})
_GROUPING = frozenset({"each", "every", "per"})
_ASKING = frozenset({"who", "whom", "when", "where"})
_SOMEBODY = frozenset({"people", "person", "someone", "somebody", "anyone", "anybody", "those", "everyone", "one"})
# Before these words, "who" asks: tell me who.
_ASKED = frozenset({"and", "me", "us", "know", "of", "say", "tell", "find", "out", "but", "or"})
_POINTING = _DETERMINERS | {"that", "these"}
_NAMING = frozenset({"called", "named"})
# Between a label and a value, these say that they are two.
_APART = frozenset({"at", "by", "from", "in", "near", "to", "with"})
_IS = frozenset({"is", "are", "was", "were"})


@dataclass(frozen=True, slots=True)
class TargetLabels:
    """How likely each label is the answer's, 0 to 1.

    ``appositions`` holds the indexes of words that only describe a value, ``question_word`` the index of the word that
    asks for the answer, if there is one.
    """

    labels: Mapping[str, float]
    appositions: frozenset[int]
    question_word: int | None = None


def target_labels(reading: Reading, likeness: Likeness, *, schema: GraphSchema, likenesses: Likenesses) -> TargetLabels:
    """The labels that a question may ask for."""
    mentions: list[tuple[Mapping[str, float], bool]] = []
    asking: list[int] = []
    appositions: set[int] = set()
    modified = False
    values = {
        literal.first: owners
        for literal in reading.literals
        if (owners := _owners(literal, schema)) and _is_asked_for(reading, literal, likeness)
    }
    for index in sorted({*likeness, *values}):
        if index in values:
            mentions.append((values[index], True))
            continue
        labels = _labels(reading, index, likeness[index], schema=schema, likenesses=likenesses)
        if _says_what_a_value_is(reading, index, labels, schema=schema):
            appositions.add(index)
            continue
        if _is_relative(reading, index, likeness):
            continue
        pointed = modified or _is_pointed_at(reading, index)
        modified = pointed and bool(labels) and _modifies(reading, index, likeness)
        if modified:
            # Which crime locations, which vehicle-related crimes: the last noun is what is asked for.
            continue
        if pointed:
            labels = labels or _nearest_label(likeness[index])
            labels |= _by_type(reading, index, likeness[index], labels, schema=schema, likenesses=likenesses)
        if labels or (pointed and _is_unknown(reading, index, likeness[index])):
            mentions.append((labels, pointed))
            asking += [index] if pointed else []
    if not mentions and reading.aggregation and reading.aggregation.type:
        # How high is the highest point.
        mentions.append((_implied(reading, reading.aggregation.type, schema), False))
    return TargetLabels(_weighed(mentions), frozenset(appositions), asking[0] if asking else None)


def _is_asked_for(reading: Reading, literal: Literal, likeness: Likeness) -> bool:
    """Whether a value of a closed list stands where the answer's label would: *how many Sergeants*, *which thefts*."""
    after = likeness.get(literal.last + 1, {})
    return (
        literal.weight == 1
        and _is_pointed_at(reading, literal.first)
        and not any(value >= NAMES for value in _label_values(after))
    )


def _owners(literal: Literal, schema: GraphSchema) -> dict[str, float]:
    """The labels of the nodes that have a value, and are not called by it."""
    return {
        condition.owner.name: 1.0
        for condition in literal.conditions
        if condition.operator == "is" and condition.owner.kind == "label" and not _calls(condition, schema)
    }


def _is_unknown(reading: Reading, index: int, row: Mapping[Element, float]) -> bool:
    """Whether a question counts something that is nothing in the schema: *how many cases*."""
    return _is_counted(reading, index) and all(value < NAMES for value in row.values())


def _is_counted(reading: Reading, index: int) -> bool:
    """Whether a word is what a question counts: *how many films*, *the number of films*."""
    wanted = reading.aggregation
    counts = wanted is not None and wanted.figure and wanted.function == "count"
    return counts and index > 0 and is_cue(reading, reading.words[index - 1])


def _implied(reading: Reading, type: str, schema: GraphSchema) -> dict[str, float]:
    """The ends of a type that is asked for, without those that the question names."""
    ends = schema.ends[type]
    return dict.fromkeys(_not_given(reading, ends) or ends, BY_TYPE)


def _not_given(reading: Reading, labels: Sequence[str]) -> list[str]:
    """The labels of which the question states no value: if it names a film, it asks for its year, not for a film."""
    conditions = (condition for literal in reading.literals for condition in literal.conditions)
    given = {condition.owner.name for condition in conditions if condition.operator == "is"}
    return [label for label in labels if label not in given]


def _weighed(mentions: Sequence[tuple[Mapping[str, float], bool]]) -> dict[str, float]:
    any_pointed = any(pointed for _, pointed in mentions)
    weights: dict[str, float] = {}
    for number, (labels, pointed) in enumerate(mentions):
        first = number == 0 and not any_pointed
        share = 1.0 if pointed or first else SECOND if number <= 1 else LATER
        for label, value in labels.items():
            weights[label] = max(weights.get(label, 0.0), share * value)
    return weights


def _labels(
    reading: Reading, index: int, row: Mapping[Element, float], *, schema: GraphSchema, likenesses: Likenesses
) -> dict[str, float]:
    """The labels that a word names; a word such as *actor* stands for a person."""
    labels = {element.name: value for element, value in row.items() if element.kind == "label" and value >= NAMES}
    if any(value >= EXACT and len(telling_words(label)) == 1 for label, value in labels.items()):
        labels = {label: value if len(telling_words(label)) == 1 else PART * value for label, value in labels.items()}
    text = reading.words[index].text.casefold()
    if text.endswith("ed") and any(element.kind == "type" and value >= EXACT for element, value in row.items()):
        # What was ordered is not an order.
        return {}
    exact = any(value >= EXACT for value in labels.values())
    does = any(element.kind == "type" and value >= NAMES for element, value in row.items())
    if names_a_doer(reading.words[index].text) and does and not exact:
        cosines = likenesses.labels_like(("person",), tuple(schema.labels))
        shares = {label: min(1.0, (cosine - NOTHING) / (CERTAIN - NOTHING)) for label, cosine in cosines.items()}
        return {label: share for label, share in shares.items() if share > PERSONLIKE}
    return labels


def _is_relative(reading: Reading, index: int, likeness: Likeness) -> bool:
    """Whether *who* or *where* begins a relative clause, or stands before the noun that is asked for.

    *People who ...*, *Ann, who ...*, *homes where ...*; *who are the officers*.
    """
    if reading.words[index].text.casefold() not in _ASKING:
        return False
    following = [word.text.casefold() for word in reading.words[index + 1 : index + 3]]
    if following[1:] == ["the"] and following[0] in _IS:
        return any(value >= NAMES for value in _label_values(likeness.get(index + 3, {})))
    if not index:
        return False
    before = index - 2 if reading.words[index - 1].text == "," else index - 1
    word = reading.words[before] if before >= 0 else None
    if word is None or word.text.casefold() in _ASKED:
        return False
    return (
        word.literal is not None or word.text.casefold() in _SOMEBODY or bool(_nearest_label(likeness.get(before, {})))
    )


def _modifies(reading: Reading, index: int, likeness: Likeness) -> bool:
    """Whether a noun stands before another that names a label, or is joined to a word by a hyphen."""
    following = reading.words[index + 1 : index + 2]
    asks = _ASKING.intersection(word.text.casefold() for word in reading.words[index : index + 2])
    if not following or following[0].literal is not None or asks or following[0].text.endswith(("ed", "ing")):
        return False
    if following[0].text == "-":
        return any(
            value >= NAMES for later in likeness if later > index + 2 for value in _label_values(likeness[later])
        )
    return any(value >= NAMES for value in _label_values(likeness.get(index + 1, {})))


def _label_values(row: Mapping[Element, float]) -> list[float]:
    return [value for element, value in row.items() if element.kind == "label"]


def _nearest_label(row: Mapping[Element, float]) -> dict[str, float]:
    """The label that a word resembles most, if it does so at all: the word is where the answer's label stands."""
    values = {element.name: value for element, value in row.items() if element.kind == "label" and value >= RESEMBLES}
    return {label: value for label, value in values.items() if value == max(values.values())}


def _says_what_a_value_is(reading: Reading, index: int, labels: Mapping[str, float], *, schema: GraphSchema) -> bool:
    """Whether a label only says what a named node is: *the film Conan*; Pontiac cars, however, are cars of a make."""
    word = reading.words[index].text.casefold()
    before = reading.words[index - 1].text.casefold() if index else ""
    if before in _POINTING or word in _ASKING:
        return False
    for literal in reading.literals:
        distance = literal.first - index if index < literal.first else index - literal.last
        between = reading.words[index + 1 : literal.first] or reading.words[literal.last + 1 : index]
        if any(_separates(word) for word in between):
            continue
        near = distance <= NEAR and (distance == 1 or not word.endswith("s"))
        following = reading.words[index + 1 : index + 2]
        if names_a_doer(word) and following and following[0].text.casefold() == "of":
            # The director of Conan is not Conan.
            continue
        owners = (condition.owner for condition in literal.conditions if _calls(condition, schema))
        if near and literal.weight == 1 and any(owner.kind == "label" and owner.name in labels for owner in owners):
            return True
    return False


def _separates(word: Word) -> bool:
    """Whether a label and a value with this word between them are two: *the state bordering Ohio*, *a city in Ohio*."""
    text = word.text.casefold()
    return text in _APART or (word.telling and text not in _NAMING)


def _calls(condition: Condition, schema: GraphSchema) -> bool:
    """Whether a value is what a node is called by, its name or a key."""
    return is_name(condition, schema) or (condition.operator == "is" and is_identifier(condition.property))


def _is_pointed_at(reading: Reading, index: int) -> bool:
    """Whether a question word points at a word: who, which films, what are the genres."""
    before = index
    while before and reading.words[before - 1].literal is not None:
        # Which Pontiac cars.
        before -= 1
    # Without the words of the aggregation: what is the latest film.
    others = (word for word in reading.words[:before] if not is_cue(reading, word))
    words = [*(word.text.casefold() for word in others), reading.words[index].text.casefold()]
    if words[-2:-1] and (words[-2].isdigit() or words[-2] in NUMBER_WORDS):
        # Which three films.
        del words[-2]
    if _is_counted(reading, index):
        return True
    wanted = reading.aggregation
    if wanted and not wanted.order and _GROUPING.intersection(words[-2:-1]):
        return True
    if words[-1] in _ASKING or _DETERMINERS.intersection(words[-2:-1]):
        return True
    what_are = words[-3:-2] == ["what"] and bool(_IS.intersection(words[-2:-1]))
    are_the = words[-2:-1] == ["the"] and bool(_IS.intersection(words[-3:-2])) and index <= NEAR
    return what_are or (are_the and words[0] not in ("when", "where"))


def _by_type(
    reading: Reading,
    index: int,
    row: Mapping[Element, float],
    labels: Mapping[str, float],
    *,
    schema: GraphSchema,
    likenesses: Likenesses,
) -> dict[str, float]:
    """The label at the end of a type that the question asks for, such as the year of a release."""
    if any(value >= LABEL_ITSELF for value in labels.values()):
        return {}
    following = reading.words[index + 1 : index + 2]
    texts = [reading.words[index].text.casefold(), *(word.text.casefold() for word in following if word.telling)]
    asked: dict[str, float] = {}
    for element, value in row.items():
        if element.kind == "type" and value >= NAMES and schema.ends[element.name]:
            ends = _not_given(reading, schema.had(element.name)) or schema.ends[element.name]
            cosines = likenesses.labels_like(texts, ends)
            label = max(ends, key=lambda end: cosines[end])
            asked[label] = max(asked.get(label, 0.0), labels.get(label, 0.0), BY_TYPE * value)
    return asked
