"""Any agent, with the model's replies on its trace."""

from dataclasses import replace

from gear_neo4j.agents.agent import Agent
from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.run import Event, OnEvent
from gear_neo4j.models.recording import RecordedReply, recording


class RecordedAgent:
    """An agent whose traces hold all chat replies, those to its retrievers and tools included.

    A run over ``ReplayChat(answer.trace.replies)`` in place of the model comes to the same answer.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question; see the agent."""
        with recording() as replies:
            answer = self._agent.ask(question, k=k, on_event=on_event and _with_replies(on_event, replies))
        return _attach(answer, replies)


def _with_replies(on_event: OnEvent, replies: list[RecordedReply]) -> OnEvent:
    def forward(event: Event) -> None:
        on_event(replace(event, answer=event.answer and _attach(event.answer, replies)))

    return forward


def _attach(answer: Answer, replies: list[RecordedReply]) -> Answer:
    return replace(answer, trace=replace(answer.trace, replies=tuple(replies)))
