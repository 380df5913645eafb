"""The planner's roles of a language model: plan, revise the plan, and check the claims of an answer."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gear_neo4j.domain import Passage
from gear_neo4j.models.chat import ChatModel, Reply
from gear_neo4j.roles.answerer import Answerer
from gear_neo4j.roles.answering import NONE, PromptedRoles, shown_passages
from gear_neo4j.roles.judgements import find_object, parse_statements, parse_verdicts
from gear_neo4j.roles.parsers import Draft, parse_answer
from gear_neo4j.roles.prompts import fill

MOST_STEPS = 8


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A question for a tool; ``after`` lists the steps whose answers it needs, inserted for ``{id}`` in its text."""

    id: str
    question: str
    tool: str
    after: tuple[str, ...] = ()

    def filled(self, answers: Mapping[str, str]) -> str:
        """The question with the answers of earlier steps inserted.

        Example:
            >>> PlannedStep("2", "Where is {1}?", "naive", ("1",)).filled({"1": "Varna"})
            'Where is Varna?'
        """
        return re.sub(r"\{(\w+)\}", lambda match: answers.get(match[1], match[0]), self.question)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a step: the question as sent, and the answer or the reason for its failure."""

    step: PlannedStep
    question: str
    answer: str = ""
    failure: str = ""


class PlanWriter(Answerer, Protocol):
    """The roles of the planner; each raises ModelError, and ReplyError for an unusable reply."""

    def plan(
        self, question: str, tools: Mapping[str, str], *, plan: Sequence[PlannedStep], done: Sequence[Outcome]
    ) -> Reply[tuple[PlannedStep, ...]]:
        """The steps that are still needed, if any."""

    def recall(self, question: str) -> Reply[Draft]:
        """An answer without any passage."""

    def claims(self, question: str, answer: str) -> Reply[tuple[str, ...]]:
        """The claims that an answer makes, each a statement by itself."""

    def supported(self, question: str, claims: Sequence[str], passages: Sequence[Passage]) -> Reply[tuple[bool, ...]]:
        """For each claim, whether the passages support it."""


class PromptedPlanner(PromptedRoles):
    """The roles played by a language model, each by one prompt."""

    def __init__(self, chat: ChatModel) -> None:
        super().__init__(chat)
        self._planner = chat

    def plan(
        self, question: str, tools: Mapping[str, str], *, plan: Sequence[PlannedStep], done: Sequence[Outcome]
    ) -> Reply[tuple[PlannedStep, ...]]:
        """The steps that are needed."""
        prompt = fill(
            "plan",
            question=question,
            tools="\n".join(f"- {name}: {description}" for name, description in tools.items()),
            most=MOST_STEPS,
            plan="\n".join(_shown(step) for step in plan) or NONE,
            done="\n".join(_outcome_line(outcome) for outcome in done) or NONE,
        )
        return self._planner.ask(prompt, parse=parse_plan)

    def recall(self, question: str) -> Reply[Draft]:
        """An answer without any passage."""
        prompt = fill("recall", question=question)
        return self._planner.ask(prompt, parse=lambda text: parse_answer(text, passages=0, facts=0))

    def claims(self, question: str, answer: str) -> Reply[tuple[str, ...]]:
        """The claims that an answer makes."""
        return self._planner.ask(fill("statements", question=question, text=answer), parse=parse_statements)

    def supported(self, question: str, claims: Sequence[str], passages: Sequence[Passage]) -> Reply[tuple[bool, ...]]:
        """For each claim, whether the passages support it."""
        numbered = "\n".join(f"{number}. {claim}" for number, claim in enumerate(claims, start=1))
        prompt = fill("support", passages=shown_passages(passages), question=question, statements=numbered)
        return self._planner.ask(prompt, parse=lambda text: parse_verdicts(text, key="verdicts", count=len(claims)))


def parse_plan(text: str) -> tuple[PlannedStep, ...]:
    """The steps of a reply ``{"steps": [{"id", "question", "tool", "after"}]}``, each id once, eight at most.

    Steps without a question and dependencies on unknown steps are dropped.

    Raises:
        ValueError: there is no list of steps.

    Example:
        >>> parse_plan('{"steps": [{"id": 1, "question": "Who drew it?", "tool": "naive"}]}')
        (PlannedStep(id='1', question='Who drew it?', tool='naive', after=()),)
    """
    items = find_object(text, "steps")["steps"]
    if not isinstance(items, list):
        raise ValueError('"steps" is not a list')
    steps: dict[str, PlannedStep] = {}
    for number, item in enumerate(items, start=1):
        question = item.get("question") if isinstance(item, dict) else None
        if isinstance(question, str) and question.strip():
            id = str(item.get("id") or number)
            steps.setdefault(id, PlannedStep(id, " ".join(question.split()), str(item.get("tool") or ""), _ids(item)))
    first_steps = list(steps.values())[:MOST_STEPS]
    known = {step.id for step in first_steps}
    return tuple(
        PlannedStep(step.id, step.question, step.tool, tuple(id for id in step.after if id in known and id != step.id))
        for step in first_steps
    )


def _ids(item: Mapping[str, Any]) -> tuple[str, ...]:
    after = item.get("after")
    listed = [str(id) for id in after] if isinstance(after, list) else []
    # A placeholder is a dependency even if the plan does not list it.
    return tuple(dict.fromkeys([*listed, *re.findall(r"\{(\w+)\}", str(item.get("question")))]))


def _shown(step: PlannedStep) -> str:
    return json.dumps({"id": step.id, "question": step.question, "tool": step.tool, "after": list(step.after)})


def _outcome_line(outcome: Outcome) -> str:
    answer = outcome.answer or f"no answer, {outcome.failure or 'nothing was found'}"
    return f"- step {outcome.step.id}, {outcome.question}: {answer}"
