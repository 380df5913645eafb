"""The state of a run: its steps so far, their cost, and failures."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar, Unpack

from gear_neo4j.agents.answer import Answer, Citation, Step, StepFields, StopReason, Trace
from gear_neo4j.agents.memory import GistMemory
from gear_neo4j.cancellation import current_flag
from gear_neo4j.domain import Fact, Hits, Passage, Path
from gear_neo4j.errors import ModelError, ReplyError
from gear_neo4j.models.chat import Reply
from gear_neo4j.models.streaming import OnToken
from gear_neo4j.retrieval.retriever import Retriever
from gear_neo4j.retrieval.traced import record_hits, retrieval_span
from gear_neo4j.roles.answerer import Answerer
from gear_neo4j.roles.parsers import Draft
from gear_neo4j.tracing import Span, current_span
from gear_neo4j.usage import Usage

Value = TypeVar("Value")
# Passages that an event names.
SHOWN_TITLES = 3
EventKind = Literal["question", "facts", "verdict", "failure", "token", "answer"]


@dataclass(frozen=True, slots=True)
class Event:
    """An event in a step: a question, new facts, a verdict, a failure, a piece of the answer, or the answer.

    The text of ``facts`` names the first passages of the step. A ``token`` is a piece of the answer while it is
    written. The pieces of a step form one text, which that of a later step may replace; only the final ``answer`` has
    checked markers.
    """

    kind: EventKind
    step: int
    text: str = ""
    facts: tuple[Fact, ...] = ()
    answer: Answer | None = None


OnEvent = Callable[[Event], None]


def note_fact(note: str) -> tuple[Fact, ...]:
    """The fact that tells a model that rows are missing; none without a note."""
    return (Fact("the rows", "are cut", note),) if note else ()


def with_note(draft: Draft, note: str) -> Draft:
    """A draft with a note on missing rows, if there is one."""
    return replace(draft, text=f"{draft.text} ({note})") if draft.text and note else draft


@dataclass(slots=True)
class Run:
    """The state of a run: the agent controls the flow, the run records steps, usage and failures.

    Without ``on_event``, the answer is not streamed. Once ``cancel`` is set, no further call starts.
    """

    question: str
    roles: str
    on_event: OnEvent | None = None
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
    cancel: threading.Event | None = field(default_factory=current_flag)
    interrupted: bool = False
    span: Span = field(default_factory=current_span)

    def begin(self, question: str) -> None:
        """Begin a step with a question."""
        self.steps.append(Step(len(self.steps) + 1, question))
        step = self.span.follow(f"step {len(self.steps)}", "CHAIN")
        step.content(lambda: {"input.value": question})
        self.emit("question", question)

    def note(self, **fields: Unpack[StepFields]) -> None:
        """Record fields of the current step."""
        self.steps[-1] = replace(self.steps[-1], **fields)

    def remember(self, facts: Sequence[Fact]) -> None:
        """Extend the gist memory by the facts that are new to it."""
        known = len(self.memory.facts)
        self.memory = self.memory.extended(facts)
        gained = self.memory.facts[known:]
        self.note(gist=gained)
        read = [self.passages[id] for id in self.steps[-1].ranking[:SHOWN_TITLES] if id in self.passages]
        self.emit("facts", "; ".join(passage.title or passage.id for passage in read), facts=gained)

    def judge(self, answerable: bool, reason: str) -> None:
        """Record whether the memory suffices."""
        self.note(answerable=answerable, reason=reason)
        self.emit("verdict", reason)

    def call(self, role: str, ask: Callable[[], Reply[Value]]) -> Value | None:
        """Call a role and record its usage; None for a bad reply, a failed model, or a cancelled run."""
        if self.cancelled:
            self.interrupted = True
            return None
        return self._measured_call(role, ask)

    def calls(self, role: str, asks: Sequence[Callable[[], Reply[Value]]], *, together: int) -> list[Value | None]:
        """Call a role for several requests, ``together`` at a time; no batch starts once the run must stop."""
        replies: list[Value | None] = []
        with ThreadPoolExecutor(together, thread_name_prefix=role) as pool:
            for start in range(0, len(asks), together):
                if self.stopped():
                    break
                batch = asks[start : start + together]
                # A context can only be entered once at a time, so each thread gets its own copy.
                futures = [pool.submit(copy_context().run, ask) for ask in batch]
                replies += [self._measured_call(role, future.result) for future in futures]
        return replies + [None] * (len(asks) - len(replies))

    def answer(self, answerer: Answerer, passages: Sequence[Passage], *, memory: Sequence[Fact] = ()) -> Draft:
        """The answer to the run's question; an empty draft if the call fails."""
        return self.draft(
            "answer",
            lambda on_token: answerer.answer(self.question, passages, memory=memory, on_token=on_token),
        )

    def draft(self, role: str, ask: Callable[[OnToken | None], Reply[Draft]]) -> Draft:
        """Call a role that writes an answer; its pieces become events if there is a listener."""
        on_token = (lambda piece: self.emit("token", piece)) if self.on_event else None
        return self.call(role, lambda: ask(on_token)) or Draft("")

    def search(self, retriever: Retriever, *, k: int) -> Hits:
        """Retrieve for the question of the current step and record the result; empty if the retriever's model fails."""
        question = self.steps[-1].question
        if self.cancelled:
            self.interrupted = True
            return Hits(question, "", ())
        try:
            with retrieval_span(question, k=k) as active:
                hits = record_hits(active, retriever.retrieve(question, k=k))
        except ModelError as error:
            self.record_failure("reader", error)
            return Hits(question, "", ())
        for role, usage in hits.usage.items():
            self.pay(role, usage)
        self.spend(hits.milliseconds)
        self.exact = self.exact and hits.exact
        self.passages.update({hit.passage.id: hit.passage for hit in hits})
        ids = tuple(hit.passage.id for hit in hits)
        self.note(base=ids, ranking=ids, paths=hits.paths)
        return hits

    def record_failure(self, role: str, error: ModelError) -> None:
        """Record a failure; any failure worse than a bad reply ends the run."""
        self.pay(role, error.usage)
        text = f"{role}: {error}"
        if not isinstance(error, ReplyError):
            self.failure = text
        if self.steps:
            self.note(failures=(*self.steps[-1].failures, text))
        self.emit("failure", text)

    def pay(self, role: str, usage: Usage) -> None:
        """Add to the usage of a role."""
        self.usage[role] = self.usage.get(role, Usage()) + usage
        if self.steps:
            self.note(usage={**self.steps[-1].usage, role: self.steps[-1].usage.get(role, Usage()) + usage})

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        """Add the time of a block to a part of the current step."""
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

    @property
    def cancelled(self) -> bool:
        """Whether the run was cancelled."""
        return self.cancel is not None and self.cancel.is_set()

    def stopped(self) -> StopReason | None:
        """Why the run cannot go on: the model failed, the run was cancelled, or the budget is spent."""
        if self.failure:
            return "model_error"
        if self.cancelled:
            return "cancelled"
        spent = sum(self.usage.values(), Usage()).tokens
        late = self.seconds is not None and time.monotonic() - self.started >= self.seconds
        return "budget" if late or (self.tokens is not None and spent >= self.tokens) else None

    def paths(self) -> tuple[Path, ...]:
        """The paths of all steps, best first within a step."""
        return tuple(dict.fromkeys(path for step in self.steps for path in step.paths))

    def cited_facts(self, separator: str) -> Draft:
        """The facts of the memory as an answer: the subject of each, with its marker."""
        markers = tuple(range(1, len(self.memory.facts) + 1))
        texts = (f"{fact.subject} [F{number}]" for number, fact in zip(markers, self.memory.facts, strict=True))
        return Draft(separator.join(texts), facts=markers)

    def trace(self, answer: str = "") -> Trace:
        """The trace so far."""
        titles = {id: passage.title for id, passage in self.passages.items()}
        return Trace(self.question, self.roles, tuple(self.steps), self.links, self.selected, titles, answer)

    def finish(self, hits: Hits, draft: Draft, *, stop: StopReason, grounded: bool = True) -> Answer:
        """Build the final answer and emit it as the last event."""
        passages = [Citation(str(number), passage=hits[number - 1].passage) for number in draft.passages]
        facts = [Citation(f"F{number}", fact=self.memory.facts[number - 1]) for number in draft.facts]
        answer = Answer(
            self.question,
            draft.text,
            hits,
            self.trace(draft.text),
            "cancelled" if self.interrupted and not self.failure else stop,
            citations=(*passages, *facts),
            removed=draft.removed,
            usage=dict(self.usage),
            seconds=time.monotonic() - self.started,
            failure=self.failure,
            grounded=grounded,
        )
        self.emit("answer", draft.text, answer=answer)
        return answer

    def emit(
        self, kind: EventKind, text: str = "", *, facts: tuple[Fact, ...] = (), answer: Answer | None = None
    ) -> None:
        """Call the listener with an event, if any."""
        if self.on_event:
            self.on_event(Event(kind, len(self.steps), text, facts, answer))

    def _measured_call(self, role: str, ask: Callable[[], Reply[Value]]) -> Value | None:
        with self.timed(role):
            try:
                reply = ask()
            except ModelError as error:
                self.record_failure(role, error)
                return None
        self.pay(role, reply.usage)
        return reply.value
