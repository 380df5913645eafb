"""The values: keys of entities, ids, drawn paths, Cypher to paste, and hits as a sequence."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.domain import (
    LONGEST_KEY,
    Cypher,
    Hit,
    Hits,
    Passage,
    Path,
    entity_key,
    make_triple,
    passage_id,
    triple_id,
)
from tests.examples import examples

PROPERTIES = settings(deadline=None, max_examples=examples(300))
NAMES = st.text() | st.text(st.characters(), max_size=20) | st.text("ﬁßŐİΣͅ a\u0301", min_size=100, max_size=1_000)


@PROPERTIES
@given(NAMES)
def test_the_key_of_a_key_is_itself(name):
    """Folding a name twice makes no difference."""
    assert entity_key(name) == entity_key(entity_key(name))


@PROPERTIES
@given(NAMES)
def test_a_key_is_empty_only_for_a_name_of_spaces(name):
    """No visible name is lost."""
    assert bool(name.strip()) == bool(entity_key(name))


@PROPERTIES
@given(NAMES)
def test_a_key_fits_into_an_index_entry(name):
    """At most 500 characters, without spaces at its ends or two in a row."""
    key = entity_key(name)

    assert len(key) <= LONGEST_KEY
    assert " ".join(key.split()) == key


@PROPERTIES
@given(st.text())
def test_the_key_of_an_encodable_name_is_encodable(name):
    """If a name can be stored, so can its key."""
    key = entity_key(name)

    assert key == key.encode().decode()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Geoffrey Hinton", "GEOFFREY HINTON"),
        ("Geoffrey  Hinton ", "\tGeoffrey\nHinton"),
        ("Geoffrey Hinton", "Geoffrey\u00a0Hinton"),
        ("IBM", "ＩＢＭ"),
        ("Straße", "STRASSE"),
        ("Zoë", "Zoe\u0308"),
        ("ﬁnance", "Finance"),
        ("ΟΔΥΣΣΕΥΣ", "Οδυσσεύς".replace("ύ", "υ")),
        ("ｶﾞｿﾘﾝ", "ガソリン"),
        ("Sean O'Brien", "Sean O\u2019Brien"),
        ("Sean O'Brien", "Sean O`Brien"),
        ("Jean-Luc", "Jean\u2011Luc"),
        ("Paris\u2013Nice", "Paris-Nice"),
        ("Zürich", "Zü\u00adrich"),
        ("Acme", "\ufeffAc\u200bme"),
        ('"Acme" plc', "\u201cAcme\u201d plc"),
    ],
)
def test_case_width_spaces_and_signs_do_not_tell_names_apart(one, other):
    """Two spellings of a name have one key, however apostrophes, hyphens and invisible characters are written."""
    assert entity_key(one) == entity_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("鲁迅", "鲁班"),
        ("Толстой", "Толстая"),
        ("القاهرة", "القدس"),
        ("हिन्दी", "हन्दी"),
        ("한강", "한국"),
        ("C", "C++"),
        ("Müller", "Muller"),
        ("U.S.", "US"),
    ],
)
def test_different_names_of_any_script_have_different_keys(one, other):
    """Letters, vowel signs and punctuation count."""
    assert entity_key(one) != entity_key(other)


@pytest.mark.parametrize("name", ["鲁迅", "толстой", "القاهرة", "हिन्दी", "한강"])
def test_a_name_of_another_script_is_kept_as_it_is(name):
    """Nothing is transliterated or dropped."""
    assert name == entity_key(name)


def test_long_names_with_a_common_beginning_differ():
    """The digest at the end is of the whole name."""
    one, other = "word " * 200 + "one", "word " * 200 + "other"

    assert entity_key(one) != entity_key(other)
    assert entity_key(one).startswith("word word word ")


def test_the_longest_name_without_a_digest():
    """500 characters are kept as they are, 501 are not."""
    assert "x" * LONGEST_KEY == entity_key("x" * LONGEST_KEY)
    assert "x" * (LONGEST_KEY + 1) != entity_key("x" * (LONGEST_KEY + 1))


def test_ids_are_the_same_in_every_version():
    """Databases store them: a change would double every passage and triple at the next ingest."""
    assert "df9770dafe9e379b989000aac8414fb6" == passage_id("Curie", "Marie Curie was born in Warsaw.")
    assert "21ab46e0a35a87e863c99da65ed8db62" == triple_id("p1", "Curie", "born in", "Warsaw")


@pytest.mark.parametrize(
    ("one", "other"), [(("a", "b c"), ("a b", "c")), (("a", ""), ("", "a")), (("", '","'), (",", ""))]
)
def test_shifted_parts_have_other_ids(one, other):
    """The boundaries of the parts matter."""
    assert passage_id(*one) != passage_id(*other)
    assert triple_id("p", *one, "o") != triple_id("p", *other, "o")


@PROPERTIES
@given(st.lists(st.tuples(*[st.text(st.characters(exclude_categories=["Cs"]), max_size=3)] * 4), max_size=20))
def test_ids_are_equal_only_for_equal_parts(parts):
    """No two different triples share an id."""
    assert len(set(parts)) == len({triple_id(*one) for one in parts})


def path(*triples):
    return Path(tuple(make_triple("p1", *triple.split(" > ")) for triple in triples), 1.0)


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        (path("A > p > B"), "A —p→ B"),
        (path("A > p > B", "B > q > C"), "A —p→ B —q→ C"),
        (path("A > p > B", "C > q > B"), "A —p→ B ←q— C"),
        (path("B > p > A", "B > q > C"), "A ←p— B —q→ C"),
        (path("B > p > A", "C > q > B"), "A ←p— B ←q— C"),
        (path("A > p > A", "A > q > B"), "A —p→ A —q→ B"),
        (path("A > p > B", "B > q > B", "B > r > C"), "A —p→ B —q→ B —r→ C"),
        (path("A > p > B", "A > q > B"), "A —p→ B ←q— A"),
        (path("A > p > B", "B > q > A"), "A —p→ B —q→ A"),
        (path("A > p > B", "B > q > C", "C > r > D"), "A —p→ B —q→ C —r→ D"),
        (path("A > p > B", "B > q > C", "B > r > D"), "A —p→ B —q→ C; B —r→ D"),
        (path("A > p > B", "C > q > B", "D > r > B"), "A —p→ B ←q— C; D —r→ B"),
        (path("A > p > New York", "new  york > q > C"), "A —p→ New York —q→ C"),
        (Path((), 0.0), ""),
    ],
)
def test_a_path_is_drawn_as_one_line(drawn, expected):
    """Forward, backward, turning back at a shared subject, around a loop, and from an entity in the middle."""
    assert expected == str(drawn)


@PROPERTIES
@given(st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("pq"), st.sampled_from("ABC")), max_size=4))
def test_a_drawn_path_tells_every_triple(parts):
    """Reading the line arrow by arrow gives the triples of the path in order."""
    triples = [make_triple("p1", *part) for part in parts]

    line = str(Path(tuple(triples), 1.0))

    told = []
    for walk in line.split("; "):
        entities, arrows = re.split(r" [—←]\w+[→—] ", walk), re.findall(r" ([—←])(\w+)[→—] ", walk)
        for left, right, (arrow, predicate) in zip(entities, entities[1:], arrows, strict=False):
            told.append((left, predicate, right) if arrow == "—" else (right, predicate, left))
    assert parts == told


def test_the_passages_of_a_path_are_named_once_in_order():
    """Two triples of one passage count as one."""
    triples = [make_triple(passage, "s", str(i), "o") for i, passage in enumerate(["p2", "p1", "p2"])]

    assert ("p2", "p1") == Path(tuple(triples), 1.0).passage_ids


@pytest.mark.parametrize(("title", "expected"), [("Curie", "Curie\nText."), ("", "Text.")])
def test_the_content_of_a_passage(title, expected):
    """Without a title there is no empty line."""
    assert expected == Passage("p1", title, "Text.").content


@PROPERTIES
@given(st.dictionaries(st.sampled_from(["ids", "k", "text"]), st.lists(st.text()) | st.text() | st.integers()))
def test_cypher_can_be_pasted(parameters):
    """Each parameter is on its own line, as a literal that reads back as the same value."""
    *lines, statement = str(Cypher("RETURN 1", parameters)).split("\n")

    found = [re.fullmatch(r":param (\w+) => (.*);", line) for line in lines]
    assert "RETURN 1" == statement
    assert parameters == {match[1]: json.loads(match[2]) for match in found}
    assert all(line.isascii() for line in lines)


def test_hits_are_a_sequence():
    """They support len, indexing, slicing, iteration, reversed and in."""
    one, two, three = (Hit(Passage(f"p{i}", "", "text"), 1 / i, i) for i in (1, 2, 3))
    hits = Hits("Who?", "naive", (one, two, three))

    assert 3 == len(hits)
    assert (one, three) == (hits[0], hits[-1])
    assert (two, three) == hits[1:]
    assert [one, two, three] == list(hits)
    assert [three, two, one] == list(reversed(hits))
    assert two in hits
    assert 1 == hits.index(two)


def test_no_hits_are_false():
    """``if hits:`` works as expected."""
    assert not Hits("Who?", "naive", ())


def test_a_hit_beyond_the_end_is_an_index_error():
    """As in every sequence."""
    with pytest.raises(IndexError):
        Hits("Who?", "naive", ())[0]
