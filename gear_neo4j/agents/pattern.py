"""The pattern agent: answers a question about an adopted graph with the nodes of one pattern.

All patterns are verified to have results. A model is called only if none of them is certain, and only once.
"""

from collections.abc import Sequence
from typing import ClassVar

from gear_neo4j.agents.answer import Answer, QueryAttempt, StopReason
from gear_neo4j.agents.run import OnEvent, Run, with_note
from gear_neo4j.domain import Fact, Hits
from gear_neo4j.recipes.recipe import Budget, option
from gear_neo4j.retrieval.patterns.confidence import SURE
from gear_neo4j.retrieval.patterns.finder import EntityResult, PatternFinder
from gear_neo4j.retrieval.question import checked
from gear_neo4j.roles.chooser import Choice, Chooser
from gear_neo4j.roles.parsers import Draft

# Answers that a prompt shows for each pattern.
SHOWN = 5


class PatternAgent(Budget):
    """Answers from the nodes of an adopted graph; a model only chooses if no pattern is certain.

    Raises:
        SettingsError: an option is out of its range.
    """

    name: ClassVar[str] = "pattern"
    requires_graph: ClassVar[bool] = True
    whole_graph: ClassVar[str] = "it reads nodes of your own, some of which may be hidden there"
    sure: float = option(SURE, "certainty from which a pattern is used without a model", least=0, most=1)
    patterns: int = option(8, "maximum number of patterns for a model to choose from", least=2)
    listed: int = option(20, "maximum number of nodes in an answer", least=1)

    @property
    def requires_model(self) -> bool:
        """False: it answers without a language model if a pattern is certain."""
        return False


class PatternLoop:
    """Finds patterns with results, chooses one, and answers with its nodes."""

    def __init__(
        self, finder: PatternFinder, *, chooser: Chooser | None, options: PatternAgent = PatternAgent()
    ) -> None:
        self._finder = finder
        self._chooser = chooser
        self._options = options

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question with the nodes of a pattern, or a figure over them; it reads no passages.

        If no pattern is certain, and no model chooses one, the answer is empty.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        text = checked(question, k=k)
        options = self._options
        name = self._chooser.name if self._chooser else "no model"
        run = Run(text, name, on_event, tokens=options.max_tokens, seconds=options.max_seconds)
        run.begin(text)
        with run.timed("patterns"):
            results = self._finder.alternatives(text, most=options.patterns, answers=options.listed)
        chosen = self._choose(run, results)
        if chosen is None:
            stop: StopReason = "abstained" if results else "no_graph_evidence"
            return run.finish(Hits(text, "pattern", ()), Draft(""), stop=run.stopped() or stop)
        run.note(queries=(_attempt(chosen),))
        hits = Hits(text, "pattern", (), exact=chosen.exact, entities=chosen.entities, figure=chosen.figure)
        return run.finish(hits, with_note(listed(run, chosen), _note(chosen)), stop="answerable")

    def _choose(self, run: Run, results: Sequence[EntityResult]) -> EntityResult | None:
        """The certain result, or the one that a model chooses; None if there is neither."""
        if results and results[0].confidence >= self._options.sure and not results[0].doubt:
            return results[0]
        chooser = self._chooser
        if not results or chooser is None or run.stopped():
            return None
        choices = [Choice(str(result.cypher), _shown(result)) for result in results]
        number = run.call("choose", lambda: chooser.choose(run.question, choices))
        return results[number] if number is not None else None


def listed(run: Run, result: EntityResult) -> Draft:
    """The nodes or the figure of a result as an answer; each is a fact of the run, and cited."""
    run.remember(_facts(result))
    return run.cited_facts(", ")


def _shown(result: EntityResult) -> str:
    """The figure, or the first nodes of a result and how many more there are."""
    if result.figure:
        return str(result.figure.value)
    names = ", ".join(entity.name for entity in result.entities[:SHOWN])
    more = len(result.entities) - SHOWN
    if not result.exact:
        return f"{names}, and more"
    return f"{names}, and {more} more" if more > 0 else names


def _note(result: EntityResult) -> str:
    """The phrases of the question that the pattern does not use, and whether there are more nodes."""
    unused = ", ".join(f"'{phrase}'" for phrase in result.unused)
    more = "" if result.exact or result.figure else "there are more"
    return "; ".join(filter(None, (more, f"not used: {unused}" if unused else "")))


def _attempt(result: EntityResult) -> QueryAttempt:
    rows = (str(result.figure.value),) if result.figure else tuple(entity.name for entity in result.entities)
    return QueryAttempt(result.cypher.statement, rows=rows, template="pattern", parameters=result.cypher.parameters)


def _facts(result: EntityResult) -> list[Fact]:
    """A fact for the figure, or for each node."""
    if result.figure:
        return [Fact(str(result.figure.value), "is over", result.figure.pattern)]
    return [
        Fact(entity.name, "answers", entity.pattern if entity.value is None else f"{entity.pattern}: {entity.value}")
        for entity in result.entities
    ]
