"""The keys by which the names in a text are looked up: all that a dictionary of all names would find."""

from hypothesis import example, given
from hypothesis import strategies as st

from gear_neo4j.graph.read.lexicon import NamedNode
from gear_neo4j.retrieval.dictionary import Dictionary
from gear_neo4j.text.name_keys import LONGEST_NAME, LONGEST_TEXT, MOST_KEYS, keys_in, keys_of, plain_key

LETTERS = st.sampled_from("abAB é_-'. \u0301ß鲁迅サイİ1\u00ad")
NAMES = st.text(LETTERS, min_size=1, max_size=8)


@given(st.lists(NAMES, max_size=6), st.lists(NAMES | st.sampled_from([" ", ", "]), max_size=8))
@example(["São Tomé"], ["in ", "sao tome", "?"])
@example(["sao tome", "São Tomé"], ["SÃO_TOMÉ"])
@example(["鲁迅"], ["谁是鲁迅的老师"])
def test_the_nodes_with_a_key_of_a_text_are_all_that_the_text_names(names, parts):
    """The dictionary of these nodes finds what the dictionary of all nodes does."""
    text = "".join([*parts, *names])
    nodes = [NamedNode(str(number), (name,), number) for number, name in enumerate(names)]
    keys = set(keys_in(text))

    looked_up = [node for node in nodes if not keys.isdisjoint(keys_of(node.names[0]))]

    assert Dictionary(nodes).find(text) == Dictionary(looked_up).find(text)


def test_a_question_has_few_keys_and_a_pasted_book_not_too_many():
    """Of a long text in a script without spaces, the names that are looked up are shorter."""
    question = "Which of the films that Lana Wachowski directed after 1999 has the most actors?"
    book, scroll = "the long way home " * 10_000, "谁是鲁迅的老师" * 10_000

    assert 120 > len(list(keys_in(question)))
    assert MOST_KEYS >= len(list(keys_in(book)))
    assert 8 * LONGEST_TEXT >= len(list(keys_in(scroll)))
    assert LONGEST_NAME >= max(map(len, keys_in("x" * LONGEST_NAME + " " + "y" * LONGEST_NAME)))


def test_a_name_that_is_longer_than_any_that_is_looked_up_has_no_key():
    """However long it becomes by folding: one sign of these stands for eighteen letters."""
    assert () == keys_of("x" * (LONGEST_NAME + 1)) == keys_of("\ufdfa" * 100) == keys_of(" _ ")
    assert ("x" * LONGEST_NAME,) == keys_of("X" * LONGEST_NAME)


def test_an_entity_has_a_second_key_only_if_it_has_accents_or_underscores():
    """Most entities have one key, which costs no space in the second index."""
    assert [None, None, "sao tome", "alice smith", "c++", None] == [
        plain_key(key) for key in ("ada lovelace", "鲁迅", "são tomé", "alice_smith", "c++ ", "")
    ]
