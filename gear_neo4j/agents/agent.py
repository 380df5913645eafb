"""The protocol that all agents implement."""

from typing import Protocol, runtime_checkable

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.run import OnEvent


@runtime_checkable
class Agent(Protocol):
    """Answers questions, with one retrieval or several."""

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question from at most k passages; ``on_event`` is called with each event, the answer last."""
