"""A saved answer, search or trace, read into one value whichever of the three it is."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as File
from typing import Literal

from gear_neo4j.agents.answer import Citation, Judgement, QueryTried, Step, ToolCall, Trace
from gear_neo4j.agents.ranking import final_ranking
from gear_neo4j.domain import Fact, Passage, Path
from gear_neo4j.errors import InputError
from gear_neo4j.explain import parts
from gear_neo4j.explain.parts import Row
from gear_neo4j.roles.parsers import parse_answer

_HOW = "'gear search --json > FILE', 'gear ask --json > FILE' or 'gear ask --trace FILE'"
_RANKED = 20


@dataclass(frozen=True, slots=True)
class Turn:
    """One question that was searched for: the paths best first, what was noted of them, and what came of it.

    ``queries`` are those of agents that query the graph, ``judgements`` those of agents that judge, ``plan`` and
    ``tool_calls`` those of agents that plan.
    """

    number: int
    question: str
    paths: tuple[Path, ...] = ()
    noted: tuple[Fact, ...] = ()
    verdict: str = ""
    queries: tuple[QueryTried, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    plan: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Saved:
    """A run as its file tells it; ``found`` says how a passage came about, where the file does."""

    kind: Literal["search", "answer", "trace"]
    question: str
    turns: tuple[Turn, ...]
    by: str = ""
    ranking: tuple[str, ...] = ()
    passages: Mapping[str, Passage] = field(default_factory=dict)
    found: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""
    citations: tuple[Citation, ...] = ()

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths of all turns."""
        return tuple(path for turn in self.turns for path in turn.paths)

    @property
    def cited(self) -> dict[str, tuple[str, ...]]:
        """The markers of each passage that the answer cites, by its id."""
        markers: dict[str, tuple[str, ...]] = {}
        for one in self.citations:
            if one.passage:
                markers[one.passage.id] = (*markers.get(one.passage.id, ()), one.marker)
        return markers


def read_saved(file: File) -> Saved:
    """Read what ``gear search --json``, ``gear ask --json`` or ``gear ask --trace`` wrote.

    Raises:
        InputError: the file cannot be read, or holds something else.
    """
    try:
        row = json.loads(file.read_bytes())
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is not JSON: write one with {_HOW}") from error
    try:
        return saved_from(row)
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise InputError(f"{file} is not a saved search or answer: write one with {_HOW}") from error
    except KeyError as error:
        raise InputError(f"{file} is not a whole search or answer: it lacks {error}; write one with {_HOW}") from error


def saved_from(row: Row) -> Saved:
    """A run from the JSON that was written of it.

    Raises:
        KeyError: a part is missing.
        ValueError, TypeError, AttributeError, OverflowError: a part is something else.

    Example:
        >>> saved_from({"question": "Who?", "retriever": "naive", "hits": [], "paths": []}).kind
        'search'
    """
    if "trace" in row:
        return _answer(row)
    if "steps" in row:
        return _of_trace(row)
    if "retriever" in row:
        return _search(row)
    raise ValueError("neither a search nor an answer")


def _search(row: Row) -> Saved:
    question, paths = parts.text(row["question"]), tuple(map(parts.path, row["paths"]))
    hits = [parts.passage(hit) for hit in row["hits"]]
    return Saved(
        "search",
        question,
        (Turn(1, question, paths),),
        by=parts.text(row["retriever"]),
        ranking=tuple(hit.id for hit in hits),
        passages={hit.id: hit for hit in hits},
        found=_found(row["hits"]),
    )


def _answer(row: Row) -> Saved:
    trace = _trace(row["trace"])
    hits = {hit.id: hit for hit in map(parts.passage, row["hits"])}
    return Saved(
        "answer",
        parts.text(row["question"]),
        _turns(trace),
        by=trace.roles,
        ranking=tuple(hits),
        passages=_titled(trace) | hits,
        found=_found(row["hits"]),
        answer=parts.text(row["answer"]),
        citations=tuple(parts.citation(one) for one in row["citations"]),
    )


def _of_trace(row: Row) -> Saved:
    trace = _trace(row)
    passages = _titled(trace)
    ranking = tuple(item.id for item in final_ranking(trace))[:_RANKED]
    return Saved(
        "trace",
        trace.question,
        _turns(trace),
        by=trace.roles,
        ranking=ranking,
        passages=passages,
        answer=trace.answer,
        citations=_cited_in(trace, ranking, passages),
    )


def _cited_in(trace: Trace, ranking: Sequence[str], passages: Mapping[str, Passage]) -> tuple[Citation, ...]:
    """What the markers of a trace's answer stand for: the agent numbers passages and facts in these orders."""
    if not trace.answer.strip():
        return ()
    draft = parse_answer(trace.answer, passages=len(ranking), facts=len(trace.gist))
    shown = [passages.get(id, Passage(id, "", "")) for id in ranking]
    cited = [Citation(str(number), passage=shown[number - 1]) for number in draft.passages]
    return (*cited, *(Citation(f"F{number}", fact=trace.gist[number - 1]) for number in draft.facts))


def _turns(trace: Trace) -> tuple[Turn, ...]:
    words = {None: "", True: "These facts suffice: ", False: "Still missing: "}
    return tuple(
        Turn(
            step.number,
            step.question,
            step.paths,
            step.gist,
            # Agents that decide what to do say so in their reason.
            ("" if step.action else words[step.answerable]) + step.reason,
            step.queries,
            step.judgements,
            step.plan,
            step.tool_calls,
        )
        for step in trace.steps
    )


def _trace(row: Row) -> Trace:
    return Trace(
        parts.text(row["question"]),
        parts.text(row["roles"]),
        tuple(map(_step, row["steps"])),
        tuple(parts.texts(ids) for ids in row["links"]),
        parts.texts(row["selected"]),
        {id: parts.text(title) for id, title in row["titles"].items()},
        parts.text(row["answer"]),
    )


def _step(row: Row) -> Step:
    return Step(
        int(row["number"]),
        parts.text(row["question"]),
        paths=tuple(map(parts.path, row["paths"])),
        ranking=parts.texts(row["ranking"]),
        gist=tuple(parts.fact(fact) for fact in row["gist"]),
        answerable=row["answerable"],
        reason=parts.text(row["reason"]),
        merged=parts.texts(row["merged"]),
        # Runs from before there were queries and judgements have none.
        queries=tuple(map(parts.query, row.get("queries", ()))),
        action=parts.text(row.get("action", "")),
        judgements=tuple(map(parts.judgement, row.get("judgements", ()))),
        plan=parts.texts(row.get("plan", ())),
        tool_calls=tuple(map(parts.tool_call, row.get("tool_calls", ()))),
    )


def _titled(trace: Trace) -> dict[str, Passage]:
    return {id: Passage(id, title, "") for id, title in trace.titles.items()}


def _found(hits: Sequence[Row]) -> dict[str, str]:
    """How each hit was found, as words: its score, and its ranks in the lists that were fused."""
    return {
        hit["id"]: " · ".join(
            [
                f"score {parts.number(hit['score']):.3f}",
                *(f"{parts.text(one['name'])} {int(one['rank'])}" for one in hit["sources"]),
            ]
        )
        for hit in hits
    }
