"""A trace as JSON."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path as File
from typing import Any

from gear_neo4j.agents.answer import Judgement, QueryTried, Step, ToolCall, Trace
from gear_neo4j.domain import Fact, Path, Triple
from gear_neo4j.errors import InputError
from gear_neo4j.models.recording import RecordedReply
from gear_neo4j.usage import Usage

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
            "plan": tuple(row.get("plan", ())),
            "tool_calls": tuple(ToolCall(**call) for call in row.get("tool_calls", ())),
            "usage": {role: Usage(**usage) for role, usage in row["usage"].items()},
        }
    )


def _path(row: Mapping[str, Any]) -> Path:
    return Path(tuple(Triple(**triple) for triple in row["triples"]), row["score"], tuple(row["scores"]))
