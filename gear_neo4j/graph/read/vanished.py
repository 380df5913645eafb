"""Rows about nodes that another process deletes while a query reads them."""

from collections.abc import Iterable, Iterator

from gear_neo4j.graph.connection.database import Row

TRIPLE = ("id", "subject", "predicate", "object", "passage")


def present(rows: Iterable[Row], *columns: str) -> Iterator[Row]:
    """The rows that have a value in each of the columns.

    The server returns nulls for the properties of a node that is deleted during a query.

    Example:
        >>> [row["id"] for row in present([{"id": "a", "text": "A"}, {"id": "b", "text": None}], "id", "text")]
        ['a']
    """
    return (row for row in rows if all(row[column] is not None for column in columns))
