"""Domain values read from their JSON; anything else in a file or a row gives an error of one line."""

import json
from collections.abc import Callable
from pathlib import Path as File
from typing import Annotated, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from gear_neo4j import errors
from gear_neo4j.agents.answer import Answer, Trace
from gear_neo4j.agents.run import Event
from gear_neo4j.domain import Hits, PassageRecord, Path
from gear_neo4j.errors import GearError, InputError
from gear_neo4j.graph.read.sources import SourcePage
from gear_neo4j.ingestion.job import Job
from gear_neo4j.retrieval.dictionary import Match
from gear_neo4j.retrieval.paths import PathResult
from gear_neo4j.status import Status
from gear_neo4j.wire import documents, shapes
from gear_neo4j.wire.decode import (
    decode_answer,
    decode_entity,
    decode_facts,
    decode_figure,
    decode_job,
    decode_path,
    decode_record,
    decode_search,
    decode_sources,
    decode_status,
    decode_trace,
)

Shape = TypeVar("Shape")
Run = Hits | Answer | Trace
_RUNS = TypeAdapter[documents.Search | documents.Answer | documents.Trace](
    Annotated[documents.Search | documents.Answer | documents.Trace, Field(discriminator="kind")]
)
_TRACE_ADVICE = "write one with 'gear ask --trace FILE'"
_RUN_ADVICE = "write one with 'gear search --json > FILE', 'gear ask --json > FILE' or 'gear ask --trace FILE'"


def read_run(file: File) -> Run:
    """Read what ``gear search --json``, ``gear ask --json`` or ``gear ask --trace`` wrote.

    Raises:
        InputError: the file cannot be read, holds something else, or was written by a newer version.
    """
    return run_from(_load(file, advice=_RUN_ADVICE), name=str(file))


def read_trace(file: File) -> Trace:
    """Read what ``gear ask --trace`` wrote.

    Raises:
        InputError: the file cannot be read, holds something else, or was written by a newer version.
    """
    return trace_from(_load(file, advice=_TRACE_ADVICE), name=str(file))


def run_from(row: object, *, name: str = "this") -> Run:
    """A search, an answer or a trace from its document, as its ``kind`` says; ``name`` is what an error calls it.

    Raises:
        InputError: it is something else, or was written by a newer version.
    """
    run = check_document(row, _RUNS.validate_python, name=name, noun="a saved search or answer", advice=_RUN_ADVICE)
    match run:
        case documents.Search():
            return decode_search(run)
        case documents.Answer():
            return decode_answer(run)
        case documents.Trace():
            return decode_trace(run)


def hits_from(row: object, *, name: str = "this") -> Hits:
    """The hits of the document of a search; raises as :func:`run_from` does."""
    return decode_search(check_document(row, documents.Search.model_validate, name=name, noun="a search"))


def answer_from(row: object, *, name: str = "this") -> Answer:
    """The answer of its document; raises as :func:`run_from` does."""
    return decode_answer(check_document(row, documents.Answer.model_validate, name=name, noun="an answer"))


def trace_from(row: object, *, name: str = "this") -> Trace:
    """The trace of its document; raises as :func:`run_from` does."""
    return decode_trace(
        check_document(row, documents.Trace.model_validate, name=name, noun="a trace", advice=_TRACE_ADVICE)
    )


def path_from(row: object, *, name: str = "this") -> Path:
    """A path of any document; raises as :func:`run_from` does."""
    return decode_path(check_document(row, shapes.Path.model_validate, name=name, noun="a path"))


def connected_from(row: object, *, name: str = "this") -> PathResult:
    """The names and paths of their document; raises as :func:`run_from` does."""
    document = check_document(row, documents.Paths.model_validate, name=name, noun="a document of paths")
    matches = tuple(Match(entity.start, entity.end, entity.text, tuple(entity.nodes)) for entity in document.entities)
    return PathResult(
        matches,
        tuple(map(decode_path, document.paths)),
        document.exact,
        tuple(map(decode_entity, document.nodes)),
        decode_figure(document.figure) if document.figure else None,
        document.doubt,
    )


def event_from(row: object, *, name: str = "this") -> Event:
    """The event of its document; raises as :func:`run_from` does."""
    document = check_document(row, documents.Event.model_validate, name=name, noun="an event")
    answer = decode_answer(document.answer) if document.answer else None
    return Event(document.event, document.step, document.text, decode_facts(document.facts), answer)


def passage_from(row: object, *, name: str = "this") -> PassageRecord:
    """The passage and the triples of their document; raises as :func:`run_from` does."""
    return decode_record(check_document(row, documents.PassageDocument.model_validate, name=name, noun="a passage"))


def status_from(row: object, *, name: str = "this") -> Status:
    """The status of its document; raises as :func:`run_from` does."""
    return decode_status(check_document(row, documents.Status.model_validate, name=name, noun="a status"))


def job_from(row: object, *, name: str = "this") -> Job:
    """The job of its document; raises as :func:`run_from` does."""
    return decode_job(check_document(row, documents.Job.model_validate, name=name, noun="a job"))


def sources_from(row: object, *, name: str = "this") -> SourcePage:
    """The sources of their document; raises as :func:`run_from` does."""
    return decode_sources(check_document(row, documents.Sources.model_validate, name=name, noun="a list of sources"))


def error_from(row: object, *, name: str = "this") -> GearError:
    """The error of a problem, a plain GearError where its class is unknown; raises as :func:`run_from` does."""
    document = check_document(row, documents.Problem.model_validate, name=name, noun="a problem")
    kind = getattr(errors, document.code, None)
    if isinstance(kind, type) and issubclass(kind, GearError):
        return kind(document.detail)
    return GearError(document.detail)


def _load(file: File, *, advice: str) -> object:
    try:
        return json.loads(file.read_bytes())
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is not JSON{_position(error)}: {advice}") from error


def _position(error: Exception) -> str:
    """Where a text stops being JSON."""
    match error:
        case json.JSONDecodeError():
            return f" at line {error.lineno}, column {error.colno}"
        case UnicodeDecodeError():
            return f" at byte {error.start + 1}"
    return ""


def check_document(
    row: object, validate: Callable[[object], Shape], *, name: str, noun: str, advice: str = ""
) -> Shape:
    """A row as a shape; ``name`` and ``noun`` are for the message.

    Raises:
        InputError: the row is something else, or a newer version wrote it.
    """
    if isinstance(row, dict) and isinstance(version := row.get("wire"), int) and version > documents.VERSION:
        raise InputError(f"{name} was written by a newer gear-neo4j: upgrade this one")
    try:
        return validate(row)
    except (ValueError, RecursionError) as error:
        reason = _reason(error)
        parts = f"{name} is not {noun}{reason and f': {reason}'}", advice
        raise InputError("; ".join(filter(None, parts))) from error


def _reason(error: Exception) -> str:
    """The first field that is missing or cannot be used, and its place in the document."""
    if not isinstance(error, ValidationError):
        return ""
    first = error.errors(include_url=False, include_input=False)[0]
    place = [str(part) for part in first["loc"]]
    if first["type"] == "missing":
        return f"it lacks {place[-1]!r}" + (f" in {'.'.join(place[:-1])}" if place[:-1] else "")
    return f"its {'.'.join(place)} cannot be used" if place else ""
