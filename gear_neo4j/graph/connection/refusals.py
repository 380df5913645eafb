"""Translates the server's refusals and failures into our errors, with advice."""

import re

from gear_neo4j.errors import (
    DatabaseError,
    DatabaseNotFound,
    GearError,
    IndexUnavailable,
    QueryTimeout,
    ServerUnavailable,
    SettingsError,
)

_NO_INDEX = "Neo.ClientError.Schema.IndexNotFound"
# Neo4j 5 has no error code for it.
_NO_INDEX_WORDS = ("no such vector schema index", "no such fulltext schema index", "Expected index to come online")
_TIMED_OUT = (
    "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
    "Neo.ClientError.Transaction.TransactionTimedOut",
)
_BAD_BOOKMARK = ("Neo.ClientError.Transaction.InvalidBookmark", "Neo.ClientError.Transaction.InvalidBookmarkMixture")
# The driver lists the addresses behind a name, and their errors in the lines below.
_RESOLVED = re.compile(r" \(resolved to \(.*\)\)")
_BEHIND = "Neo.TransientError.Transaction.BookmarkTimeout"
# Another process deleted a node between its lookup and its use; the query was rolled back.
_VANISHED = "Neo.ClientError.Statement.EntityNotFound"
# While Neo4j 5 builds an index, its count of finished work can exceed the total; SHOW INDEXES then fails.
_MISCOUNTED = "Invalid progress specified"


def passes(code: str | None, message: str | None) -> bool:
    """Whether a failure is temporary: the same query may succeed a moment later.

    Example:
        >>> passes("Neo.DatabaseError.Statement.ExecutionFailed", "Invalid progress specified: 9333/1000")
        True
    """
    return code == _VANISHED or (message or "").startswith(_MISCOUNTED)


def refusal(code: str | None, message: str, *, database: str | None, where: str = "") -> GearError:
    """The error for a server's code and message; ``where`` is appended if the query itself failed.

    Example:
        >>> print(refusal("Neo.ClientError.Database.DatabaseNotFound", "", database="films"))
        the server has no database 'films': check NEO4J_DATABASE
    """
    if code == "Neo.ClientError.Database.DatabaseNotFound":
        return DatabaseNotFound(f"the server has no database {database!r}: check NEO4J_DATABASE")
    if code == _NO_INDEX or any(words in message for words in _NO_INDEX_WORDS):
        return IndexUnavailable(
            "an index that this needs is missing or still being built: 'gear doctor' says which, 'gear migrate' makes "
            f"it and waits for it{where}"
        )
    if code in _TIMED_OUT:
        return QueryTimeout(f"the server ended a query that took too long: {message}{where}")
    if code in _BAD_BOOKMARK:
        return SettingsError("the server cannot read a bookmark: hand over those of gear.bookmarks, unchanged")
    return DatabaseError(f"the server refused a query: {message}{where}", code=code or "")


def is_about_values(error: DatabaseError) -> bool:
    """Whether the server refused the data of a write: a value, a name, or a violated constraint.

    Example:
        >>> is_about_values(refusal("Neo.ClientError.Statement.ArgumentError", "no such day", database=None))
        True
        >>> is_about_values(refusal("Neo.ClientError.Security.Forbidden", "read only", database=None))
        False
    """
    return error.code.startswith(("Neo.ClientError.Statement.", "Neo.ClientError.Schema."))


def unreached(message: str) -> ServerUnavailable:
    """The error for a server that does not answer, from the first line of the driver's message.

    Example:
        >>> print(unreached("Couldn't connect to db:7687 (resolved to ('10.0.0.1:7687', '10.0.0.2:7687')):"))
        no Neo4j server answers: Couldn't connect to db:7687 (check NEO4J_URI, or start a local one with 'gear up')
    """
    reason = _RESOLVED.sub("", message).rstrip(": ")
    return ServerUnavailable(
        f"no Neo4j server answers: {reason} (check NEO4J_URI, or start a local one with 'gear up')"
    )


def failure(code: str | None, message: str, *, where: str = "") -> DatabaseError:
    """The error for a failure that is not the query's fault; ``where`` as in :func:`refusal`.

    Example:
        >>> print(failure("Neo.TransientError.Transaction.BookmarkTimeout", "latest is 4"))
        the server has not caught up with a bookmark: try again later (latest is 4)
    """
    if code == _BEHIND:
        return DatabaseError(f"the server has not caught up with a bookmark: try again later ({message})")
    return DatabaseError(f"the server failed: {message}{where}")
