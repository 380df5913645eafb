"""Reads a question for the pattern search: its words, and the values, numbers and flags that it states."""

import re
from collections.abc import Sequence
from dataclasses import replace

from gear_neo4j.graph.read.graph_schema import GraphSchema, PropertyRef
from gear_neo4j.graph.read.typegraph import words
from gear_neo4j.retrieval.dictionary import Match
from gear_neo4j.retrieval.patterns.aggregation import Aggregation, aggregation_in, aggregation_of
from gear_neo4j.retrieval.patterns.condition import QUOTED, Condition, is_excepted, is_negated, part_operator
from gear_neo4j.retrieval.patterns.conditions import dates_in
from gear_neo4j.retrieval.patterns.language import COUNTRIES, QUALIFIERS, stem, stop_words, telling_words
from gear_neo4j.retrieval.patterns.number_reader import IDS, NumberReader
from gear_neo4j.retrieval.patterns.phrases import Phrases
from gear_neo4j.retrieval.patterns.reading import Reading, Word, add, is_cue, is_free, words_of
from gear_neo4j.retrieval.patterns.vocabulary import Values, Vocabulary

# The weight of a literal that looks like an ordinary word.
PLAIN = 0.15
# A property with fewer values is a closed list: its values are recognised in lower case, too.
CLOSED = 200
_PARTS_OF_THE_WORLD = (["north"], ["south"], ["central"], ["latin"])
_VALUE_NEXT = re.compile(r"\s*(?:is|of|=|:|number)?\s*['\"“]?\d")
_PLURAL = re.compile(r"(?<=\w{3})(?<!s)s\b")
# After these words, a lower-case word of a question without any name is more likely one: the population of dallas.
_BEFORE_NAME = re.compile(r"\b(?:of|in|at|from|near|by|with|is|are|for|named|called)\s+$", re.IGNORECASE)
_DIGITS = re.compile(r"[\d.,$]+")
# Of fewer digits, a number may count the answers.
_LONG_NUMBER = re.compile(r"\d[\d.,]{2,}")


class QuestionReader:
    """Reads questions about one graph.

    Args:
        values: those of its text properties.
    """

    def __init__(self, schema: GraphSchema, values: Values) -> None:
        self.schema = schema
        self._values = values
        self._numbers = NumberReader(schema)
        self._properties = self._numbers.properties
        names = [*schema.labels, *schema.types]
        self._schema_words = {tuple(map(stem, telling_words(name))) for name in names}
        self._schema_words |= {stems for _, _, stems in self._properties}
        self._label_stems = {
            label: {stem(words(name)) for name in (label, *schema.synonyms.get(label, ()))} for label in schema.labels
        }
        self._schema_stems = {part for stems in self._schema_words for part in stems}
        self._superlative_names = [
            (name, parts)
            for name in (*names, *(property.name for _, property, _ in self._properties))
            if len(parts := telling_words(name)) > 1 and aggregation_in(" ".join(parts))
        ]
        self._countries = values.within(*(name for names in COUNTRIES for name in names))
        self._country_names = [
            (_written(names), known)
            for names in COUNTRIES
            if (known := [name for name in names if self._countries.conditions(name)])
        ]
        # Most values of a large graph are in no closed list.
        closed = {PropertyRef(owner, prop.name) for owner, prop, _ in self._properties if prop.distinct < CLOSED}
        self._phrases = Phrases(values.of(closed), plain=self._schema_stems)

    def read(self, question: str) -> Reading:
        """The words and literals of a question: first dates, then quotations, values, numbers, and flags."""
        known = self._values.within(question, _PLURAL.sub(" ", question))
        reading = Reading(question, list(words_of(question)), known)
        self._numbers.dates(reading)
        self._quotations(reading)
        self._whole_values(reading)
        self._in_countries(reading)
        self._said_in_part(reading)
        text, named = self._without_names(reading)
        reading.aggregation = aggregation_in(text) or named
        self._numbers.numbers(reading)
        self._flags(reading)
        for word, following in zip(reading.words, [*reading.words[1:], None], strict=True):
            # Officers called Ann call nobody.
            naming = word.text.casefold() == "called" and following is not None and following.literal is not None
            cue = naming or is_cue(reading, word)
            qualifies = word.text.casefold() in QUALIFIERS and following is not None and self._tells(following)
            word.telling = word.telling and (self._tells(word) or qualifies) and not cue
            word.unread = word.literal is None and not cue and bool(_LONG_NUMBER.match(word.text))
        return reading

    def stored(self, ref: PropertyRef, text: str) -> tuple[str, ...]:
        """The values of a property that a text means: its spellings, or the same date as the graph writes it."""
        said = [condition for condition in self._values.within(text).conditions(text) if _is_of(condition, ref)]
        if said:
            return said[0].texts
        day = next((date.bounds for date in dates_in(text)), None)
        if day is None or self.schema.properties(ref.owner)[ref.property].kind != "date":
            return ()
        values = [value for condition in self._values.of({ref}) for value in condition.texts]
        return tuple(value for value in values if any(date.bounds == day for date in dates_in(value)))

    def _without_names(self, reading: Reading) -> tuple[str, Aggregation | None]:
        """The text without values and names of the schema with a superlative, and the order that such a name implies.

        *The highest point* is one of several, *the highest points* are all of them.
        """
        text, implied = reading.without_values(), None
        for name, parts in self._superlative_names:
            for first in range(len(reading.words) - len(parts) + 1):
                words = reading.words[first : first + len(parts)]
                if [word.stem for word in words] == list(map(stem, parts)):
                    start, end = words[0].start, words[-1].end
                    text = text[:start] + "." * (end - start) + text[end:]
                    if name in self.schema.types and words[-1].text.casefold() == parts[-1]:
                        implied = aggregation_of(name, parts)
        return text, implied

    def _tells(self, word: Word) -> bool:
        if len(word.text) < 2 or not word.text[0].isalpha():
            return False
        plain = word.text.casefold() in stop_words()
        # As the first word, *name* is a command.
        return not plain or (word.start > 0 and len(word.text) > 3 and word.stem in self._schema_stems)

    def _quotations(self, reading: Reading) -> None:
        for match in QUOTED.finditer(reading.text):
            if not is_free(reading, *match.span()):
                continue
            text = match[2]
            operator = part_operator(reading.text[: match.start()])
            conditions = [] if operator else self._conditions(reading, match.start(), text)
            in_schema = tuple(map(stem, telling_words(text))) in self._schema_words
            if not conditions and not in_schema and not _DIGITS.fullmatch(text):
                conditions = self._values.parts(text, operator or "contains")
            add(reading, match.start(), match.end(), conditions)

    def _whole_values(self, reading: Reading) -> None:
        shouted = reading.text == reading.text.casefold()
        matches = reading.names.find(reading.text)
        matches += self._plurals(reading, matches)
        # If one name is capitalised, a lower-case word is unlikely to be another.
        named = any(match.text != match.text.casefold() for match in matches)
        for match in matches:
            conditions = [*self._conditions(reading, match.start, *match.nodes), *self._with_label(reading, match.text)]
            said = match.text.casefold().split()
            small = match.text == match.text.casefold()
            common = all(word in stop_words() or stem(word) in self._schema_stems for word in said)
            if not is_free(reading, match.start, match.end) or (small and common):
                continue
            if IDS.fullmatch(match.text) and _VALUE_NEXT.match(reading.text, match.end):
                # In *ID '3'*, it is no value, such as Idaho.
                continue
            if _DIGITS.fullmatch(match.text) and not any(map(self._is_name, conditions)):
                continue
            exact = any(match.text in condition.texts for condition in conditions)
            known = any(map(self._is_closed, conditions)) or (exact and not named)
            placed = not named and bool(_BEFORE_NAME.search(reading.text[: match.start]))
            # A word with a digit is a code.
            coded = any(letter.isdigit() for letter in match.text)
            plain = small and not shouted and len(said) == 1 and not (known or placed or coded)
            add(reading, match.start, match.end, conditions, weight=PLAIN if plain else 1.0, small=small)

    def _in_countries(self, reading: Reading) -> None:
        """Countries by another name than the graph's: *in the US* where it has USA."""
        for names, known in self._country_names:
            for match in names.finditer(reading.text):
                before = reading.text[: match.start()].casefold().split()[-1:]
                # Tell us; South America.
                means_it = before in (["the"], ["in"]) if match[0] == "us" else before not in _PARTS_OF_THE_WORLD
                if means_it and is_free(reading, *match.span()):
                    add(reading, *match.span(), self._countries.conditions(*known))

    def _with_label(self, reading: Reading, text: str) -> list[Condition]:
        """The nodes that a text names with their label: *Red River* may be the river Red."""
        said = text.split()
        parts = ((said[-1], " ".join(said[:-1])), (said[0], " ".join(said[1:])))
        return [
            condition
            for label, name in parts
            for condition in reading.known.conditions(name)
            if stem(label) in self._label_stems.get(condition.owner.name, ()) and self._is_name(condition)
        ]

    def _said_in_part(self, reading: Reading) -> None:
        """Values of several words, of which the question says most."""
        texts = ["" if word.literal is not None else word.text for word in reading.words]
        for phrase in self._phrases.find(texts):
            words = reading.words[phrase.first : phrase.last + 1]
            if all(word.literal is None for word in words):
                spellings = phrase.condition.texts
                known = self._values.within(*spellings)
                conditions = self._conditions(reading, words[0].start, *spellings, known=known)
                add(reading, words[0].start, words[-1].end, conditions)

    def _plurals(self, reading: Reading, others: Sequence[Match]) -> list[Match]:
        """Names in the plural, *Ewoks*, and capitalised values of closed lists: *Inspectors*."""
        matches = reading.names.find(_PLURAL.sub(" ", reading.text))
        known = {match.start for match in others}
        return [
            match
            for match in matches
            if match.start not in known
            and _PLURAL.match(reading.text, match.end)
            and any(
                self._is_name(condition) or (self._is_closed(condition) and match.text != match.text.casefold())
                for condition in reading.known.conditions(*match.nodes)
            )
        ]

    def _conditions(
        self, reading: Reading, start: int, *texts: str, known: Vocabulary | None = None
    ) -> list[Condition]:
        """The conditions that a property has one of the texts as its value, or must not: *other than Berlin*."""
        conditions = (known or reading.known).conditions(*texts)
        if is_excepted(reading.text[:start]):
            return [replace(condition, operator="other") for condition in conditions]
        return conditions

    def _is_name(self, condition: Condition) -> bool:
        return self.schema.names_with(condition.owner, condition.property)

    def _is_closed(self, condition: Condition) -> bool:
        return self.schema.properties(condition.owner)[condition.property].distinct < CLOSED

    def _flags(self, reading: Reading) -> None:
        for owner, property, stems in self._properties:
            if property.kind != "flag":
                continue
            said = [word for word in reading.words if word.stem in stems and word.literal is None]
            if {word.stem for word in said} == set(stems):
                value = not is_negated(reading.text[: said[0].start])
                condition = Condition(owner, property.name, "flag", flag=value, prior=0.5)
                add(reading, said[0].start, said[-1].end, [condition])


def _written(names: Sequence[str]) -> re.Pattern[str]:
    """Where a text has one of the names of a country."""
    longest_first = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{longest_first})(?!\w)", re.IGNORECASE)


def _is_of(condition: Condition, ref: PropertyRef) -> bool:
    return (condition.owner, condition.property) == (ref.owner, ref.property)
