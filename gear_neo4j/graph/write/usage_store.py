"""What callers of a service have used in a day and a month: counted in the database, so that its replicas share it."""

from collections.abc import Mapping
from dataclasses import dataclass

from gear_neo4j.graph.connection.database import Database, Row
from gear_neo4j.graph.schema.record import no_passages

# Records to delete in a transaction.
BATCH = 10_000


@dataclass(frozen=True, slots=True)
class Used:
    """What was used in a period: requests, and tokens of the language model."""

    requests: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Count:
    """What was used today and this month; ``counted`` is False if a limit was reached before."""

    counted: bool
    today: Used
    this_month: Used


@dataclass(frozen=True, slots=True)
class CallerUsage:
    """What one caller has used, by the name of the key or the person."""

    name: str
    today: Used
    this_month: Used


class UsageStore:
    """The usage in one database. Days are such as 2026-11-29, months such as 2026-11."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def count(
        self,
        subject: str,
        *,
        name: str,
        day: str,
        month: str,
        requests: int = 0,
        tokens: int = 0,
        limits: Mapping[str, int | None] | None = None,
    ) -> Count:
        """Add tokens, and then requests, unless a limit is reached; one round trip.

        Args:
            name: stored with the record, for people.
            limits: ``requests_per_day``, ``tokens_per_day``, ``requests_per_month`` and ``tokens_per_month``.

        Raises:
            InputError: the database is empty.
            DatabaseError: it cannot answer; then nothing is counted.
        """
        rows = self._database.call(
            "count_usage",
            subject=subject,
            name=name,
            day=day,
            month=month,
            requests=requests,
            tokens=tokens,
            limits=dict(limits or {}),
        )
        if not rows:
            raise no_passages(self._database.name)
        return Count(rows[0]["counted"], *_used(rows[0]))

    def used(self, subject: str, *, day: str, month: str) -> tuple[Used, Used]:
        """What a subject has used in a day and a month; one round trip."""
        rows = self._database.call("usage_of", subject=subject, day=day, month=month)
        found = {row["is_day"]: Used(row["requests"], row["tokens"]) for row in rows}
        return found.get(True, Used()), found.get(False, Used())

    def all(self, *, day: str, month: str) -> list[CallerUsage]:
        """What every caller has used in a month, and in a day of it; one round trip."""
        return [CallerUsage(row["name"], *_used(row)) for row in self._database.call("usage", day=day, month=month)]

    def drop(self, *, before: str) -> None:
        """Delete what was used before a day, in batches."""
        while self._database.call("drop_usage", day=before, limit=BATCH)[0]["dropped"] == BATCH:
            pass


def _used(row: Row) -> tuple[Used, Used]:
    return (
        Used(row["requests_today"], row["tokens_today"]),
        Used(row["requests_this_month"], row["tokens_this_month"]),
    )
