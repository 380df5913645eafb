"""Domain values as JSON's own types; every document names its version and its kind."""

import re
from collections.abc import Sequence
from pathlib import Path as File
from typing import Any

from gear_neo4j.agents.answer import Trace
from gear_neo4j.domain import PassageRecord
from gear_neo4j.errors import GearError
from gear_neo4j.graph.read.entities import EntitySummary
from gear_neo4j.retrieval.paths import PathResult
from gear_neo4j.text.files import write_file
from gear_neo4j.text.printable import json_text
from gear_neo4j.wire import documents
from gear_neo4j.wire.links import passage_url

Json = dict[str, Any]


def to_json(value: Any) -> Json:
    """The JSON of a search, an answer, a trace, an event, an entity, a status, a job, sources, a hit or a path.

    Example:
        >>> from gear_neo4j.domain import Path, make_triple
        >>> to_json(Path((make_triple("p1", "Curie", "born in", "Warsaw"),), 0.9, (0.9,)))["text"]
        'Curie —born in→ Warsaw'
    """
    return documents.SHAPES[type(value)].encode(value)


def paths_json(question: str, found: PathResult) -> Json:
    """The document of the paths between what a question names."""
    return documents.Paths.encode(found, question=question)


def passage_json(record: PassageRecord, *, public_url: str | None = None) -> Json:
    """The document of a passage with its triples; see :func:`passage_url` for its address.

    Example:
        >>> from gear_neo4j.domain import Passage
        >>> passage_json(PassageRecord(Passage("p1", "Install", "Use pip.")))["url"]
        'gear://passage/p1'
    """
    return documents.PassageDocument.encode(record, url=passage_url(record.passage, public_url=public_url))


def entities_json(name: str, entities: Sequence[EntitySummary]) -> Json:
    """The document of the entities that a name may stand for.

    Example:
        >>> entities_json("curie", [EntitySummary("4:1", "Marie Curie", ("Entity",), 3)])["entities"][0]["name"]
        'Marie Curie'
    """
    return documents.Entities.encode(None, name=name, entities=entities)


def problem_json(error: GearError) -> Json:
    """The document of an error, after RFC 9457.

    Example:
        >>> from gear_neo4j.errors import InputError
        >>> problem_json(InputError("the question is blank"))["code"]
        'InputError'
    """
    code = type(error).__name__
    title = re.split(r"\.?\n|;|\.$", type(error).__doc__ or code)[0]
    problem = {"type": f"urn:gear-neo4j:problem:{code}", "title": title, "detail": str(error), "code": code}
    return documents.Problem.encode(None, **problem)


def write_trace(trace: Trace, file: File) -> None:
    """Write the document of a trace to a file.

    Raises:
        InputError: the file cannot be written.
    """
    write_file(file, json_text(to_json(trace), indent=1) + "\n")
