"""The first rows of an untrusted statement as plain data, within a budget."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gear_neo4j.errors import DatabaseError
from gear_neo4j.graph.guard.values import plain

# Maximum number of bytes from the server for one statement. The worst case is empty maps: one byte each, 72 in Python.
MOST_BYTES = 2**20
# Maximum length of the kept rows as JSON; a prompt takes a tenth of it.
LONGEST_ANSWER = 200_000


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Rows as plain data; ``truncated`` is empty, or says why there are more rows."""

    rows: tuple[dict[str, Any], ...]
    truncated: str = ""


class Reading:
    """Collects records until the budget is reached or one record more than the limit is seen."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._left = LONGEST_ANSWER
        self._rows: list[dict[str, Any]] = []
        self._stopped = False
        self._more = False

    def take(self, record: Mapping[str, Any]) -> bool:
        """Keep a record if it fits; returns whether another one may follow."""
        if len(self._rows) == self._limit:
            self._more = True
            return False
        row = {key: plain(value, name=key) for key, value in record.items()}
        self._left -= len(json.dumps(row, ensure_ascii=False))
        if self._left < 0:
            self.stop()
        else:
            self._rows.append(row)
        return not self._stopped

    def stop(self) -> None:
        """Mark the answer as larger than its budget."""
        self._stopped = True

    def excerpt(self) -> Excerpt:
        """The rows so far.

        Raises:
            DatabaseError: a single row is larger than the budget.

        Example:
            >>> reading = Reading(2)
            >>> [reading.take({"n": number}) for number in (1, 2, 3)]
            [True, True, False]
            >>> reading.excerpt()
            Excerpt(rows=({'n': 1}, {'n': 2}), truncated='only the first 2 rows were read: there are more')
        """
        if self._stopped and not self._rows:
            raise DatabaseError(
                "one row of the answer is too large: return a few properties instead of whole nodes, and fewer values "
                "in a list"
            )
        reason = "the answer is too large" if self._stopped else "there are more" if self._more else ""
        count = len(self._rows)
        read = "only the first row was read" if count == 1 else f"only the first {count} rows were read"
        return Excerpt(tuple(self._rows), f"{read}: {reason}" if reason else "")
