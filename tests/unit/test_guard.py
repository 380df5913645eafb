"""The rules of the guard: what it refuses and why, what it accepts, and how it limits."""

import json
import threading
import time
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from neo4j.vector import Vector

from gear_neo4j.errors import GuardError, QueryTimeout
from gear_neo4j.graph.connection.deadline import within
from gear_neo4j.graph.guard.guard import WRITING, check
from gear_neo4j.graph.guard.tokens import tokens
from gear_neo4j.graph.guard.values import LONGEST_VALUE, plain
from tests.grammar import DOING_MORE, READING, queries
from tests.hostile import BOUNDED, HARMLESS, attacks

WORDS = st.sampled_from([*sorted(WRITING), "LOAD CSV", "USE other", "; RETURN 2 AS b", "CALL apoc.load.json('x')"])
# A forbidden word that is only a text, a name or a comment.
HIDDEN = st.one_of(
    WORDS.map(lambda word: "'" + word.replace("'", "\\'") + "' AS a"),
    WORDS.map(lambda word: f'"{word}" AS a'),
    WORDS.map(lambda word: f"1 AS `{word}`"),
    WORDS.map(lambda word: f"1 /* {word} */ AS a"),
    WORDS.map(lambda word: f"1 AS a // {word}\n"),
    WORDS.map(lambda word: f"'\\\\' + '{word[:4]}' AS a"),
)
# Separators between two words; a quote in a comment does not open a text.
GAPS = st.lists(
    st.sampled_from([" ", "\n", "\t", "\u00a0", "\u3000", "/* ' */", '/*"*/', "/*`*/", "// '\n", "/**/", "// x\r"]),
    min_size=1,
).map("".join)
PIECES = st.sampled_from(
    ["'", '"', "`", "\\", "/*", "*/", "//", "\n", "u0027", "\\u0027", "LOAD", "CSV", " ", "(n)", "RETURN", "MATCH", ";"]
)


ATTACKS = attacks("http://127.0.0.1:9", "file:///a")


@pytest.mark.parametrize(("kind", "reason", "reply"), ATTACKS)
def test_what_does_more_than_read_is_refused(kind, reason, reply):
    """Each for its own reason, in one line for the model."""
    with pytest.raises(GuardError) as refused:
        check(reply)

    assert reason in str(refused.value)
    assert 1 == len(str(refused.value).splitlines())


def test_the_attacks_are_many_and_different():
    """None is repeated, and every kind has some."""
    assert len({reply for _, _, reply in ATTACKS}) == len(ATTACKS) >= 200
    kinds = {"writes", "outside", "administration", "disguise", "endless", "deep", "planning"}
    assert kinds == {kind for kind, _, _ in ATTACKS}


def test_the_rules_themselves_take_no_time():
    """Even for eight thousand brackets, each of which a rule might compare with all the others."""
    started = time.process_time()
    for _, _, reply in ATTACKS:
        with suppress(GuardError):
            check(reply)

    assert time.process_time() - started < 4


@pytest.mark.parametrize("query", [*HARMLESS, *BOUNDED])
def test_what_only_reads_passes(query):
    """Forbidden words in texts, names and comments are harmless."""
    assert "RETURN" in check(query)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("MATCH (n) RETURN n", "MATCH (n) RETURN n LIMIT 8"),
        ("MATCH (n) RETURN n LIMIT 7", "MATCH (n) RETURN n LIMIT 7"),
        ("MATCH (n) RETURN n LIMIT 3 ;; ", "MATCH (n) RETURN n LIMIT 3"),
        ("MATCH (n) RETURN n limit 7000", "MATCH (n) RETURN n limit 8"),
        ("MATCH (n) WITH n LIMIT 3 RETURN n", "MATCH (n) WITH n LIMIT 3 RETURN n LIMIT 8"),
        ("MATCH (n) RETURN n.name AS limit", "MATCH (n) RETURN n.name AS limit LIMIT 8"),
        ("MATCH (n) RETURN n // LIMIT 3", "MATCH (n) RETURN n LIMIT 8"),
        ("MATCH (n)/*\n*/RETURN\u3000n", "MATCH (n)\nRETURN n LIMIT 8"),
        ("RETURN 'Caf\\u00e9' AS a", "RETURN 'Café' AS a LIMIT 8"),
        ("```cypher\nRETURN 1 AS a;\n```", "RETURN 1 AS a LIMIT 8"),
        ("```RETURN 1 AS a```", "RETURN 1 AS a LIMIT 8"),
    ],
)
def test_a_query_is_cut_to_the_rows_that_are_allowed(reply, expected):
    """A LIMIT is added or lowered, plus one to notice missing rows; the checked text is what is sent."""
    assert expected == check(reply, limit=7)


def test_a_query_that_never_ends_is_refused_for_its_length():
    """Before it is tokenised."""
    with pytest.raises(GuardError, match="8,000 are allowed"):
        check("RETURN " + "/*" * 5_000)


@given(st.lists(HIDDEN, min_size=1, max_size=4), GAPS)
def test_words_in_texts_names_and_comments_are_never_refused(columns, gap):
    """In any mixture."""
    query = f"MATCH (n){gap}RETURN{gap}" + " UNION MATCH (n) RETURN ".join(columns)

    assert check(query).endswith(" LIMIT 101")


@given(st.lists(HIDDEN, max_size=3), WORDS, GAPS)
def test_words_of_the_query_itself_are_always_refused(columns, word, gap):
    """In any context and any case."""
    before = "".join(f"WITH {column}\n" for column in columns)
    swapped = "".join(one.lower() if index % 2 else one for index, one in enumerate(word))
    for form in (word, swapped):
        with pytest.raises(GuardError):
            check(f"{before}MATCH (n){gap}{form.replace(' ', gap)}{gap}(n){gap}RETURN{gap}1 AS x")


@example("/*/*/*")
@given(st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=30).map("".join))
def test_what_was_taken_apart_is_the_same_when_taken_apart_again(text):
    """No comment or escape is left that another parser could read differently."""
    try:
        found = tokens(text)
    except GuardError:
        return

    assert found == tokens("".join(token.text for token in found))
    outside = [token.text for token in found if token.kind not in ("text", "quoted")]
    assert not any("\\" in part or "'" in part for part in outside)


@given(st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=30).map(lambda parts: "RETURN " + "".join(parts)))
def test_a_query_that_passed_passes_again_unchanged(text):
    """The guard is idempotent."""
    try:
        checked = check(text)
    except GuardError:
        return

    assert checked == check(checked)


@given(queries([*READING, *DOING_MORE]))
def test_a_query_with_a_clause_that_does_more_is_always_refused(query):
    """With any clauses, spaces and comments around it."""
    try:
        check(query.text)
    except GuardError:
        return

    assert not query.does_more


@given(queries([*READING, *DOING_MORE]), st.data())
def test_nothing_but_a_refusal_is_raised(query, data):
    """Even if pieces of the query are missing, doubled or replaced."""
    index = st.integers(0, len(query.text))
    first, second = data.draw(index), data.draw(index)
    broken = query.text[:first] + data.draw(st.one_of(PIECES, st.text(max_size=3))) + query.text[second:]

    with suppress(GuardError):
        assert check(broken) == check(check(broken))


def test_work_that_does_not_end_is_left_behind():
    """The caller continues; errors and results are passed through."""
    never = threading.Event()
    with pytest.raises(QueryTimeout, match=r"0\.05 s"):
        within(0.05, never.wait)
    never.set()
    with pytest.raises(ZeroDivisionError):
        within(1, lambda: 1 // 0)


def test_values_are_cut_where_they_are_long():
    """Texts, lists, vectors, maps and values that JSON lacks."""
    assert ["a", "… and 1 more"] == [plain(["a"] * 51)[0], plain(["a"] * 51)[-1]]
    assert "<17 numbers>" == plain([0.5] * 17)
    assert "nan" == plain(float("nan"))
    assert "<3 bytes>" == plain(b"abc")
    assert "<17 numbers>" == plain([1] * 16 + [0.5])
    assert "<64 numbers>" == plain(Vector([0.5] * 64, "f32"))
    assert LONGEST_VALUE + 1 == len(plain(["a" * 1_000] * 40))
    assert 50 == len(plain({str(number): number for number in range(99)}))


def test_an_embedding_is_known_by_its_name():
    """Even a short one, as a column, as a property and nested."""
    note = "<2 numbers>"
    assert note == plain([1.0, 0.0], name="embedding")
    assert note == plain([1.0, 0.0], name="p.embedding")
    assert [{"name": "Ana", "embedding": note}] == plain([{"name": "Ana", "embedding": [1.0, 0.0]}])
    assert [1.0, 0.0] == plain([1.0, 0.0], name="embedding_of_position")
    assert "a text" == plain("a text", name="embedding")


def nested(levels):
    """A list in a list, to some depth."""
    value = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("levels", [400, 100_000])
def test_a_value_that_is_deep_is_cut_at_twenty_levels(levels):
    """Before Python runs out of stack."""
    text = json.dumps(plain(nested(levels)), ensure_ascii=False)

    assert "[" * 21 + '"…"' + "]" * 21 == text


def test_a_wide_value_is_not_looked_through():
    """Fifty lists of fifty lists of fifty lists: work stops where the text would be cut."""
    looked = Counted()
    value = [looked] * 60
    for _ in range(5):
        value = [value] * 60

    plain(value)

    assert looked.times <= LONGEST_VALUE


class Counted:
    """Counts its conversions to text."""

    times = 0

    def __str__(self):
        self.times += 1
        return "x"
