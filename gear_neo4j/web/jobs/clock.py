"""The time as jobs keep it."""

from datetime import UTC, datetime


def now() -> str:
    """The time in ISO 8601, in UTC, in seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")
