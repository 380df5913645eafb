"""A trace as JSON, and a run done over from its trace: the model's part is read from there and costs nothing."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path as File
from typing import Any, TypeVar

from gear_neo4j.agents.answer import Judgement, QueryTried, RecordedReply, Step, Trace
from gear_neo4j.domain import Fact, Passage, Path, Triple
from gear_neo4j.errors import InputError
from gear_neo4j.models.chat import Reply
from gear_neo4j.roles.parsers import Draft, Verdict, parse_answer
from gear_neo4j.usage import Usage

Value = TypeVar("Value")
_KIND = "gear-neo4j trace 1"


def write_trace(trace: Trace, file: File) -> None:
    """Write a trace as one JSON object.

    Raises:
        InputError: the file cannot be written.
    """
    try:
        file.write_text(json.dumps(trace_json(trace), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror or error}") from error


def read_trace(file: File) -> Trace:
    """Read a trace that was written by :func:`write_trace`.

    Raises:
        InputError: the file cannot be read, or holds something else.
    """
    try:
        row = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(row, dict) or row.pop("kind", None) != _KIND:
            raise ValueError("not a trace")
        return _trace(row)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{file} is not a trace: write one with 'gear ask --trace FILE'") from error


def trace_json(trace: Trace) -> dict[str, Any]:
    """A trace as JSON's own types."""
    return {"kind": _KIND, **asdict(trace)}


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


def _trace(row: Mapping[str, Any]) -> Trace:
    return Trace(
        row["question"],
        row["roles"],
        tuple(_step(step) for step in row["steps"]),
        tuple(tuple(ids) for ids in row["links"]),
        tuple(row["selected"]),
        row["titles"],
        row["answer"],
        # Traces from before replies were recorded have none.
        tuple(RecordedReply(**reply) for reply in row.get("replies", ())),
    )


def _step(row: Mapping[str, Any]) -> Step:
    return Step(
        **{
            **row,
            "base": tuple(row["base"]),
            "ranking": tuple(row["ranking"]),
            "proximal": tuple(Fact(**fact) for fact in row["proximal"]),
            "gist": tuple(Fact(**fact) for fact in row["gist"]),
            "linked": tuple(triple and Triple(**triple) for triple in row["linked"]),
            "paths": tuple(_path(path) for path in row["paths"]),
            "failures": tuple(row["failures"]),
            "merged": tuple(row["merged"]),
            # Traces from before there were queries and judgements have none.
            "queries": tuple(QueryTried(**{**one, "rows": tuple(one["rows"])}) for one in row.get("queries", ())),
            "judgements": tuple(Judgement(**one) for one in row.get("judgements", ())),
            "usage": {role: Usage(**usage) for role, usage in row["usage"].items()},
        }
    )


def _path(row: Mapping[str, Any]) -> Path:
    return Path(tuple(Triple(**triple) for triple in row["triples"]), row["score"], tuple(row["scores"]))
