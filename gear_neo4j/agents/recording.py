"""Wraps an agent: records the model's replies in its trace, and each run in a span."""

from dataclasses import replace

from gear_neo4j.agents.agent import Agent
from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.run import Event, OnEvent
from gear_neo4j.models.recording import RecordedReply, recording
from gear_neo4j.scope import EVERYTHING, Scope
from gear_neo4j.tracing import SOURCE, Span, span


class RecordedAgent:
    """An agent whose traces contain all chat replies, including those to its retrievers and tools.

    A run with ``ReplayChat(answer.trace.replies)`` instead of the model gives the same answer. Its hits and its trace
    have its scope.

    Args:
        name: the name of the agent in spans.
        source: the name of the database in spans.
    """

    def __init__(self, agent: Agent, *, name: str, source: str, scope: Scope = EVERYTHING) -> None:
        self._agent = agent
        self._name = name
        self._source = source
        self._scope = scope

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question; see the agent."""
        with self._span() as active, recording() as replies:
            active.content(lambda: {"input.value": question})
            answer = self._agent.ask(question, k=k, on_event=on_event and self._forwarded(on_event, replies))
            _note(active, answer)
        return self._attach(answer, replies)

    def _span(self) -> Span:
        named = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": self._name, SOURCE: self._source}
        return span(f"invoke_agent {self._name}", "AGENT", named)

    def _forwarded(self, on_event: OnEvent, replies: list[RecordedReply]) -> OnEvent:
        def forward(event: Event) -> None:
            on_event(replace(event, answer=event.answer and self._attach(event.answer, replies)))

        return forward

    def _attach(self, answer: Answer, replies: list[RecordedReply]) -> Answer:
        scope = self._scope.json
        trace = replace(answer.trace, replies=tuple(replies), scope=scope)
        return replace(answer, trace=trace, hits=replace(answer.hits, scope=scope))


def _note(active: Span, answer: Answer) -> None:
    active.describe(lambda: {"gear.stop_reason": answer.stop_reason, "gear.grounded": answer.grounded})
    active.content(lambda: {"output.value": answer.text})
    if answer.failure:
        active.fail("ModelError", answer.failure)
