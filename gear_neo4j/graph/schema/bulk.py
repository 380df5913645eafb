"""Drops the vector index of the triples for a large load, and rebuilds it once afterwards.

In an online index, every commit adds a segment, and merging segments rebuilds their vector graphs; building the index
once takes half the work. Until then, the walk does without it, see ``nearest_triples``.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.schema import migrations
from gear_neo4j.graph.schema.indexes import TRIPLE_INDEX, await_online

# For smaller loads, the index is online again about as soon either way.
WORTHWHILE = 50_000


def is_large(*, expected: int, present: int) -> bool:
    """Whether a load to ``expected`` triples, ``present`` of them stored already, is faster with the index built last.

    The stored triples must then be indexed again.

    Example:
        >>> is_large(expected=200_000, present=0), is_large(expected=200_000, present=190_000)
        (True, False)
    """
    new = expected - present
    return new >= WORTHWHILE and new >= present


@contextmanager
def loading(
    database: Database, *, dimension: int, expected: int, on_percent: Callable[[float], None] = lambda _: None
) -> Iterator[None]:
    """Write about ``expected`` triples in the block; for a large load, their vector index is dropped.

    After the block, however it ends, the index is rebuilt. If the process is killed in the block, the next migration
    starts to rebuild it. Even a small load waits for it, because it may be the rest of a large one that was killed.
    """
    if is_large(expected=expected, present=database.call("counts")[0]["triples"]):
        database.execute(f"DROP INDEX {TRIPLE_INDEX} IF EXISTS")
        try:
            yield
        finally:
            migrations.restore(database, dimension=dimension)
    else:
        yield
    await_online(database, on_percent=on_percent)
