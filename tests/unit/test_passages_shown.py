"""Passages as gear search prints them: whole words, within the width, with their location and score."""

import io

import pytest

from gear_neo4j.cli.passages import print_hits, warning_of
from gear_neo4j.cli.screen import Screen
from gear_neo4j.domain import EntityHit, FoundBy, Hit, Hits, Passage
from gear_neo4j.models.embeddings import DEFAULT_MODEL
from tests.unit.test_printable import hits as answered

WORDS = " ".join(f"word{number}" for number in range(100))


def shown(passage, *, width=80, score=0.5, sources=()):
    """The lines of a search with one hit, without a terminal."""
    file = io.StringIO()
    print_hits(Screen(file=file, width=width), Hits("q", "scout", (Hit(passage, score, 1, sources),)))
    return file.getvalue().splitlines()


@pytest.mark.parametrize("width", [80, 120])
def test_a_hit_has_its_title_score_location_and_three_lines_of_text(width):
    """The text ends after a word; how it was found is said in words."""
    passage = Passage("p1", "Plan > Costs", f"## Costs\n\n{WORDS}", "docs/plan.md", "line 12")

    title, place, *text = shown(passage, width=width, sources=(FoundBy("pagerank", 2), FoundBy("sbert", 13)))

    assert ["1", "Plan", ">", "Costs", "0.50"] == title.split()
    assert (width, "     docs/plan.md, line 12 · 2nd by the graph, 13th by vector search") == (len(title), place)
    assert 3 == len(text)
    assert all(len(line) <= width for line in text)
    *words, cut = " ".join(text).split()
    assert ("…", WORDS.split()[: len(words)]) == (cut, words)


def test_a_text_without_spaces_is_cut_within_the_width():
    """Its letters may take two columns each."""
    lines = shown(Passage("p1", "鲁迅", "鲁迅" * 300))

    assert [75, 75, 75] >= [2 * len(line.strip(" …")) for line in lines[-3:]]
    assert lines[-1].endswith(" …")


@pytest.mark.parametrize(
    ("score", "told"), [(0.0328, "0.033"), (0.2, "0.20"), (1.676, "1.68"), (12.3, "12.30"), (0, ""), (-0.1, "")]
)
def test_a_score_has_two_digits(score, told):
    """A retriever that gives none has none to show."""
    (title,) = shown(Passage("p1", "Plan", ""), score=score)

    assert f"1  Plan  {told}".split() == title.split()


def test_a_long_title_is_wrapped_beside_the_score():
    """It may be a sentence."""
    first, *rest = shown(Passage("p1", WORDS[:199], ""))

    assert first.endswith(" 0.50")
    assert WORDS[:199] == " ".join([first.removesuffix(" 0.50").strip(" 1"), *(line.strip() for line in rest)])


def test_only_a_very_low_similarity_is_remarked():
    """Of the model that it was measured for, and unless nodes answer."""
    assert "similarity of 0.12" in warning_of(Hits("q", "scout", (), similarity=0.12), model=DEFAULT_MODEL)
    for similarity, model in ((0.2, DEFAULT_MODEL), (None, DEFAULT_MODEL), (0.12, "another")):
        assert "" == warning_of(Hits("q", "scout", (), similarity=similarity), model=model)
    entities = answered("Ada").entities
    assert isinstance(entities[0], EntityHit)
    assert "" == warning_of(Hits("q", "paths", (), entities=entities, similarity=0.12), model=DEFAULT_MODEL)
