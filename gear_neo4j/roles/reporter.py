"""GraphRAG's roles of a language model: write reports of communities, extract points, answer from points."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from gear_neo4j.models.chat import ChatModel, Reply
from gear_neo4j.models.streaming import OnToken
from gear_neo4j.roles.answering import NONE
from gear_neo4j.roles.judgements import find_object
from gear_neo4j.roles.parsers import Draft, parse_answer
from gear_neo4j.roles.prompts import fill

LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Report:
    """A model's report of a community: ``rank`` from 0 to 10 is its importance, ``findings`` are sentences."""

    title: str
    summary: str
    rank: float = 0.0
    findings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Summary and findings, one per line."""
        return "\n".join([self.summary, *(f"- {finding}" for finding in self.findings)])


@dataclass(frozen=True, slots=True)
class Point:
    """A point that helps with a question: its text, a score up to 100, and the positions of its reports, from 0."""

    text: str
    score: float
    reports: tuple[int, ...] = ()


class Reporter(Protocol):
    """The roles of GraphRAG; each raises ModelError, and ReplyError for an unusable reply."""

    @property
    def name(self) -> str:
        """The name of the model or player, for reports."""

    def report(self, facts: str, parts: str) -> Reply[Report]:
        """A report of a community, from its facts and the reports of its parts."""

    def points(self, question: str, reports: Sequence[Report]) -> Reply[tuple[Point, ...]]:
        """The points of reports that help with a question, if any."""

    def conclude(
        self, question: str, points: Sequence[Point], *, reports: int, on_token: OnToken | None = None
    ) -> Reply[Draft]:
        """An answer from points, which cites reports by number, from 1; ``on_token`` may get its pieces."""


class PromptedReporter:
    """The roles played by a language model, each by one prompt."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    @property
    def name(self) -> str:
        """The model's name."""
        return self._chat.name

    def report(self, facts: str, parts: str) -> Reply[Report]:
        """A report of a community."""
        return self._chat.ask(fill("report", facts=facts or NONE, parts=parts or NONE), parse=parse_report)

    def points(self, question: str, reports: Sequence[Report]) -> Reply[tuple[Point, ...]]:
        """The points of reports that help with a question."""
        texts = "\n\n".join(
            f"Report [{index}] {report.title}\n{report.text}" for index, report in enumerate(reports, start=1)
        )
        prompt = fill("points", question=question, reports=texts)
        return self._chat.ask(prompt, parse=lambda text: parse_points(text, reports=len(reports)))

    def conclude(
        self, question: str, points: Sequence[Point], *, reports: int, on_token: OnToken | None = None
    ) -> Reply[Draft]:
        """An answer from points."""
        texts = "\n".join(f"- {point.text} {_markers(point)}".rstrip() for point in points)
        prompt = fill("conclude", question=question, points=texts)
        return self._chat.ask(
            prompt, parse=lambda text: parse_answer(text, passages=reports, facts=0), on_token=on_token
        )


def parse_report(text: str) -> Report:
    """The report of a reply ``{"title": ..., "summary": ..., "rank": ..., "findings": [...]}``.

    Raises:
        ValueError: title or summary is missing.

    Example:
        >>> parse_report('{"title": "Harbour", "summary": "Who built it.", "rank": 12, "findings": ["Ana drew it."]}')
        Report(title='Harbour', summary='Who built it.', rank=10.0, findings=('Ana drew it.',))
    """
    fields = find_object(text, "summary")
    title, summary = _line(fields.get("title"))[:LONGEST_TITLE], _line(fields.get("summary"))
    if not (title and summary):
        raise ValueError('"title" or "summary" is missing')
    findings = fields.get("findings")
    listed = tuple(finding for item in findings if (finding := _finding(item))) if isinstance(findings, list) else ()
    return Report(title, summary, min(10.0, max(0.0, _number(fields.get("rank")))), listed)


def parse_points(text: str, *, reports: int) -> tuple[Point, ...]:
    """The points of a reply ``{"points": [{"text": ..., "score": 80, "reports": [1]}]}``, without empty ones.

    Raises:
        ValueError: there is no such list.

    Example:
        >>> parse_points('{"points": [{"text": "Ana drew it.", "score": 90, "reports": [2, 7]}]}', reports=3)
        (Point(text='Ana drew it.', score=90.0, reports=(1,)),)
    """
    items = find_object(text, "points")["points"]
    if not isinstance(items, list):
        raise ValueError('"points" is not a list')
    points = [
        Point(_line(item.get("text")), min(100.0, _number(item.get("score"))), _indexes(item.get("reports"), reports))
        for item in items
        if isinstance(item, dict)
    ]
    return tuple(point for point in points if point.text and point.score > 0)


def _markers(point: Point) -> str:
    return f"[{', '.join(str(index + 1) for index in point.reports)}]" if point.reports else ""


def _finding(item: Any) -> str:
    if isinstance(item, dict):
        parts = [_line(item.get("summary")), _line(item.get("explanation"))]
        return " ".join(re.sub(r"(?<![.!?])$", ".", part) for part in parts if part)
    return _line(item)


def _line(value: Any) -> str:
    return " ".join(value.encode("utf-8", "replace").decode().split()) if isinstance(value, str) else ""


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value == value else 0.0


def _indexes(values: Any, most: int) -> tuple[int, ...]:
    numbers = (
        [number for number in values if type(number) is int and 1 <= number <= most] if isinstance(values, list) else []
    )
    return tuple(dict.fromkeys(number - 1 for number in numbers))
