"""Domain values as JSON's own types; every document names its version and its kind."""

import re
from dataclasses import asdict
from pathlib import Path as File
from typing import Any

from gear_neo4j.agents.answer import Answer, Trace
from gear_neo4j.agents.run import Event
from gear_neo4j.domain import Hit, Hits, PassageRecord, Path
from gear_neo4j.errors import GearError
from gear_neo4j.graph.read.sources import SourcePage
from gear_neo4j.ingestion.job import Job
from gear_neo4j.retrieval.paths import PathResult
from gear_neo4j.status import Status
from gear_neo4j.text.files import write_file
from gear_neo4j.text.printable import json_text
from gear_neo4j.wire import documents, shapes
from gear_neo4j.wire.documents import VERSION
from gear_neo4j.wire.encode import (
    encode_citation,
    encode_entity,
    encode_fact,
    encode_figure,
    encode_hit,
    encode_job,
    encode_path,
    encode_record,
    encode_search,
    encode_sources,
    encode_status,
    encode_trace,
    encode_usage,
)
from gear_neo4j.wire.links import passage_url

Json = dict[str, Any]


def hit_json(hit: Hit) -> Json:
    """A hit, its passage's fields beside its own.

    Example:
        >>> from gear_neo4j.domain import Passage
        >>> hit_json(Hit(Passage("p1", "Install", "Use pip."), 0.5, 1))["title"]
        'Install'
    """
    return encode_hit(hit).model_dump(mode="json")


def path_json(path: Path) -> Json:
    """A path, with the Cypher that shows it.

    Example:
        >>> from gear_neo4j.domain import make_triple
        >>> path_json(Path((make_triple("p1", "Curie", "born in", "Warsaw"),), 0.9, (0.9,)))["text"]
        'Curie —born in→ Warsaw'
    """
    return encode_path(path).model_dump(mode="json")


def hits_json(hits: Hits) -> Json:
    """The document of a search."""
    return encode_search(hits).model_dump(mode="json")


def connected_json(question: str, connected: PathResult) -> Json:
    """The document of the paths between what a question names."""
    return documents.Paths(
        wire=VERSION,
        kind="paths",
        question=question,
        entities=[
            shapes.Entity(text=match.text, start=match.start, end=match.end, nodes=list(match.nodes))
            for match in connected.matches
        ],
        paths=[encode_path(path) for path in connected.paths],
        exact=connected.exact,
        nodes=[encode_entity(entity) for entity in connected.nodes],
        figure=encode_figure(connected.figure) if connected.figure else None,
        doubt=connected.doubt,
    ).model_dump(mode="json")


def answer_json(answer: Answer) -> Json:
    """The document of an answer, which holds those of its search and its trace."""
    return _answer(answer).model_dump(mode="json")


def _answer(answer: Answer) -> documents.Answer:
    return documents.Answer(
        wire=VERSION,
        kind="answer",
        question=answer.question,
        answer=answer.text,
        stop_reason=answer.stop_reason,
        grounded=answer.grounded,
        failure=answer.failure,
        citations=[encode_citation(citation) for citation in answer.citations],
        removed_citations=list(answer.removed),
        gist=[encode_fact(fact) for fact in answer.gist],
        usage=encode_usage(answer.usage),
        total=shapes.Usage(**asdict(answer.total)),
        seconds=answer.seconds,
        search=encode_search(answer.hits),
        trace=encode_trace(answer.trace),
    )


def trace_json(trace: Trace) -> Json:
    """The document of a trace."""
    return encode_trace(trace).model_dump(mode="json")


def event_json(event: Event) -> Json:
    """The document of an event, of which a run has many."""
    return documents.Event(
        wire=VERSION,
        kind="event",
        event=event.kind,
        step=event.step,
        text=event.text,
        facts=[encode_fact(fact) for fact in event.facts],
        answer=_answer(event.answer) if event.answer else None,
    ).model_dump(mode="json")


def passage_json(record: PassageRecord, *, public_url: str | None = None) -> Json:
    """The document of a passage with its triples; see :func:`passage_url` for its address.

    Example:
        >>> from gear_neo4j.domain import Passage
        >>> passage_json(PassageRecord(Passage("p1", "Install", "Use pip.")))["url"]
        'gear://passage/p1'
    """
    return encode_record(record, url=passage_url(record.passage, public_url=public_url)).model_dump(mode="json")


def status_json(status: Status) -> Json:
    """The document of a status."""
    return encode_status(status).model_dump(mode="json")


def job_json(job: Job) -> Json:
    """The document of a job."""
    return encode_job(job).model_dump(mode="json")


def sources_json(page: SourcePage) -> Json:
    """The document of some sources."""
    return encode_sources(page).model_dump(mode="json")


def problem_json(error: GearError) -> Json:
    """The document of an error, after RFC 9457.

    Example:
        >>> from gear_neo4j.errors import InputError
        >>> problem_json(InputError("the question is blank"))["code"]
        'InputError'
    """
    code = type(error).__name__
    return documents.Problem(
        wire=VERSION,
        kind="problem",
        type=f"urn:gear-neo4j:problem:{code}",
        title=re.split(r"\.?\n|;|\.$", type(error).__doc__ or code)[0],
        detail=str(error),
        code=code,
    ).model_dump(mode="json")


def write_trace(trace: Trace, file: File) -> None:
    """Write the document of a trace to a file.

    Raises:
        InputError: the file cannot be written.
    """
    write_file(file, json_text(trace_json(trace), indent=1) + "\n")
