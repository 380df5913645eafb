"""What all agents have in common."""

from typing import Protocol, runtime_checkable

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.run import OnEvent


@runtime_checkable
class Agent(Protocol):
    """What answers a question by more than one retrieval."""

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question from at most k passages; ``on_event`` hears of each thing done, the answer last."""
