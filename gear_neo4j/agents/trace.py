"""A run done over from its trace: the model's part is read from there and costs nothing."""

from collections.abc import Sequence
from typing import TypeVar

from gear_neo4j.agents.answer import Step, Trace
from gear_neo4j.domain import Fact, Passage, Path
from gear_neo4j.errors import InputError
from gear_neo4j.models.chat import Reply
from gear_neo4j.roles.parsers import Draft, Verdict, parse_answer
from gear_neo4j.usage import Usage

Value = TypeVar("Value")


class Replay:
    """Plays the roles of a run from its trace, so that it can be looked into, or repeated, without a model.

    Raises:
        InputError: asked what the run did not ask.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._asked = {step.question: step for step in trace.steps}
        self._judged = iter([step for step in trace.steps if step.answerable is not None])
        self._current = Step(0, "")

    @property
    def name(self) -> str:
        """The model of the run that is replayed."""
        return f"replay of {self._trace.roles}"

    def read(
        self, question: str, passages: Sequence[Passage], *, memory: Sequence[Fact] | None = None
    ) -> Reply[tuple[Fact, ...]]:
        """What the reader noted for a question; for the constructor, what the memory gained in the same step."""
        if memory is not None:
            return _replayed(self._current.gist)
        self._current = self._step(question)
        return _replayed(self._current.proximal)

    def reason(self, question: str, memory: Sequence[Fact]) -> Reply[Verdict]:
        """The next verdict of the run."""
        step = next(self._judged, self._current)
        return _replayed(Verdict(bool(step.answerable), step.reason))

    def rewrite(self, question: str, memory: Sequence[Fact], *, why: str, asked: Sequence[str]) -> Reply[str]:
        """What the run asked next."""
        return _replayed(self._step(asked[-1]).rewrite)

    def answer(self, question: str, passages: Sequence[Passage], *, memory: Sequence[Fact]) -> Reply[Draft]:
        """The answer, its citations checked once more."""
        said = self._trace.answer
        return _replayed(parse_answer(said, passages=len(passages), facts=len(memory)) if said else Draft(""))

    def select(self, question: str, passages: Sequence[Passage], *, paths: Sequence[Path], k: int) -> Reply[list[int]]:
        """The passages that were chosen."""
        place = {passage.id: number for number, passage in enumerate(passages)}
        return _replayed([place[id] for id in self._trace.selected if id in place][:k])

    def _step(self, question: str) -> Step:
        if question not in self._asked:
            raise InputError(f"the trace has no step that asks {question!r}: its run had another question or options")
        return self._asked[question]


def _replayed(value: Value) -> Reply[Value]:
    return Reply(value, str(value), Usage(), 0.0)
