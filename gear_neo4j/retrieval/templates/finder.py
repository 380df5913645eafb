"""Finds the template that a question asks for, without a language model, where that is certain."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from gear_neo4j.domain import Cypher
from gear_neo4j.errors import InputError, QueryTimeout
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.guard.excerpt import Excerpt
from gear_neo4j.graph.guard.template import Parameter, Template, shown
from gear_neo4j.graph.read.typegraph import words
from gear_neo4j.retrieval.patterns.absences import DENIED
from gear_neo4j.retrieval.patterns.aggregation import aggregation_in
from gear_neo4j.retrieval.patterns.finder import PatternFinder
from gear_neo4j.retrieval.patterns.language import WORD, alike, stem, stop_words
from gear_neo4j.retrieval.patterns.likeness import Likenesses, by_cosine
from gear_neo4j.retrieval.patterns.question_reader import QuestionReader
from gear_neo4j.retrieval.patterns.reading import Reading
from gear_neo4j.retrieval.patterns.search import PatternSearch
from gear_neo4j.retrieval.templates.linking import Stated, linked, property_of, stated_in

# The least nearness of a question and a description, and the least lead over the description of the next template.
NEAR = 0.5
LEAD = 0.08
# The least cosine of two words that say the same: offence and crime, but not burglary and crime.
SAME = 0.6
SAME_FORM = 0.9
# Words that say no more than that two things belong together.
_JOINING = frozenset(map(stem, ("involve", "happen", "occur", "take", "took", "place", "link", "connect", "make")))
_PLACEHOLDER = re.compile(r"\$\w+")
_ASKS = re.compile(r".*\b(?:how|who|whom|whose|what|which|where|when)\b", re.IGNORECASE)
_COMMAND = re.compile(
    r"^(?:(?:please|can you|show|list|give|find|name|get|me|us|all|every|the|an?)\s+)+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class TemplateMatch:
    """A template that answers a question, with the value of each parameter, and the nearness of its description."""

    template: Template
    values: Mapping[str, object]
    nearness: float = 1.0

    def __str__(self) -> str:
        """The name with the values: ``crimes-of-a-day(day: 2017-08-01)``."""
        return f"{self.template.name}({', '.join(f'{name}: {value}' for name, value in shown(self.values).items())})"


@dataclass(frozen=True, slots=True)
class TemplateAnswer:
    """A template with its values, the query that was sent, and its first rows."""

    match: TemplateMatch
    read: Excerpt

    @property
    def cypher(self) -> Cypher:
        """The query with its parameters, as text and numbers."""
        return Cypher(self.match.template.statement, shown(self.match.values))


class TemplateFinder:
    """Finds templates over one adopted graph; threads may share it.

    Under a scope that may hide nodes of the graph there are none.
    """

    def __init__(self, graph: Graph, finder: PatternFinder) -> None:
        self._graph = graph
        self._finder = finder

    def all(self) -> tuple[Template, ...]:
        """The templates by name; one round trip."""
        return self._graph.own_templates.all() if self._graph.admits_graph else ()

    def certain(self, question: str) -> TemplateMatch | None:
        """The template that a question certainly asks for.

        Its description is near and clearly nearer than any other, both count or order in the same way, and each value
        in the question belongs to exactly one parameter.

        Raises:
            InputError: the graph has too many values to hold in memory.
        """
        templates = self.all()
        search = self._finder.search() if templates else None
        if search is None:
            return None
        reading = search.reader.read(question)
        stated = stated_in(reading)
        near = _Nearness(reading, stated, search.likenesses)
        ranked = sorted(((near.of(template), template) for template in templates), key=lambda entry: -entry[0])
        nearness, best = ranked[0]
        if nearness < NEAR or any(nearness - other < LEAD for other, _ in ranked[1:]):
            return None
        values = _values(best, reading, stated, search)
        try:
            return None if values is None else TemplateMatch(best, best.bind(values), nearness)
        except InputError:
            # A quotation may be too long, and a date such as 31 February is none.
            return None

    def answer(self, question: str) -> TemplateAnswer | None:
        """The rows of the template that a question certainly asks for; None if it has none, or took too long."""
        match = self.certain(question)
        if match is None:
            return None
        try:
            read = self.read(match)
        except QueryTimeout:
            return None
        return TemplateAnswer(match, read) if read.rows else None

    def spelled(self, template: Template, values: Mapping[str, object]) -> TemplateMatch:
        """A template that a model chose, with its values as the graph spells them."""
        search = self._finder.search()
        if search is None:
            return TemplateMatch(template, values)
        own = {one.name: _spelled(one, values[one.name], search.reader) for one in template.parameters}
        return TemplateMatch(template, own)

    def read(self, match: TemplateMatch) -> Excerpt:
        """The first rows of a template.

        Raises:
            QueryTimeout: it took too long.
            DatabaseError: the server refused it, or a single row is too large.
        """
        return self._graph.own_templates.run(match.template, match.values)


def _spelled(parameter: Parameter, value: object, reader: QuestionReader) -> object:
    """A value as the graph spells it, if it is one of a property."""
    ref = property_of(parameter, reader.schema)
    stored = reader.stored(ref, value) if ref and isinstance(value, str) else ()
    return value if value in stored or len(stored) != 1 else stored[0]


def _values(
    template: Template, reading: Reading, stated: Sequence[Stated], search: PatternSearch
) -> Mapping[str, object] | None:
    """The values of a template's parameters; None if the question asks for other nodes, or in another way."""
    described = template.description
    asked, answered = search.asked_for(_as_question(reading.text)), search.asked_for(_as_question(described))
    if asked and answered and asked.isdisjoint(answered):
        return None
    if _aggregated(reading.text) != _aggregated(described):
        return None
    if _denies(reading.text) != _denies(described):
        return None
    if not _say_the_same(reading, search.reader.read(described), template.parameters, search.likenesses):
        return None
    own = _stems(described)
    return linked(
        template.parameters,
        [one for one in stated if not (_stems(one.text) and _stems(one.text) <= own)],
        search.reader,
    )


def _say_the_same(
    reading: Reading, described: Reading, parameters: Sequence[Parameter], likenesses: Likenesses
) -> bool:
    """Whether no word of a question is foreign to a description, and none of the description is missing.

    A word of a parameter may be missing: its value says it.
    """
    texts = (f"{words(one.name)} {words(one.kind)} {one.description}" for one in parameters)
    own = [match[0].casefold() for match in WORD.finditer(" ".join(texts))]
    said, wanted = _plain_words(reading), _plain_words(described)
    return _all_said(said, [*wanted, *own], likenesses) and _all_said(wanted, [*said, *own], likenesses)


def _all_said(some: Sequence[str], others: Sequence[str], likenesses: Likenesses) -> bool:
    forms = [stem(word) for word in others]
    left = [word for word in some if all(alike(stem(word), form) < SAME_FORM for form in forms)]
    if not left or not others:
        return not left
    return bool((likenesses.vectors(left) @ likenesses.vectors(others).T).max(axis=1).min() >= SAME)


def _plain_words(reading: Reading) -> list[str]:
    """The words of a text that carry meaning, without values and words that only join."""
    values = {number for number, literal in enumerate(reading.literals) if literal.weight == 1}
    return [
        word.text.casefold()
        for word in reading.words
        if word.telling and word.literal not in values and word.stem not in _JOINING
    ]


def _as_question(text: str) -> str:
    """A description or a command with a word that asks: the last noun after it is what is asked for.

    Example:
        >>> _as_question("the calls of a day"), _as_question("Show me all calls of May"), _as_question("Who called?")
        ('Which calls of a day', 'Which calls of May', 'Who called?')
    """
    return text if _ASKS.match(text) else f"Which {_COMMAND.sub('', text)}"


def _aggregated(text: str) -> str | None:
    """How a text orders its answer or, without an order, what it computes; the limit may be a parameter."""
    aggregation = aggregation_in(text)
    return (aggregation.order or aggregation.function) if aggregation else None


def _denies(text: str) -> bool:
    return any(DENIED.fullmatch(match[0]) for match in WORD.finditer(text))


class _Nearness:
    """The nearness of one question to descriptions: by the vectors of both, and by their words."""

    def __init__(self, reading: Reading, stated: Sequence[Stated], likenesses: Likenesses) -> None:
        self._likenesses = likenesses
        self._masked = _masked(reading.text, stated)
        self._words = _telling(self._masked)

    def of(self, template: Template) -> float:
        """The nearness of a template's description, 0 to 1."""
        described = _PLACEHOLDER.sub(lambda match: words(match[0][1:]), template.description)
        more = " ".join(f"{words(one.name)} {one.description}" for one in template.parameters)
        said, wanted = self._words, _telling(described)
        known = _telling(f"{described} {more}")
        if not said or not wanted:
            return 0.0
        whole, text = self._likenesses.vectors([self._masked, described])
        return (float(whole @ text) + self._covered(said, known) + self._covered(wanted, said)) / 3

    def _covered(self, some: Sequence[str], others: Sequence[str]) -> float:
        """The share of words that others say, too."""
        cosines = self._likenesses.vectors(some) @ self._likenesses.vectors(others).T
        by_form = [max(alike(stem(word), stem(other)) for other in others) for word in some]
        best = [max(form, by_cosine(cosine)) for form, cosine in zip(by_form, cosines.max(axis=1), strict=True)]
        return float(np.mean(best))


def _masked(text: str, stated: Sequence[Stated]) -> str:
    """A question with a word for each value, such as *name* or *date*."""
    for one in reversed(stated):
        text = f"{text[: one.start]}{one.kind}{text[one.end :]}"
    return " ".join(text.split())


def _telling(text: str) -> list[str]:
    """The words that carry meaning; if none does, all of them."""
    said = list(dict.fromkeys(match[0].casefold() for match in WORD.finditer(text) if match[0][0].isalpha()))
    return [word for word in said if word not in stop_words()] or said


def _stems(text: str) -> Set[str]:
    return {stem(word) for word in _telling(text)}
