"""Any agent, with the model's replies on its trace."""

from dataclasses import replace

from gear_neo4j.agents.agent import Agent
from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.run import Event, OnEvent
from gear_neo4j.models.recording import RecordedReply, recording
from gear_neo4j.scope import EVERYTHING, Scope


class RecordedAgent:
    """An agent whose traces hold all chat replies, those to its retrievers and tools included.

    A run over ``ReplayChat(answer.trace.replies)`` in place of the model comes to the same answer. Its hits and its
    trace carry its scope.
    """

    def __init__(self, agent: Agent, *, scope: Scope = EVERYTHING) -> None:
        self._agent = agent
        self._scope = scope

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question; see the agent."""
        with recording() as replies:
            answer = self._agent.ask(question, k=k, on_event=on_event and self._forwarded(on_event, replies))
        return self._attach(answer, replies)

    def _forwarded(self, on_event: OnEvent, replies: list[RecordedReply]) -> OnEvent:
        def forward(event: Event) -> None:
            on_event(replace(event, answer=event.answer and self._attach(event.answer, replies)))

        return forward

    def _attach(self, answer: Answer, replies: list[RecordedReply]) -> Answer:
        scope = self._scope.json
        trace = replace(answer.trace, replies=tuple(replies), scope=scope)
        return replace(answer, trace=trace, hits=replace(answer.hits, scope=scope))
