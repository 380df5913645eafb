"""The plan of a sync: which documents have moved, and how little is read to find out."""

from gear_neo4j.graph.write.manifest import ReadSource
from gear_neo4j.sync.origins import Listed
from gear_neo4j.sync.plan import MOST_EXCHANGED, plan


def shifted(number):
    """Documents that each got the name of the next: the listing, the known ones, and the digests."""
    known = {f"{n}": ReadSource(f"{n}", f"v{n}", f"d{n}") for n in range(number)}
    return [Listed(f"{n + 1}", f"v{n}") for n in range(number)], known, lambda one: f"d{one.version[1:]}"


def test_a_shift_of_names_is_a_move_of_each():
    """In any order; the names in between change hands."""
    listed, known, digest = shifted(3)

    found = plan(listed, known, digest=digest)

    assert [("0", "1"), ("1", "2"), ("2", "3")] == [(old, one.name) for old, one in found.moved]
    assert {"1", "2"} == found.overwritten
    assert ((), (), (), 3) == (found.new, found.changed, found.deleted, found.known)


def test_more_documents_than_fit_one_transaction_are_written_anew_where_they_exchange_names():
    """The one whose former name is free still moves."""
    listed, known, digest = shifted(MOST_EXCHANGED + 2)

    found = plan(listed, known, digest=digest)

    assert [("0", "1")] == [(old, one.name) for old, one in found.moved]
    assert (1, MOST_EXCHANGED) == (len(found.new), len(found.changed))
    assert frozenset() == found.overwritten


def test_an_edit_is_read_once():
    """No digest is computed if no other document has had that version, and none is missing."""
    known = {"a": ReadSource("a", "1", "x"), "b": ReadSource("b", "2", "y")}
    asked = []

    found = plan([Listed("a", "3"), Listed("b", "2"), Listed("c", "4")], known, digest=asked.append)

    assert (["c"], ["a"], []) == ([one.name for one in found.new], [one.name for one in found.changed], asked)


def test_a_copy_of_a_document_that_stays_is_new():
    """With the same time, as after ``cp -p``."""
    known = {"a": ReadSource("a", "1", "x"), "b": ReadSource("b", "2", "y")}

    found = plan([Listed("a", "1"), Listed("b", "1")], known, digest=lambda one: "x")

    assert ((), ["b"], 1) == (found.moved, [one.name for one in found.changed], found.unchanged)
