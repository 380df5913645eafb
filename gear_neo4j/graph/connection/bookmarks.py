"""Bookmarks: strings by which one process can see the writes of another."""

from collections.abc import Iterable

from gear_neo4j.errors import SettingsError

# The length of a prefix such as ``FB:``. The server fails on a shorter bookmark, instead of refusing it.
SHORTEST = 3


def checked(bookmarks: Iterable[str]) -> tuple[str, ...]:
    """Bookmarks in the form that the driver takes; only a server can check their content.

    Raises:
        SettingsError: they are not a list of ASCII strings, or one of them is too short.

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
