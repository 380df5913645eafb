"""The language model alone: one call without a search."""

from typing import ClassVar

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.run import OnEvent, Run
from gear_neo4j.domain import Hits
from gear_neo4j.models.chat import ChatModel, Prompt
from gear_neo4j.recipes.recipe import AgentRecipe
from gear_neo4j.retrieval.question import checked
from gear_neo4j.roles.parsers import Draft


class Plain(AgentRecipe):
    """The language model alone, in one call without a search: for requests of chat clients, and as a baseline."""

    name: ClassVar[str] = "plain"


class PlainAgent:
    """Passes a question on to the language model."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """The model's reply; it has no passages and no citations.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        run = Run(checked(question, k=k), self._chat.name, on_event)
        run.begin(run.question)
        # As it came: a task may have lines.
        prompt = Prompt(system="", user=question.strip())
        draft = run.draft(
            "answer",
            lambda on_token: self._chat.ask(prompt, parse=lambda text: Draft(text.strip()), on_token=on_token),
        )
        return run.finish(
            Hits(run.question, Plain.name, ()), draft, stop="model_error" if run.failure else "answerable"
        )
