"""Translates the server's refusals and failures into our errors, with advice."""

from gear_neo4j.errors import DatabaseError, DatabaseNotFound, GearError, IndexUnavailable, QueryTimeout, SettingsError

_NO_INDEX = "Neo.ClientError.Schema.IndexNotFound"
# Neo4j 5 has no error code for it.
_NO_INDEX_WORDS = ("no such vector schema index", "no such fulltext schema index", "Expected index to come online")
_TIMED_OUT = (
    "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
    "Neo.ClientError.Transaction.TransactionTimedOut",
)
_BAD_BOOKMARK = ("Neo.ClientError.Transaction.InvalidBookmark", "Neo.ClientError.Transaction.InvalidBookmarkMixture")
_BEHIND = "Neo.TransientError.Transaction.BookmarkTimeout"


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
        return QueryTimeout(f"the server broke off a query that took too long: {message}{where}")
    if code in _BAD_BOOKMARK:
        return SettingsError("the server cannot read a bookmark: hand over those of gear.bookmarks, unchanged")
    return DatabaseError(f"the server refused a query: {message}{where}")


def failure(code: str | None, message: str, *, where: str = "") -> DatabaseError:
    """The error for a failure that is not the query's fault; ``where`` as in :func:`refusal`.

    Example:
        >>> print(failure("Neo.TransientError.Transaction.BookmarkTimeout", "latest is 4"))
        the server has not caught up with a bookmark: try again later (latest is 4)
    """
    if code == _BEHIND:
        return DatabaseError(f"the server has not caught up with a bookmark: try again later ({message})")
    return DatabaseError(f"the server failed: {message}{where}")
