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
    """No digest is computed if no other document has left its name, nor that of a document with its former version."""
    known = {"a": ReadSource("a", "1", "x"), "b": ReadSource("b", "2", "y")}
    asked = []

    found = plan([Listed("a", "3"), Listed("b", "2")], known, digest=asked.append)

    assert ([], ["a"], []) == ([one.name for one in found.new], [one.name for one in found.changed], asked)


def test_a_document_that_leaves_its_name_to_a_new_text_has_moved():
    """Its new name may have another time, as a copy has."""
    known = {"a": ReadSource("a", "1", "x"), "b": ReadSource("b", "2", "y")}
    digests = {"a": "z", "c": "x"}

    found = plan([Listed("a", "3"), Listed("b", "2"), Listed("c", "4")], known, digest=lambda one: digests[one.name])

    assert ([("a", "c")], ["a"]) == ([(old, one.name) for old, one in found.moved], [one.name for one in found.new])


def test_a_copy_of_a_document_with_another_time_is_new():
    """The document itself has its content still, and keeps its name."""
    known = {"b": ReadSource("b", "1", "x")}

    found = plan([Listed("a", "3"), Listed("b", "2")], known, digest=lambda one: "x")

    assert ((), ["a"], ["b"]) == (
        found.moved,
        [one.name for one in found.new],
        [one.name for one in found.changed],
    )


def test_documents_that_were_read_with_other_options_are_read_again_and_none_for_its_digest():
    """Readers that are given are compared; a sync that gives none takes what there is."""
    known = {name: ReadSource(name, "1", name, options="1000 group:hr") for name in "ab"}
    listed, asked = [Listed("a", "1"), Listed("b", "1")], []

    again = [
        len(plan(listed, known, digest=asked.append, options=lambda _, now=options: now).changed)
        for options in ("1000", "1000 group:hr", "1000 group:legal", "1000 ", "500")
    ]

    assert ([0, 0, 2, 2, 2], []) == (again, asked)


def test_a_document_moves_whatever_options_it_was_read_with():
    """Also into the place of another one."""
    known = {name: ReadSource(name, name, name, options="1000 group:hr") for name in "ab"}
    listed = [Listed("a", "b"), Listed("b", "a")]

    found = plan(listed, known, digest=lambda one: one.version, options=lambda _: "1000")

    assert {("b", "a"), ("a", "b")} == {(old, one.name) for old, one in found.moved}


def test_a_copy_of_a_document_that_stays_is_new():
    """With the same time, as after ``cp -p``."""
    known = {"a": ReadSource("a", "1", "x"), "b": ReadSource("b", "2", "y")}

    found = plan([Listed("a", "1"), Listed("b", "1")], known, digest=lambda one: "x")

    assert ((), ["b"], 1) == (found.moved, [one.name for one in found.changed], found.unchanged)
