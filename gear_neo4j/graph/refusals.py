"""Translates the server's refusals into our errors, with advice."""

from gear_neo4j.errors import DatabaseError, DatabaseNotFound, IndexUnavailable, QueryTimeout

_NO_INDEX = "Neo.ClientError.Schema.IndexNotFound"
# Neo4j 5 has no error code for it.
_NO_INDEX_WORDS = ("no such vector schema index", "no such fulltext schema index", "Expected index to come online")
_TIMED_OUT = (
    "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
    "Neo.ClientError.Transaction.TransactionTimedOut",
)


def refusal(code: str | None, message: str, *, database: str | None, where: str = "") -> DatabaseError:
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
    return DatabaseError(f"the server refused a query: {message}{where}")
