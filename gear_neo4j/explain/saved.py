"""A saved answer, search or trace, read into one value whichever of the three it is."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path as File
from typing import Any, Literal

from gear_neo4j.agents.answer import Citation, Step, Trace
from gear_neo4j.agents.ranking import final_ranking
from gear_neo4j.domain import Fact, Passage, Path, Triple
from gear_neo4j.errors import InputError
from gear_neo4j.models.parsers import parse_answer

Row = Mapping[str, Any]
_HOW = "'gear search --json > FILE', 'gear ask --json > FILE' or 'gear ask --trace FILE'"
_RANKED = 20


@dataclass(frozen=True, slots=True)
class Turn:
    """One question that was searched for: the paths best first, what was noted of them, and what came of it."""

    number: int
    question: str
    paths: tuple[Path, ...] = ()
    noted: tuple[Fact, ...] = ()
    verdict: str = ""


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
    question, paths = _text(row["question"]), tuple(map(_path, row["paths"]))
    hits = [_passage(hit) for hit in row["hits"]]
    return Saved(
        "search",
        question,
        (Turn(1, question, paths),),
        by=_text(row["retriever"]),
        ranking=tuple(hit.id for hit in hits),
        passages={hit.id: hit for hit in hits},
        found=_found(row["hits"]),
    )


def _answer(row: Row) -> Saved:
    trace = _trace(row["trace"])
    hits = {hit.id: hit for hit in map(_passage, row["hits"])}
    return Saved(
        "answer",
        _text(row["question"]),
        _turns(trace),
        by=trace.roles,
        ranking=tuple(hits),
        passages=_titled(trace) | hits,
        found=_found(row["hits"]),
        answer=_text(row["answer"]),
        citations=tuple(_citation(one) for one in row["citations"]),
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
        Turn(step.number, step.question, step.paths, step.gist, words[step.answerable] + step.reason)
        for step in trace.steps
    )


def _trace(row: Row) -> Trace:
    return Trace(
        _text(row["question"]),
        _text(row["roles"]),
        tuple(map(_step, row["steps"])),
        tuple(_texts(ids) for ids in row["links"]),
        _texts(row["selected"]),
        {id: _text(title) for id, title in row["titles"].items()},
        _text(row["answer"]),
    )


def _step(row: Row) -> Step:
    return Step(
        int(row["number"]),
        _text(row["question"]),
        paths=tuple(map(_path, row["paths"])),
        ranking=_texts(row["ranking"]),
        gist=tuple(_fact(fact) for fact in row["gist"]),
        answerable=row["answerable"],
        reason=_text(row["reason"]),
        merged=_texts(row["merged"]),
    )


def _path(row: Row) -> Path:
    triples = tuple(map(_triple, row["triples"]))
    if not triples:
        raise ValueError("a path without triples")
    return Path(triples, _number(row["score"]), tuple(map(_number, row["scores"])))


def _triple(row: Row) -> Triple:
    # A search says "passage", a trace "passage_id".
    passage = row["passage"] if "passage" in row else row["passage_id"]
    return Triple(*map(_text, (row["id"], row["subject"], row["predicate"], row["object"], passage)))


def _fact(row: Any) -> Fact:
    subject, predicate, object = row if isinstance(row, list) else (row["subject"], row["predicate"], row["object"])
    return Fact(_text(subject), _text(predicate), _text(object))


def _citation(row: Row) -> Citation:
    if "fact" in row:
        return Citation(_text(row["marker"]), fact=_fact(row["fact"]))
    return Citation(_text(row["marker"]), passage=_passage({"text": "", **row, "id": row["passage"]}))


def _passage(row: Row) -> Passage:
    source, position = (None if row[key] is None else _text(row[key]) for key in ("source", "position"))
    return Passage(_text(row["id"]), _text(row["title"]), _text(row["text"]), source, position)


def _titled(trace: Trace) -> dict[str, Passage]:
    return {id: Passage(id, title, "") for id, title in trace.titles.items()}


def _found(hits: Sequence[Row]) -> dict[str, str]:
    """How each hit was found, as words: its score, and its ranks in the lists that were fused."""
    return {
        hit["id"]: " · ".join(
            [
                f"score {_number(hit['score']):.3f}",
                *(f"{_text(one['name'])} {int(one['rank'])}" for one in hit["sources"]),
            ]
        )
        for hit in hits
    }


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(map(_text, values))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    # JSON can hold half of a surrogate pair, as models write them, and no file or terminal can.
    return value.encode("utf-8", "replace").decode()


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise TypeError(f"{value!r} is not a number")
    return float(value)
