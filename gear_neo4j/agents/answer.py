"""The result of an agent: an answer with its evidence, and the trace of the run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from gear_neo4j.domain import Fact, Hits, Passage, Path, Span, Triple
from gear_neo4j.models.recording import RecordedReply
from gear_neo4j.roles.citations import without_markers
from gear_neo4j.text.display import Displayed
from gear_neo4j.usage import Usage

NOT_CITED = "(not cited by the model)"
StopReason = Literal[
    "answerable",
    "max_steps",
    "no_new_question",
    "budget",
    "model_error",
    "no_graph_evidence",
    "abstained",
    "exhausted",
    "cancelled",
]


@dataclass(frozen=True, slots=True)
class Citation:
    """The target of a marker in the answer: a passage for ``[2]``, a fact of the gist memory for ``[F1]``.

    ``sentence`` supports the answer if the model did not cite this passage. If it cited nothing, the text has no
    marker; if it cited a passage that does not say this, the marker was corrected.
    ``spans`` are the parts of the passage's text that support the sentences with the marker, as far as they were found.
    """

    marker: str
    passage: Passage | None = None
    fact: Fact | None = None
    sentence: str = ""
    spans: tuple[Span, ...] = ()

    @property
    def quotes(self) -> tuple[str, ...]:
        """The parts of the passage's text at the spans.

        Example:
            >>> Citation("2", Passage("p1", "Install", "Use pip. Or uv."), spans=(Span(0, 8),)).quotes
            ('Use pip.',)
        """
        text = self.passage.text if self.passage else ""
        return tuple(text[span.start : span.end] for span in self.spans)

    def __str__(self) -> str:
        """The marker with its passage's title and location, or its fact.

        Example:
            >>> print(Citation("2", Passage("p1", "Install", "Use pip.", "docs/guide.md", "line 12")))
            [2] Install (docs/guide.md, line 12)
            >>> print(Citation("2", Passage("p1", "Install", "Use pip."), sentence="Use pip."))
            [2] Install: "Use pip." (not cited by the model)
        """
        if self.passage is None:
            return f"[{self.marker}] {self.fact}"
        location = self.passage.location
        title = self.passage.title or self.passage.id
        source = f"{title} ({location})" if location else title
        support = f': "{self.sentence}" {NOT_CITED}' if self.sentence else ""
        return f"[{self.marker}] {source}{support}"


@dataclass(frozen=True, slots=True)
class QueryAttempt:
    """A query that an agent ran: why it failed, or its rows, one per line.

    ``template`` names the template filled in with ``parameters``; ``cypher`` is a query written by a model.
    """

    text: str
    problem: str = ""
    rows: tuple[str, ...] = ()
    template: str = "cypher"
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A question of a plan sent to a tool: the tool's answer, or the reason for its failure."""

    tool: str
    question: str
    answer: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A critic's verdict: ``role`` names the critic, ``of`` is a passage's id or the text that was judged.

    A higher ``score`` is better; None if the critic only gives a ``label``.
    """

    role: str
    of: str
    label: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of the agent: its question, results, notes and decision; passages by id, best first.

    ``linked`` has an entry for each proximal triple; ``gist`` has the facts added to the memory; ``reason`` is the
    answer if ``answerable`` is True, and what is missing if it is False (None: not judged). ``merged`` is the ranking
    up to this step, if it is not the fusion of all lists; ``queries`` were sent to the database. ``action`` is the
    decision of an agent that judges, ``judgements`` are its reasons. ``plan`` has the open questions of a planner, one
    per line, ``tool_calls`` the questions sent to tools.
    """

    number: int
    question: str
    base: tuple[str, ...] = ()
    proximal: tuple[Fact, ...] = ()
    linked: tuple[Triple | None, ...] = ()
    paths: tuple[Path, ...] = ()
    ranking: tuple[str, ...] = ()
    gist: tuple[Fact, ...] = ()
    answerable: bool | None = None
    reason: str = ""
    rewrite: str = ""
    failures: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    queries: tuple[QueryAttempt, ...] = ()
    action: str = ""
    judgements: tuple[Judgement, ...] = ()
    plan: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    milliseconds: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, Usage] = field(default_factory=dict)


class StepFields(TypedDict, total=False):
    """The fields of a step that a run can record: those of :class:`Step` except its number and question."""

    base: tuple[str, ...]
    proximal: tuple[Fact, ...]
    linked: tuple[Triple | None, ...]
    paths: tuple[Path, ...]
    ranking: tuple[str, ...]
    gist: tuple[Fact, ...]
    answerable: bool | None
    reason: str
    rewrite: str
    failures: tuple[str, ...]
    merged: tuple[str, ...]
    queries: tuple[QueryAttempt, ...]
    action: str
    judgements: tuple[Judgement, ...]
    plan: tuple[str, ...]
    tool_calls: tuple[ToolCall, ...]
    milliseconds: Mapping[str, float]
    usage: Mapping[str, Usage]


@dataclass(frozen=True, slots=True)
class Trace:
    """The record of a run: its steps, the passages of each gist triple, the selection, and the model's replies.

    ``scope`` is the JSON of the scope of the run, empty without one.
    """

    question: str
    roles: str
    steps: tuple[Step, ...] = ()
    links: tuple[tuple[str, ...], ...] = ()
    selected: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""
    replies: tuple[RecordedReply, ...] = ()
    scope: Mapping[str, Any] = field(default_factory=dict)

    @property
    def gist(self) -> tuple[Fact, ...]:
        """The final gist memory, in the order in which it grew."""
        return tuple(fact for step in self.steps for fact in step.gist)


@dataclass(frozen=True, slots=True)
class Answer(Displayed):
    """A short answer with its citations, the passages and paths behind it, and its trace.

    ``removed`` lists the invented markers that were removed from the text; ``usage`` is by role. ``grounded`` is False
    if the agent checks its answer and no passage supports it, or if the model cites nothing and no sentence of the
    passages supports it. ``asked`` is the last question of a conversation if
    ``question`` is what was made of it.
    """

    question: str
    text: str
    hits: Hits
    trace: Trace
    stop_reason: StopReason
    citations: tuple[Citation, ...] = ()
    removed: tuple[str, ...] = ()
    usage: Mapping[str, Usage] = field(default_factory=dict)
    seconds: float = 0.0
    failure: str = ""
    grounded: bool = True
    asked: str = ""

    @property
    def plain(self) -> str:
        """The text without its markers."""
        return without_markers(self.text)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths of all steps, best first within a step."""
        return self.hits.paths

    @property
    def gist(self) -> tuple[Fact, ...]:
        """The facts that the agent kept."""
        return self.trace.gist

    @property
    def total(self) -> Usage:
        """The usage of all roles together."""
        return sum(self.usage.values(), Usage())
