"""The log of the service: a line of JSON for each request and each unexpected error, without text from users."""

import logging
import traceback
from pathlib import Path
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from gear_neo4j.errors import DatabaseError, GearError, LocalServerError
from gear_neo4j.text.printable import json_text
from gear_neo4j.web.entry import Entry

ACCESS = logging.getLogger("gear_neo4j.web.access")
LOGGER = logging.getLogger("gear_neo4j.web")


def log_request(entry: Entry, *, route: str, method: str, status: int, questions: bool) -> None:
    """Log a request that has ended; with its question if ``questions``."""
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


def log_error(entry: Entry, error: BaseException) -> None:
    """Record an error in the entry of its request, and log the details that its caller does not get.

    Messages of the database are for the operator. An unexpected error is logged by its class and locations only,
    because its message may contain text from a user.
    """
    entry.error = type(error).__name__
    if isinstance(error, DatabaseError | LocalServerError):
        LOGGER.warning("%s", json_text({"request_id": entry.id, "error": entry.error, "detail": str(error)}))
    elif not isinstance(error, GearError | HTTPException | RequestValidationError):
        LOGGER.error("%s", json_text({"request_id": entry.id, "error": entry.error, "locations": _locations(error)}))


def log_job(id: str, error: BaseException) -> None:
    """Log why a job failed, by the same rules."""
    fields: dict[str, Any] = {"job": id, "error": type(error).__name__}
    if isinstance(error, DatabaseError | LocalServerError):
        fields["detail"] = str(error)
    elif not isinstance(error, GearError | HTTPException):
        fields["locations"] = _locations(error)
    LOGGER.warning("%s", json_text(fields))


def _locations(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
