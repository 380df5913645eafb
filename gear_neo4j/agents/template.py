"""The template agent: answers with the rows of a query that the owner of the graph wrote for such questions.

A model is called only if no template is certain, and only once; it never writes a query.
"""

from collections.abc import Mapping
from typing import ClassVar

from gear_neo4j.agents.agent import Agent
from gear_neo4j.agents.answer import Answer, QueryAttempt, StopReason
from gear_neo4j.agents.cypher import EMPTY, LONGEST_FACT, row_text, value_text
from gear_neo4j.agents.run import OnEvent, Run, with_note
from gear_neo4j.domain import Fact, Hits
from gear_neo4j.errors import DatabaseError, QueryTimeout
from gear_neo4j.graph.guard.excerpt import Excerpt
from gear_neo4j.graph.guard.template import shown
from gear_neo4j.recipes.recipe import Budget, option
from gear_neo4j.retrieval.question import checked
from gear_neo4j.retrieval.templates.finder import TemplateFinder, TemplateMatch
from gear_neo4j.roles.parsers import Draft
from gear_neo4j.roles.template_chooser import TemplateChooser


class TemplateAgent(Budget):
    """Answers with a query that the graph's owner wrote; a model chooses one only if none is certain.

    Raises:
        SettingsError: an option is out of its range.
    """

    name: ClassVar[str] = "template"
    requires_graph: ClassVar[bool] = True
    whole_graph: ClassVar[str] = "it reads nodes of your own, some of which may be hidden there"
    listed: int = option(20, "maximum number of rows in an answer", least=1)

    @property
    def requires_model(self) -> bool:
        """False: it answers without a language model if a template is certain."""
        return False


class TemplateLoop:
    """Finds the template for a question, runs it, and answers with its rows."""

    def __init__(
        self,
        finder: TemplateFinder,
        *,
        chooser: TemplateChooser | None = None,
        options: TemplateAgent = TemplateAgent(),
    ) -> None:
        self._finder = finder
        self._chooser = chooser
        self._options = options

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question with the rows of a template; it reads no passages.

        If no template is certain, and no model chooses one, the answer is empty.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        run = self._begun(checked(question, k=k), on_event)
        with run.timed("templates"):
            match = self._finder.certain(run.question)
        match = match or self._chosen(run)
        if match is None:
            return self._ended(run, run.stopped() or "abstained")
        try:
            read = self._finder.read(match)
        except DatabaseError as error:
            if type(error) not in (DatabaseError, QueryTimeout):
                raise
            run.note(queries=(_attempt(match, problem=str(error)),))
            run.emit("failure", str(error))
            return self._ended(run, "no_graph_evidence")
        return self._answered(run, match, read)

    def certain(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer | None:
        """The answer of the template that is certain, if any; None if it has no rows. No model is called."""
        text = checked(question, k=k)
        found = self._finder.answer(text)
        if found is None:
            return None
        return self._answered(self._begun(text, on_event, roles="no model"), found.match, found.read)

    def _begun(self, text: str, on_event: OnEvent | None, *, roles: str = "") -> Run:
        options = self._options
        name = roles or (self._chooser.name if self._chooser else "no model")
        run = Run(text, name, on_event, tokens=options.max_tokens, seconds=options.max_seconds)
        run.begin(text)
        return run

    def _chosen(self, run: Run) -> TemplateMatch | None:
        """The template that a model chooses."""
        chooser, templates = self._chooser, self._finder.all()
        if chooser is None or not templates or run.stopped():
            return None
        chosen = run.call("choose", lambda: chooser.choose_template(run.question, templates))
        return self._finder.spelled(*chosen) if chosen else None

    def _answered(self, run: Run, match: TemplateMatch, read: Excerpt) -> Answer:
        rows = read.rows[: self._options.listed]
        run.note(queries=(_attempt(match, rows=tuple(map(row_text, read.rows))),))
        run.emit("verdict", f"{match}: {match.template.statement}")
        run.remember([Fact(cells, "answers", str(match)) for row in rows if (cells := _cells(row))])
        facts = run.memory.facts
        if not facts:
            return self._ended(run, "no_graph_evidence")
        note = "there are more" if read.truncated or len(rows) < len(read.rows) else ""
        hits = Hits(run.question, "template", (), exact=not read.truncated, facts=facts)
        return run.finish(hits, with_note(run.cited_facts("; "), note), stop="answerable")

    def _ended(self, run: Run, stop: StopReason) -> Answer:
        return run.finish(Hits(run.question, "template", ()), Draft(""), stop=stop)


class TemplateFirst:
    """Answers by a template that is certain, else asks another agent."""

    def __init__(self, agent: Agent, templates: TemplateLoop) -> None:
        self._agent = agent
        self._templates = templates

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question; see the agent."""
        answer = self._templates.certain(question, k=k, on_event=on_event)
        return answer or self._agent.ask(question, k=k, on_event=on_event)


def _attempt(match: TemplateMatch, *, problem: str = "", rows: tuple[str, ...] = ()) -> QueryAttempt:
    template = match.template
    return QueryAttempt(
        template.statement, problem=problem, rows=rows, template=template.name, parameters=shown(match.values)
    )


def _cells(row: Mapping[str, object]) -> str:
    """The values of a row, without empty ones; the trace has the names of the columns."""
    return ", ".join(value_text(value) for value in row.values() if value not in EMPTY)[:LONGEST_FACT]
