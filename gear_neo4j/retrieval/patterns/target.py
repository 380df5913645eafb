"""What a question asks for: how likely each label is the answer's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gear_neo4j.graph.read.graph_schema import GraphSchema
from gear_neo4j.retrieval.patterns.amounts import NUMBER_WORDS
from gear_neo4j.retrieval.patterns.language import names_a_doer
from gear_neo4j.retrieval.patterns.likeness import CERTAIN, NOTHING, Element, Likeness, Likenesses
from gear_neo4j.retrieval.patterns.reading import Reading

# Minimum likeness at which a word names a label or type.
NAMES = 0.6
EXACT = 0.9
LABEL_ITSELF = 0.8
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
_POINTING = _DETERMINERS | {"that", "these"}
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
    for index in sorted(likeness):
        labels = _labels(reading, index, likeness[index], schema=schema, likenesses=likenesses)
        if _says_what_a_value_is(reading, index, labels):
            appositions.add(index)
            continue
        pointed = _is_pointed_at(reading, index)
        if pointed:
            labels |= _by_type(reading, index, likeness[index], labels, schema=schema, likenesses=likenesses)
        if labels:
            mentions.append((labels, pointed))
            asking += [index] if pointed else []
    return TargetLabels(_weighed(mentions), frozenset(appositions), asking[0] if asking else None)


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


def _says_what_a_value_is(reading: Reading, index: int, labels: Mapping[str, float]) -> bool:
    word = reading.words[index].text.casefold()
    before = reading.words[index - 1].text.casefold() if index else ""
    if before in _POINTING or word in _ASKING:
        return False
    for literal in reading.literals:
        distance = literal.first - index if index < literal.first else index - literal.last
        near = distance <= NEAR and (distance == 1 or not word.endswith("s"))
        following = reading.words[index + 1 : index + 2]
        if names_a_doer(word) and following and following[0].text.casefold() == "of":
            # The director of Conan is not Conan.
            continue
        owners = (condition.owner for condition in literal.conditions if condition.operator == "is")
        if near and literal.weight == 1 and any(owner.kind == "label" and owner.name in labels for owner in owners):
            return True
    return False


def _is_pointed_at(reading: Reading, index: int) -> bool:
    """Whether a question word points at a word: who, which films, what are the genres."""
    words = [word.text.casefold() for word in reading.words[: index + 1]]
    if words[-2:-1] and (words[-2].isdigit() or words[-2] in NUMBER_WORDS):
        # Which three films.
        del words[-2]
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
    conditions = (condition for literal in reading.literals for condition in literal.conditions)
    given = {condition.owner.name for condition in conditions if condition.operator == "is"}
    asked: dict[str, float] = {}
    for element, value in row.items():
        if element.kind == "type" and value >= NAMES and schema.ends[element.name]:
            # If the question names a film, it asks for its year, not for a film.
            ends = [end for end in schema.ends[element.name] if end not in given] or schema.ends[element.name]
            cosines = likenesses.labels_like(texts, ends)
            label = max(ends, key=lambda end: cosines[end])
            asked[label] = max(asked.get(label, 0.0), labels.get(label, 0.0), BY_TYPE * value)
    return asked
