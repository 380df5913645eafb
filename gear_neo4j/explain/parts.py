"""The parts of a saved run, read from its JSON; each raises KeyError, TypeError or ValueError for something else."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from gear_neo4j.agents.answer import Citation, Judgement, QueryTried, ToolCall
from gear_neo4j.domain import Fact, Passage, Path, Triple

Row = Mapping[str, Any]


def path(row: Row) -> Path:
    """A path, of one triple at least."""
    triples = tuple(map(triple, row["triples"]))
    if not triples:
        raise ValueError("a path without triples")
    return Path(triples, number(row["score"]), tuple(map(number, row["scores"])))


def triple(row: Row) -> Triple:
    """A triple; a search calls the passage that states it "passage", a trace "passage_id"."""
    stated_by = row["passage"] if "passage" in row else row["passage_id"]
    return Triple(*map(text, (row["id"], row["subject"], row["predicate"], row["object"], stated_by)))


def fact(row: Any) -> Fact:
    """A fact, as an object or a list."""
    subject, predicate, object = row if isinstance(row, list) else (row["subject"], row["predicate"], row["object"])
    return Fact(text(subject), text(predicate), text(object))


def citation(row: Row) -> Citation:
    """What a marker stands for."""
    if "fact" in row:
        return Citation(text(row["marker"]), fact=fact(row["fact"]))
    return Citation(text(row["marker"]), passage=passage({"text": "", **row, "id": row["passage"]}))


def passage(row: Row) -> Passage:
    """A passage with its place."""
    source, position = (None if row[key] is None else text(row[key]) for key in ("source", "position"))
    return Passage(text(row["id"]), text(row["title"]), text(row["text"]), source, position)


def query(row: Row) -> QueryTried:
    """A query that was tried."""
    return QueryTried(text(row["text"]), text(row["problem"]), texts(row["rows"]), text(row["template"]))


def tool_call(row: Row) -> ToolCall:
    """A question that was put to a tool."""
    return ToolCall(*(text(row[key]) for key in ("tool", "question", "answer", "failure")))


def judgement(row: Row) -> Judgement:
    """What a critic said."""
    score = None if row["score"] is None else number(row["score"])
    return Judgement(text(row["role"]), text(row["of"]), text(row["label"]), score)


def texts(values: Any) -> tuple[str, ...]:
    """A list of texts."""
    return tuple(map(text, values))


def text(value: Any) -> str:
    """A text; half of a surrogate pair, as models write them in JSON and no file or terminal can hold, is replaced."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value.encode("utf-8", "replace").decode()


def number(value: Any) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise TypeError(f"{value!r} is not a number")
    return float(value)
