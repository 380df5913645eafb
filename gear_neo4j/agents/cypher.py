"""The Cypher agent: a model writes a query from the question and the schema, and answers from the rows.

A model can write anything, and texts in the graph may contain injected instructions. So every query passes the guard
(:mod:`gear_neo4j.graph.guard.guard`) and runs in a read-only transaction.
"""

import json
from collections.abc import Mapping
from itertools import accumulate
from typing import ClassVar

from gear_neo4j.adoption.survey import RecentSurvey, Survey
from gear_neo4j.agents.answer import Answer, QueryAttempt, StopReason
from gear_neo4j.agents.run import OnEvent, Run, note_fact, with_note
from gear_neo4j.agents.schema import schema_text
from gear_neo4j.domain import Fact, Hits
from gear_neo4j.errors import DatabaseError, GuardError, InputError, QueryTimeout
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.guard.excerpt import Excerpt
from gear_neo4j.graph.guard.guard import admit
from gear_neo4j.recipes.recipe import Budget, option
from gear_neo4j.retrieval.patterns.finder import PatternFinder
from gear_neo4j.retrieval.question import checked
from gear_neo4j.roles.parsers import Draft
from gear_neo4j.roles.text_to_cypher import TextToCypher

LONGEST_FACT = 1_000
LONGEST_MEMORY = 20_000
EMPTY: tuple[object, ...] = (None, "", [], {})


class CypherAgent(Budget):
    """Read-only Cypher queries that the model writes; docs/cypher.md says when to allow them.

    Raises:
        SettingsError: ``rows`` is below 1, or ``timeout`` is not above 0.
    """

    name: ClassVar[str] = "cypher"
    unscoped: ClassVar[str] = "a query written by a model may read anything"
    operator_only: ClassVar[str] = "a model writes its queries"
    rows: int = option(50, "maximum number of rows to read", least=1)
    timeout: float = option(10.0, "timeout of a query, in seconds", above=0, client_most=30)


class CypherLoop:
    """Turns question and schema into one query, its rows into facts, and the facts into an answer that cites them."""

    def __init__(
        self,
        graph: Graph,
        *,
        survey: RecentSurvey,
        generator: TextToCypher,
        finder: PatternFinder | None = None,
        options: CypherAgent = CypherAgent(),
    ) -> None:
        self._graph = graph
        self._survey = survey
        self._generator = generator
        self._finder = finder
        self._options = options

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question from the rows of a query, without passages; without rows, there is no answer.

        Raises:
            InputError: the question is blank, k is below 1, or the graph contains only passages and triples.
            DatabaseError: the server failed; a query that it merely refuses does not raise.
        """
        text = checked(question, k=k)
        linked = self._finder.linked(text) if self._finder else frozenset()
        schema = schema_text(self._graph_survey(), linked=linked)
        options = self._options
        run = Run(text, self._generator.name, on_event, tokens=options.max_tokens, seconds=options.max_seconds)
        run.begin(text)
        read = run.call("query", lambda: self._generator.query(text, schema, use=lambda query: self._read(run, query)))
        facts, note = facts_of(read or Excerpt(()))
        run.remember(facts)
        hits = Hits(text, "cypher", (), facts=run.memory.facts, usage=dict(run.usage))
        stop: StopReason = "answerable" if run.memory.facts else "no_graph_evidence"
        if not run.memory.facts or run.stopped():
            return run.finish(hits, Draft(""), stop=run.stopped() or stop)
        draft = run.answer(self._generator, (), memory=run.memory.facts)
        return run.finish(hits, with_note(draft, note), stop="model_error" if run.failure else stop)

    def _graph_survey(self) -> Survey:
        graph_survey = self._survey.current()
        # Entities without relationship types come from our own triples; an adopted graph has more labels or types.
        if not graph_survey.types and graph_survey.labels.keys() <= {"Entity"}:
            raise InputError(
                f"{self._graph.name} holds no graph to query, only passages and triples: ask another agent"
            )
        return graph_survey

    def _read(self, run: Run, text: str) -> Excerpt:
        """The rows of a query; raises ValueError if another query may succeed."""
        if not text:
            _record(run, QueryAttempt("", "the model finds no query for this schema"))
            return Excerpt(())
        try:
            query = admit(self._graph, text, limit=self._options.rows, timeout=self._options.timeout)
            answer = self._graph.read_text(query, limit=self._options.rows, timeout=self._options.timeout)
        except QueryTimeout as error:
            _record(run, QueryAttempt(text, str(error)))
            return Excerpt(())
        except DatabaseError as error:
            if type(error) not in (GuardError, DatabaseError):
                raise
            _record(run, QueryAttempt(text, str(error)))
            raise ValueError(str(error)) from error
        rows = [*([{"truncated": answer.truncated}] if answer.truncated else []), *answer.rows]
        _record(run, QueryAttempt(query, rows=tuple(json.dumps(row, ensure_ascii=False) for row in rows)))
        return answer


def facts_of(read: Excerpt) -> tuple[tuple[Fact, ...], str]:
    """A fact for each non-empty row, in order, as many as fit into a prompt; and a note on missing rows.

    If rows are missing, the first fact says so, because a model that counts rows must know.

    Example:
        >>> facts, note = facts_of(Excerpt(({"name": "Ana", "born": 1890}, {"name": None, "born": None})))
        >>> print(*facts)
        row 1 —has→ name = Ana; born = 1890
    """
    texts = [(number, row_text(row)) for number, row in enumerate(read.rows, start=1)]
    facts = [Fact(f"row {number}", "has", text) for number, text in texts if text]
    lengths = accumulate(len(fact.object) for fact in facts)
    shown = [fact for fact, length in zip(facts, lengths, strict=True) if length <= LONGEST_MEMORY]
    note = read.truncated
    if len(shown) < len(facts):
        note = f"only the first {len(shown)} rows were read: the others do not fit into a prompt"
    return ((*note_fact(note), *shown) if shown else (), note)


def row_text(row: Mapping[str, object]) -> str:
    """A row as text, without empty values; cut if it is long.

    Example:
        >>> row_text({"name": "Ana", "born": 1890, "died": None})
        'name = Ana; born = 1890'
    """
    text = "; ".join(f"{key} = {value_text(value)}" for key, value in row.items() if value not in EMPTY)
    return text if len(text) <= LONGEST_FACT else f"{text[: LONGEST_FACT - 1]}…"


def value_text(value: object) -> str:
    """A value of a row as text: texts unchanged, others as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _record(run: Run, query: QueryAttempt) -> None:
    run.note(queries=(*run.steps[-1].queries, query))
    run.emit("verdict", query.text)
    if query.problem:
        run.emit("failure", query.problem)
