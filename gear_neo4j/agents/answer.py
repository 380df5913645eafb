"""What every agent returns: an answer with its evidence, and the trace of how it came about."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from gear_neo4j.domain import Fact, Hits, Passage, Path, Triple
from gear_neo4j.models.recording import RecordedReply
from gear_neo4j.roles.parsers import without_markers
from gear_neo4j.usage import Usage

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
    """What a marker of the answer stands for: ``[2]`` a passage, ``[F1]`` a fact of the gist memory."""

    marker: str
    passage: Passage | None = None
    fact: Fact | None = None

    def __str__(self) -> str:
        """The marker with its passage's title and place, or its fact.

        Example:
            >>> print(Citation("2", Passage("p1", "Install", "Use pip.", "docs/guide.md", "line 12")))
            [2] Install (docs/guide.md, line 12)
        """
        if self.passage is None:
            return f"[{self.marker}] {self.fact}"
        place = ", ".join(part for part in (self.passage.source, self.passage.position) if part)
        title = self.passage.title or self.passage.id
        return f"[{self.marker}] {title} ({place})" if place else f"[{self.marker}] {title}"


@dataclass(frozen=True, slots=True)
class QueryAttempt:
    """A query that an agent tried: why it could not be used, or the rows it gave, a line each.

    ``template`` names what was filled in with the ``parameters``; ``cypher`` is a query that a model wrote.
    """

    text: str
    problem: str = ""
    rows: tuple[str, ...] = ()
    template: str = "cypher"
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A question that a plan put to a tool: the tool's answer, or why there is none."""

    tool: str
    question: str
    answer: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a critic said of one thing: ``role`` names the critic, ``of`` is a passage's id or a text of its own.

    A higher ``score`` is better; None, where there is only a ``label``.
    """

    role: str
    of: str
    label: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of the agent: what it asked, found, noted and decided; passages by id, best first.

    ``linked`` has a place for each proximal triple; ``gist`` is what the memory gained; ``reason`` is the answer where
    ``answerable`` is True, and what is missing where it is False (None: nobody was asked). ``merged`` is the ranking
    had the run ended here, where it is not the fusion of all lists; ``queries`` are those of agents that send some.
    ``action`` is what an agent that judges decided to do, ``judgements`` are why. ``plan`` holds the questions that a
    planner still wants answered, a line each, ``tool_calls`` those that tools were asked.
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
    """What a run can put on record of a step: the fields of :class:`Step` but for its number and question."""

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
    """All that decided a run: its steps, the passages of each gist triple, the selection, and the model's replies."""

    question: str
    roles: str
    steps: tuple[Step, ...] = ()
    links: tuple[tuple[str, ...], ...] = ()
    selected: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""
    replies: tuple[RecordedReply, ...] = ()

    @property
    def gist(self) -> tuple[Fact, ...]:
        """The gist memory at the end, in the order in which it grew."""
        return tuple(fact for step in self.steps for fact in step.gist)


@dataclass(frozen=True, slots=True)
class Answer:
    """A short answer with its citations, the passages and paths it rests on, and how it came about.

    ``removed`` holds markers that the model made up, which were taken out of the text; ``usage`` is by role.
    ``grounded`` is False where an agent that checks found that the text rests on no passage.
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
        """What all roles cost together."""
        return sum(self.usage.values(), Usage())
