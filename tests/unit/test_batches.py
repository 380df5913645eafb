"""Grouping of nodes into batches: none is lost, and each commit is large enough for its index segment."""

from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.adoption.batches import NODES_A_BATCH, PASSAGES_A_BATCH, batches_of_nodes

RUNS = st.lists(st.tuples(st.booleans(), st.integers(1, 2 * NODES_A_BATCH)), max_size=6)


@given(RUNS)
def test_batches_hold_every_node_in_order_and_are_full_but_for_the_last(runs):
    """A batch is full if it has the maximum number of passages, or of nodes in all."""
    rows = [{"wanted": wanted, "index": index} for wanted, count in runs for index in range(count)]

    found = list(batches_of_nodes(rows, where=lambda row: row["wanted"]))

    assert rows == [row for batch in found for row in batch]
    sizes = [(sum(row["wanted"] for row in batch), len(batch)) for batch in found]
    assert all(0 < nodes <= NODES_A_BATCH and passages <= PASSAGES_A_BATCH for passages, nodes in sizes)
    assert all(passages == PASSAGES_A_BATCH or nodes == NODES_A_BATCH for passages, nodes in sizes[:-1])
