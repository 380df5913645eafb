"""One run of an agent in the making: its steps so far, what they cost, and what went wrong."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from gear_neo4j.agents.answer import Answer, Citation, Step, StopReason, Trace
from gear_neo4j.agents.memory import GistMemory
from gear_neo4j.domain import Fact, Hit, Hits, Passage, Path
from gear_neo4j.errors import InputError, ModelError, ReplyError
from gear_neo4j.models.chat import Reply
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.roles.parsers import Draft
from gear_neo4j.usage import Usage

Value = TypeVar("Value")
Happening = Literal["question", "facts", "verdict", "failure"]


@dataclass(frozen=True, slots=True)
class Event:
    """What an agent just did in a step: asked a question, noted facts, judged them, or saw a reply fail."""

    kind: Happening
    step: int
    text: str = ""
    facts: tuple[Fact, ...] = ()


def cleaned(question: str, *, k: int) -> str:
    """A question on one line.

    Raises:
        InputError: it is blank, or k is below 1.
    """
    asked = " ".join(question.split())
    if not asked or k < 1:
        raise InputError("the question is blank" if not asked else f"k is {k}: ask for at least 1 passage")
    return asked


@dataclass(slots=True)
class Run:
    """What a run has gathered; the agent says what comes next, the run keeps the books."""

    question: str
    roles: str
    on_event: Callable[[Event], None]
    tokens: int | None = None
    seconds: float | None = None
    steps: list[Step] = field(default_factory=list)
    memory: GistMemory = field(default_factory=GistMemory)
    passages: dict[str, Passage] = field(default_factory=dict)
    usage: dict[str, Usage] = field(default_factory=dict)
    links: tuple[tuple[str, ...], ...] = ()
    selected: tuple[str, ...] = ()
    exact: bool = True
    failure: str = ""
    started: float = field(default_factory=time.monotonic)

    def begin(self, question: str) -> None:
        """Begin a step with a question."""
        self.steps.append(Step(len(self.steps) + 1, question))
        self._tell("question", question)

    def note(self, **found: object) -> None:
        """Put on record what the current step found."""
        self.steps[-1] = replace(self.steps[-1], **found)  # type: ignore[arg-type]

    def remember(self, facts: Sequence[Fact]) -> None:
        """Extend the gist memory by the facts that are new to it."""
        known = len(self.memory.facts)
        self.memory = self.memory.extended(facts)
        gained = self.memory.facts[known:]
        self.note(gist=gained)
        self._tell("facts", facts=gained)

    def judge(self, answerable: bool, reason: str) -> None:
        """Put on record whether the memory suffices."""
        self.note(answerable=answerable, reason=reason)
        self._tell("verdict", reason)

    def call(self, role: str, ask: Callable[[], Reply[Value]]) -> Value | None:
        """What a role replies, on the books; None where the reply was of no use, or the model failed for good."""
        with self.timed(role):
            try:
                reply = ask()
            except ModelError as error:
                self.failed(role, error)
                return None
        self.pay(role, reply.usage)
        return reply.value

    def calls(self, role: str, asks: Sequence[Callable[[], Reply[Value]]], *, together: int) -> list[Value | None]:
        """What a role replies to each of several requests, some at a time; none is begun once the run has to stop."""
        found: list[Value | None] = []
        with ThreadPoolExecutor(together, thread_name_prefix=role) as pool:
            for start in range(0, len(asks), together):
                if self.stopped():
                    break
                futures = [pool.submit(ask) for ask in asks[start : start + together]]
                found += [self.call(role, future.result) for future in futures]
        return found + [None] * (len(asks) - len(found))

    def search(self, retriever: Retriever, *, k: int) -> list[Hit]:
        """Retrieve with the question of the current step, on the books; nothing where the retriever's model failed."""
        try:
            found = retriever.retrieve(self.steps[-1].question, k=k)
        except ModelError as error:
            self.failed("reader", error)
            return []
        for role, usage in found.usage.items():
            self.pay(role, usage)
        self.spend(found.milliseconds)
        self.exact = self.exact and found.exact
        self.passages.update({hit.passage.id: hit.passage for hit in found})
        ids = tuple(hit.passage.id for hit in found)
        self.note(base=ids, ranking=ids, paths=found.paths)
        return list(found)

    def failed(self, role: str, error: ModelError) -> None:
        """Put a failure on record; one that is more than a bad reply ends the run."""
        self.pay(role, error.usage)
        text = f"{role}: {error}"
        if not isinstance(error, ReplyError):
            self.failure = text
        if self.steps:
            self.note(failures=(*self.steps[-1].failures, text))
        self._tell("failure", text)

    def pay(self, role: str, usage: Usage) -> None:
        """Add to what a role has cost."""
        self.usage[role] = self.usage.get(role, Usage()) + usage
        if self.steps:
            self.note(usage={**self.steps[-1].usage, role: self.steps[-1].usage.get(role, Usage()) + usage})

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        """Add the time that a block takes to a part of the current step."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.spend({part: 1_000 * (time.perf_counter() - started)})

    def spend(self, milliseconds: Mapping[str, float]) -> None:
        """Add to the times of the current step."""
        spent = dict(self.steps[-1].milliseconds)
        for part, time_spent in milliseconds.items():
            spent[part] = spent.get(part, 0.0) + time_spent
        self.note(milliseconds=spent)

    def stopped(self) -> StopReason | None:
        """Why the run cannot go on: the model failed for good, or the budget is spent."""
        if self.failure:
            return "model_error"
        spent = sum(self.usage.values(), Usage()).tokens
        late = self.seconds is not None and time.monotonic() - self.started >= self.seconds
        return "budget" if late or (self.tokens is not None and spent >= self.tokens) else None

    def paths(self) -> tuple[Path, ...]:
        """The paths of all steps, best first within a step."""
        return tuple(dict.fromkeys(path for step in self.steps for path in step.paths))

    def trace(self, answer: str = "") -> Trace:
        """The trace so far."""
        titles = {id: passage.title for id, passage in self.passages.items()}
        return Trace(self.question, self.roles, tuple(self.steps), self.links, self.selected, titles, answer)

    def answered(self, hits: Hits, draft: Draft, *, stop: StopReason) -> Answer:
        """The answer that the run ends with."""
        shown = [Citation(str(number), passage=hits[number - 1].passage) for number in draft.passages]
        facts = [Citation(f"F{number}", fact=self.memory.facts[number - 1]) for number in draft.facts]
        return Answer(
            self.question,
            draft.text,
            hits,
            self.trace(draft.text),
            stop,
            citations=(*shown, *facts),
            removed=draft.removed,
            usage=dict(self.usage),
            seconds=time.monotonic() - self.started,
            failure=self.failure,
        )

    def _tell(self, kind: Happening, text: str = "", *, facts: tuple[Fact, ...] = ()) -> None:
        self.on_event(Event(kind, len(self.steps), text, facts))
