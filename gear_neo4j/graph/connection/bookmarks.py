"""Bookmarks: strings by which one process tells another what it has written."""

from collections.abc import Iterable

from gear_neo4j.errors import SettingsError

# Of a prefix such as ``FB:``. On anything shorter the server fails instead of refusing it.
SHORTEST = 3


def checked(bookmarks: Iterable[str]) -> tuple[str, ...]:
    """Bookmarks as the driver takes them; what they hold, only a server can read.

    Raises:
        SettingsError: they are not a list of strings of ASCII, or one of them is too short.

    Example:
        >>> checked(["FB:kcwQ"])
        ('FB:kcwQ',)
    """
    is_list = isinstance(bookmarks, Iterable) and not isinstance(bookmarks, str)
    given = tuple(bookmarks) if is_list else ()
    if not is_list or not all(map(_could_be_one, given)):
        raise SettingsError(f"bookmarks are a list of strings, such as gear.bookmarks, and not {bookmarks!r:.80}")
    return given


def _could_be_one(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and len(value) >= SHORTEST
