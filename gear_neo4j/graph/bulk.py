"""The vector index of the triples, put aside for a large load and built once it is done.

In an index that is online every commit makes a segment of its own, and the graph of each vector is built anew whenever
segments are merged; built at once it takes half the work. Meanwhile the walk does without it, see ``nearest_triples``.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gear_neo4j.graph import migrations
from gear_neo4j.graph.database import Database
from gear_neo4j.graph.schema import TRIPLE_INDEX, await_online

# Below this, the index is online again about as soon as the load is done either way.
WORTHWHILE = 50_000


def is_large(*, expected: int, present: int) -> bool:
    """Whether so many triples, of which some are present, are a load for which the index is better built afterwards.

    What is present has to be built again, too.

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
    """Write about so many triples inside the block; where that is a large load, without their vector index.

    After the block, however it ends, the index is built and waited for. Killed inside it, the next migration makes it.
    """
    if not is_large(expected=expected, present=database.call("counts")[0]["triples"]):
        yield
        return
    database.execute(f"DROP INDEX {TRIPLE_INDEX} IF EXISTS")
    try:
        yield
    finally:
        migrations.restore(database, dimension=dimension)
    await_online(database, on_percent=on_percent)
