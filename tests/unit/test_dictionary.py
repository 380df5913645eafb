"""Names in a text, found with a dictionary of all names of the graph."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gear_neo4j.graph.read.lexicon import NamedNode
from gear_neo4j.retrieval.dictionary import Dictionary


def found(names, text):
    nodes = [
        NamedNode(str(index), (name,) if isinstance(name, str) else tuple(name), 1) for index, name in enumerate(names)
    ]
    return [match.text for match in Dictionary(nodes).find(text)]


@pytest.mark.parametrize(
    ("names", "text", "expected"),
    [
        (
            ["her2", "breast cancer", "breast cancer type 2"],
            "HER2 in Breast Cancer Type 2",
            ["HER2", "Breast Cancer Type 2"],
        ),
        (["her2", "her"], "there, hero and her", ["her"]),
        (["New York", "York Minster"], "New York Minster", ["York Minster"]),
        (["alpha"], "alpha", ["alpha"]),
        (["Alpha  Beta"], "of alpha\n beta?", ["alpha\n beta"]),
        (["Zoë"], "ZOE\u0308 spoke", ["ZOE\u0308"]),
        (["Straße"], "die STRASSE", ["STRASSE"]),
        (["Sean O'Brien"], "Sean O\u2019Brien here", ["Sean O\u2019Brien"]),
        (["Jean\u2011Luc"], "by Jean-Luc.", ["Jean-Luc"]),
        (["Zürich"], "in Zü\u00adrich", ["Zü\u00adrich"]),
        (["São Paulo"], "in Sao Paulo", ["Sao Paulo"]),
        (["Sao Paulo"], "in São Paulo", ["São Paulo"]),
        (["alice_smith"], "did Alice Smith", ["Alice Smith"]),
        (["Alice Smith"], "did alice_smith", ["alice_smith"]),
        (["ab"], "ab", []),
        (["AR"], "is AR a gene", ["AR"]),
        (["AR"], "is ar a gene", []),
        (["WAS"], "What was WAS?", ["WAS"]),
        (["WAS"], "what does was do", ["was", "was"][:1]),
        (["肺癌"], "如何治疗肺癌患者", ["肺癌"]),
        (["鲁迅"], "鲁迅是谁", ["鲁迅"]),
        (["мария"], "Где Мария?", ["Мария"]),
        (["PIK3CA", "PIK3CA-p.H1047R"], "driven by PIK3CA-p.H1047R?", ["PIK3CA-p.H1047R"]),
        ([], "nothing", []),
        (["x", "  "], "x", []),
    ],
)
def test_names_are_found_whole_and_the_longest_wins(names, text, expected):
    """In any spelling and script, but not inside other words."""
    assert expected == found(names, text)


def test_one_name_of_several_nodes_gives_those_with_the_most_triples():
    """At most three of them."""
    nodes = [NamedNode(str(number), ("Springfield",), number) for number in range(6)]

    assert [("5", "4", "3")] == [match.nodes for match in Dictionary(nodes).find("In Springfield")]


def test_a_node_is_found_by_each_of_its_names():
    """Including aliases."""
    nodes = [NamedNode("1", ("alectinib", "阿来替尼", "Alecensa"), 1)]

    assert [("1",), ("1",)] == [match.nodes for match in Dictionary(nodes).find("Is Alecensa the same as 阿来替尼?")]


WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "M", "P", "S", "Zs")), min_size=3, max_size=30)


@given(name=WORDS, before=WORDS, after=WORDS)
def test_a_name_is_found_between_any_words(name, before, after):
    """If it is a separate word, the match has its letters, or is a longer name that contains it."""
    assume(len(" ".join(unicodedata.normalize("NFKC", name).casefold().split())) >= 3)
    assume(not unicodedata.combining(name.strip()[0]) and not name.isupper())
    text = f"{before} | {name.strip()} | {after}"

    assert any(
        name.strip() in match.text or match.text in name.strip()
        for match in Dictionary([NamedNode("1", (name,), 1)]).find(text)
    )


@given(names=st.lists(st.text(max_size=8), max_size=8), text=st.text(max_size=60))
def test_matches_never_overlap_and_stand_where_they_say(names, text):
    """For any names and text."""
    matches = Dictionary([NamedNode(str(index), (name,), index) for index, name in enumerate(names)]).find(text)

    assert all(text[match.start : match.end] == match.text and match.text for match in matches)
    assert all(one.end <= other.start for one, other in pairwise(matches))
