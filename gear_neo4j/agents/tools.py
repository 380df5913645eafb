"""Tools of a planner: anything that answers a question, with a name and a one-line description."""

import logging
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Protocol

from gear_neo4j.agents.agent import Agent
from gear_neo4j.cancellation import cancelled
from gear_neo4j.domain import Fact, Hit, Path
from gear_neo4j.errors import CallTimeout, GearError, is_outage
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.retrieval.traced import record_hits, retrieval_span
from gear_neo4j.roles.answerer import Answerer
from gear_neo4j.roles.citations import without_markers
from gear_neo4j.tracing import span
from gear_neo4j.usage import Usage

LOGGER = logging.getLogger("gear_neo4j.agents")
HITS = 5


@dataclass(frozen=True, slots=True)
class ToolReply:
    """The reply of a tool: a short answer, its evidence and its usage; or ``failure``."""

    answer: str = ""
    hits: tuple[Hit, ...] = ()
    facts: tuple[Fact, ...] = ()
    paths: tuple[Path, ...] = ()
    usage: Mapping[str, Usage] = field(default_factory=dict)
    failure: str = ""


class Tool(Protocol):
    """Anything that answers a question."""

    @property
    def name(self) -> str:
        """The name that plans use, one word."""

    @property
    def description(self) -> str:
        """One line: which questions the tool is for."""

    def run(self, question: str) -> ToolReply:
        """Answer a question; called from several threads. An exception counts as a failure, see :func:`attempt`."""


@dataclass(frozen=True, slots=True)
class RetrieverTool:
    """A retriever; a model answers from its five best passages."""

    name: str
    description: str
    retriever: Retriever
    roles: Answerer

    def run(self, question: str) -> ToolReply:
        """Search, and answer in one call."""
        with retrieval_span(question, k=HITS) as active:
            hits = record_hits(active, self.retriever.retrieve(question, k=HITS))
        if not hits:
            return ToolReply()
        reply = self.roles.answer(question, [hit.passage for hit in hits], memory=())
        usage = {**hits.usage, "answer": reply.usage}
        return ToolReply(without_markers(reply.value.text), hits.hits, paths=hits.paths, usage=usage)


@dataclass(frozen=True, slots=True)
class AgentTool:
    """An agent, created on first use, because not every graph meets its requirements."""

    name: str
    description: str
    make: Callable[[], Agent]

    def run(self, question: str) -> ToolReply:
        """Ask the agent."""
        answer = self.make().ask(question, k=HITS)
        failed = "" if answer.text else answer.failure or f"it ended with {answer.stop_reason}"
        return ToolReply(answer.plain, answer.hits.hits, answer.gist, answer.paths, answer.usage, failed)


def attempt(tool: Tool, question: str) -> ToolReply:
    """Run a tool; an exception becomes a reply with a ``failure``, so that the plan continues.

    Exceptions that are not ours are reported only by their class, because their text may contain addresses.

    Raises:
        DatabaseError, LocalServerError: the database cannot answer, so no other step could succeed.
        CallTimeout: the whole run took too long.
    """
    if cancelled():
        return ToolReply(failure="the run was cancelled before")
    try:
        named = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool.name}
        with span(f"execute_tool {tool.name}", "TOOL", named) as active:
            active.content(lambda: {"input.value": question})
            return tool.run(question)
    except Exception as error:
        if is_outage(error) or isinstance(error, CallTimeout):
            raise
        return _failed(tool, error)


def _failed(tool: Tool, error: Exception) -> ToolReply:
    usage, kind = getattr(error, "usage", None), type(error).__name__
    paid = {"answer": usage} if isinstance(usage, Usage) else {}
    if isinstance(error, GearError):
        return ToolReply(failure=str(error) or kind, usage=paid)
    frames = traceback.extract_tb(error.__traceback__)
    locations = [f"{FilePath(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    # Also without its text, which may contain text from a user.
    LOGGER.warning("the tool %s failed with %s at %s", tool.name, kind, ", ".join(locations))
    return ToolReply(failure=f"the tool failed with {kind}: the log says where", usage=paid)
