"""Whatever a loader gives, and wherever it fails: the graph holds what a model says, for the right readers."""

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gear_neo4j import Loaded
from gear_neo4j.errors import InputError
from gear_neo4j.graph.queries import Query
from tests.examples import examples
from tests.graphs import opened
from tests.loaders import Pages, page

pytestmark = [pytest.mark.one_server_line, pytest.mark.timeout(1_200)]

COLLECTIONS = map("c{}".format, count())
PRINCIPALS = ("user:ada", "user:bo")
HELD = Query(
    "held",
    "MATCH (p:Passage {collection: $collection}) RETURN p.source AS source, p.text AS text, p.readers AS readers",
    frozenset({"collection"}),
)
ROW = st.tuples(
    st.sampled_from("abc"), st.sampled_from(["One.", "Two.", "Three."]), st.sets(st.sampled_from(PRINCIPALS))
)
# The documents by key, where the loader fails, and whether it may add readers.
STEP = st.tuples(st.lists(ROW, max_size=3, unique_by=lambda row: row[0]), st.none() | st.integers(0, 3), st.booleans())


def held(store, collection):
    """The texts and the readers of the stored documents."""
    rows = store.graph.database.run(HELD, collection=collection)
    assert len(rows) == len({row["source"] for row in rows})
    return {row["source"]: (row["text"], set(row["readers"]) - {""}) for row in rows}


def step(store, collection, rows, stop, widen):
    """Sync what a loader gives before it fails; compare all that is stored with the model, and sync again."""
    stop = None if stop is None or stop > len(rows) else stop
    before = held(store, collection)
    recorded = {one.source: set(one.readers) - {""} for one in store.corpus.readers(collection=collection)}
    reached = {f"wiki/{key}": (text, readers) for key, text, readers in rows[:stop]}
    documents = [page(key, text, who=sorted(readers)) for key, text, readers in rows]
    if stop is not None:
        documents.insert(stop, TimeoutError("gone"))

    def sync():
        source = Loaded(Pages(*documents), name="wiki", readers="who")
        return store.corpus.sync(source, collection=collection, widen=widen, most_deleted=1, extract=False)

    if stop == 0:
        with pytest.raises(InputError):
            sync()
        assert before == held(store, collection)
        return
    report = sync()
    after = held(store, collection)

    assert (stop is not None) == bool(report.failures)
    # What was not reached is as it was, unless the loader came to its end.
    kept = {} if stop is None else {name: one for name, one in before.items() if name not in reached}
    assert kept.keys() | reached.keys() == after.keys()
    assert kept.items() <= after.items()
    for name, (text, readers) in reached.items():
        assert text == after[name][0]
        assert after[name][1] <= readers
        if widen or name not in recorded:
            assert readers == after[name][1] or report.moved
        elif not report.moved:
            assert readers & recorded[name] == after[name][1]
    assert not widen or reached.items() <= after.items()
    again = sync()
    assert again.is_empty
    assert (len(reached), 0) == (again.unchanged, again.passages_written)
    assert after == held(store, collection)


@settings(max_examples=examples(6), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, min_size=2, max_size=5))
def test_the_graph_holds_what_a_model_says(server, database, embedder, steps):
    """After each sync, for each principal, and also after the same sync again."""
    collection = next(COLLECTIONS)
    with opened(server, embedder) as store:
        for rows, stop, widen in steps:
            step(store, collection, rows, stop, widen)
            stored = held(store, collection)
            for principal in PRINCIPALS:
                view = store.scoped(collections=[collection], principals=[principal])
                seen = {one.source for one in view.corpus.sources().sources}
                assert {name for name, (_, readers) in stored.items() if principal in readers} == seen
