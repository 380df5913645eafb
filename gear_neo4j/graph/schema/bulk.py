"""The vector index of the triples: dropped for a large load and rebuilt once after it.

In an online index every commit adds a segment, and merging segments rebuilds their vector graphs; building the index
once takes half the work. Until then the walk does without it, see ``nearest_triples``.
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

    The stored triples have to be indexed again, too.

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
    """Write about ``expected`` triples inside the block; a large load goes without their vector index.

    After the block, however it ends, the index is rebuilt. If the process is killed inside the block, the next
    migration begins to rebuild it. A small load awaits it, too: it may be the rest of a large one that was killed.
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
