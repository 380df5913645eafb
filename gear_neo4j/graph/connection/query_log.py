"""The log of queries: name, duration and number of rows; never the values.

The logger is ``gear_neo4j.queries``, at level DEBUG; each record also carries ``query``, ``database``, ``milliseconds``
and ``rows`` as attributes.
"""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gear_neo4j.text.printable import json_text

LOGGER = logging.getLogger("gear_neo4j.queries")
_KEYS = ("query", "database", "milliseconds", "rows", "error")


@dataclass(slots=True)
class Entry:
    """A running query: the number of rows so far."""

    rows: int = 0


@contextmanager
def logged(query: str, *, database: str) -> Iterator[Entry]:
    """Log a query when it ends, successful or not."""
    entry, started, error = Entry(), time.perf_counter(), None
    try:
        yield entry
    except Exception as problem:
        error = type(problem).__name__
        raise
    finally:
        spent = round(1_000 * (time.perf_counter() - started), 2)
        LOGGER.debug(
            "%s on %s: %d rows in %.1f ms%s",
            *(query, database, entry.rows, spent, f", {error}" if error else ""),
            extra={"query": query, "database": database, "milliseconds": spent, "rows": entry.rows, "error": error},
        )


def log_to(file: Path) -> logging.Handler:
    """Append a line of JSON to a file for every query, until :func:`stop`.

    Raises:
        OSError: the file cannot be written to.
    """
    handler = _File(file, encoding="utf-8")
    handler.setFormatter(_Lines())
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.DEBUG)
    return handler


def stop(handler: logging.Handler) -> None:
    """Stop logging to a file."""
    LOGGER.removeHandler(handler)
    # If the disk is full, the buffer is lost; the line on standard error has said so.
    with suppress(OSError):
        handler.close()


class _File(logging.FileHandler):
    """A log that stops with one warning when it cannot be written, because queries matter more."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 (the name is logging's)
        error = sys.exception()
        LOGGER.removeHandler(self)
        logging.getLogger(__name__).error(
            "%s cannot be written (%s): no further query is logged", self.baseFilename, error
        )


class _Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields = {key: value for key in _KEYS if (value := getattr(record, key, None)) is not None}
        return json_text({"time": datetime.fromtimestamp(record.created, UTC).isoformat(), **fields})
