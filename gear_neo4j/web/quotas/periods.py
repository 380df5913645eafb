"""The days and months of quotas, in UTC."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True, slots=True)
class Period:
    """A day or a month: its name in the database, when it begins, and when the next one does."""

    name: str
    begins: datetime
    ends: datetime

    @property
    def seconds(self) -> int:
        """Its length."""
        return int((self.ends - self.begins).total_seconds())


def now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


def day_of(time: datetime) -> Period:
    """The day of a time.

    Example:
        >>> day_of(datetime(2026, 11, 30, 23, 59, tzinfo=UTC)).ends
        datetime.datetime(2026, 12, 1, 0, 0, tzinfo=datetime.timezone.utc)
    """
    begins = time.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return Period(begins.date().isoformat(), begins, begins + timedelta(days=1))


def month_of(time: datetime) -> Period:
    """The month of a time.

    Example:
        >>> month_of(datetime(2026, 12, 31, tzinfo=UTC)).name, month_of(datetime(2028, 2, 1, tzinfo=UTC)).seconds
        ('2026-12', 2505600)
    """
    begins = day_of(time).begins.replace(day=1)
    # 32 days after its first day, it is always the next month.
    ends = (begins + timedelta(days=32)).replace(day=1)
    return Period(begins.strftime("%Y-%m"), begins, ends)
