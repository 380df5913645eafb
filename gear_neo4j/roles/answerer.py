"""The answering role, shared by all agents."""

from collections.abc import Sequence
from typing import Protocol

from gear_neo4j.domain import Fact, Passage
from gear_neo4j.models.chat import Reply
from gear_neo4j.models.streaming import OnToken
from gear_neo4j.roles.parsers import Draft


class Answerer(Protocol):
    """Answers from passages and facts; the protocols of the agents' other roles extend it."""

    @property
    def name(self) -> str:
        """The name of the model or player, for reports."""

    def answer(
        self,
        question: str,
        passages: Sequence[Passage],
        *,
        memory: Sequence[Fact],
        on_token: OnToken | None = None,
    ) -> Reply[Draft]:
        """An answer that cites passages and facts by number, from 1; raises ModelError.

        ``on_token`` may get its pieces while it is written, with unchecked markers.
        """
