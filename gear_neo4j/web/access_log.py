"""The log of the service: a line of JSON for each request, and one for each unexpected error; no text of users."""

import logging
import traceback
from pathlib import Path
from typing import Any

from gear_neo4j.printable import json_text
from gear_neo4j.web.entry import Entry

ACCESS = logging.getLogger("gear_neo4j.web.access")
LOGGER = logging.getLogger("gear_neo4j.web")


def log_request(entry: Entry, *, route: str, method: str, status: int, questions: bool) -> None:
    """Log a request that has ended; ``questions`` says whether with its question."""
    fields: dict[str, Any] = {
        "request_id": entry.id,
        "key": entry.key,
        "method": method,
        "route": route,
        "status": status,
        "ms": round(1_000 * entry.seconds, 1),
    }
    if entry.passages:
        fields["passages"] = list(entry.passages)
    if entry.error:
        fields["error"] = entry.error
    if questions and entry.question:
        fields["question"] = entry.question
    ACCESS.info("%s", json_text(fields))


def log_failure(entry: Entry, error: BaseException) -> None:
    """Log an error by its class and the places that it came through; its text may hold what a user wrote."""
    entry.error = type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    LOGGER.error("%s", json_text({"request_id": entry.id, "error": entry.error, "places": places}))


def log_hidden(entry: Entry, error: BaseException) -> None:
    """Log an error of the database, whose text the caller does not get."""
    entry.error = type(error).__name__
    LOGGER.warning("%s", json_text({"request_id": entry.id, "error": entry.error, "detail": str(error)}))
