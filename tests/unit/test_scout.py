"""Scout's parts: the names in a question, the rest of the question, and its numeric options."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.read.pagerank_queries import Similarities
from gear_neo4j.retrieval.names import (
    LONGEST_NAME,
    MOST_UNKNOWN,
    MOST_WORDS,
    is_slip,
    misspelt_names,
    names,
    spans,
    unknown_words,
)
from gear_neo4j.retrieval.rank.fusion import mix, ranked
from gear_neo4j.retrieval.scout import Scout, evidence_of_names, remainder_cosine


def keys(chosen):
    return list(dict.fromkeys(span.key for span in chosen))


@pytest.mark.parametrize(
    ("question", "known", "expected"),
    [
        ("Who is the author of Brand?", {"author", "brand"}, ["brand"]),
        ("Is KAGH-FM in McRae's county?", {"kagh-fm", "kagh", "fm", "mcrae", "county"}, ["kagh-fm", "mcrae"]),
        ("In 1900, what was in STRASSE?", {"1900", "strasse", "in 1900"}, ["in 1900", "strasse"]),
        ("Which Straße was it?", {"strasse"}, ["strasse"]),
        ("Paris is where? And Paris?", {"paris"}, ["paris"]),
        ("", {"brand"}, []),
    ],
)
def test_names_are_the_longest_known_runs_of_words_with_a_capital(question, known, expected):
    """The capital of the first word does not count."""
    assert expected == keys(names(spans(question), known={key: key for key in known}))


@pytest.mark.parametrize(
    ("question", "known", "expected"),
    [
        ("who is the author of brand?", {"author": "author", "brand": "Brand"}, ["brand"]),
        ("Paris is where?", {"paris": "Paris"}, ["paris"]),
        (
            "when was kagh-fm in mcrae's county",
            {"kagh-fm": "KAGH-FM", "mcrae": "McRae", "county": "county"},
            ["kagh-fm", "mcrae"],
        ),
        ("who is the who", {"who": "Who", "the who": "The Who"}, []),
        ("who sang it'll be me?", {"it'll be me": "It'll Be Me"}, ["it'll be me"]),
        ("was geschah 1900 in der hansestadt lübeck?", {"1900": "1900", "lübeck": "Lübeck"}, ["1900", "lübeck"]),
        ("鲁迅的老师是谁?", {"鲁迅": "鲁迅", "老": "老"}, ["鲁迅"]),
        ("東京タワーはどこですか", {"東京タワー": "東京タワー", "東京": "東京"}, ["東京タワー"]),
        ("서울에서 누가 태어났습니까", {"서울": "서울"}, ["서울"]),
        ("من كتب الأيام", {"الأيام": "الأيام"}, ["الأيام"]),
        ("מי כתב את תהילים", {"תהילים": "תהילים"}, ["תהילים"]),
    ],
)
def test_without_capitals_the_names_are_what_the_graph_writes_like_names(question, known, expected):
    """The graph's capitals mark names; common words and single letters of longer words are not names."""
    assert expected == keys(names(spans(question), known=known))


GRAPH = {
    key.casefold(): key for key in ("Corey Taylor", "Corey", "Taylor", "Gila monster", "World War I", "Mary", "Steam")
}
PASSAGES = {"corey", "taylor", "monster", "world", "team", "miller"}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where was Corey Tavylor born?", ["corey taylor"]),
        ("where was corey tayolr born?", ["corey taylor"]),
        ("Where was Corey-Taylor born?", ["corey taylor"]),
        ("Where do Gila monsters live?", ["gila monster"]),
        ("Who won World War II?", []),
        ("Who is Mark Millet?", []),
        ("Who is Bonetti's team?", []),
    ],
)
def test_a_name_with_a_wrong_letter_is_the_entity_that_it_means(question, expected):
    """The whole name comes before its parts; digits, short words and words of the passages are not mistakes."""
    candidates = spans(question)
    meant = misspelt_names(candidates, similar=GRAPH, words=PASSAGES)

    assert expected == [key for key in keys(names([*candidates, *meant], known=GRAPH)) if key not in PASSAGES]


def test_what_a_known_name_says_is_not_looked_up_again():
    """This saves a round trip."""
    candidates = spans("Where was Corey Taylor born?")

    assert [] == unknown_words(candidates, named=names(candidates, known=GRAPH))
    assert ["corey", "taylor"] == unknown_words(candidates, named=[])


@given(st.text(max_size=300))
def test_what_is_looked_up_is_letters_and_digits(text):
    """Even after folding, no word is a Lucene operator, and there are not many words."""
    words = unknown_words(spans(text), named=[])

    assert all(word.isalnum() and word == word.casefold() for word in words)
    assert len(words) <= MOST_UNKNOWN


LETTERS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=6, max_size=12)


@given(LETTERS, st.data())
def test_one_letter_is_a_slip_and_two_are_not(word, data):
    """Left out, added, changed or swapped; a second one elsewhere is too much."""
    index = data.draw(st.integers(0, len(word) - 2))
    letter = data.draw(st.sampled_from("éø"))
    wrong = [
        word[:index] + word[index + 1 :],
        word[:index] + letter + word[index:],
        word[:index] + letter + word[index + 1 :],
    ]

    assert all(is_slip(one, of=word) for one in wrong)
    assert (word[index] != word[index + 1]) == is_slip(
        word[:index] + word[index + 1] + word[index] + word[index + 2 :], of=word
    )
    assert not any(is_slip(f"ø{one}ø", of=word) for one in wrong)
    assert not any(is_slip(one, of=word, words={one}) for one in wrong)


@given(st.text(max_size=200))
def test_any_text_has_few_spans(text):
    """At most eight per word, each within the text."""
    found = spans(text)

    assert len(found) <= LONGEST_NAME * MOST_WORDS
    assert all(0 <= span.start < span.end <= span.start + LONGEST_NAME for span in found)


def test_a_page_for_a_question_is_looked_at_in_part():
    """Each span is a look-up."""
    assert LONGEST_NAME * MOST_WORDS >= len(spans("Name " * 10_000))


def unit(*shape, seed=7):
    rows = np.random.default_rng(seed).standard_normal(shape)
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_what_is_left_of_a_question_is_worked_out_from_cosines(count):
    """The same as from the vectors: the question minus its projection onto the names, compared with each passage."""
    query, *passages = unit(6, 20)
    entities = unit(count, 20, seed=8) + 0.4 * query
    entities = entities / np.linalg.norm(entities, axis=1, keepdims=True)
    shares = np.linalg.pinv(entities.T) @ query
    left = query - entities.T @ shares

    found = remainder_cosine(compared(query, entities, passages))

    expected = {str(i): float(passage @ left / np.linalg.norm(left)) for i, passage in enumerate(passages)}
    assert expected == pytest.approx(found, abs=1e-6)


def compared(query, entities, passages):
    return Similarities(
        (entities @ query).tolist(),
        (entities @ entities.T).tolist(),
        {str(i): (float(one @ query), (entities @ one).tolist()) for i, one in enumerate(passages)},
    )


def test_two_names_of_one_thing_are_taken_out_once():
    """The matrix of their cosines is singular."""
    query, name, passage = unit(3, 20)
    once = remainder_cosine(compared(query, np.array([name]), [passage]))

    assert once == pytest.approx(remainder_cosine(compared(query, np.array([name, name]), [passage])), abs=1e-6)


def test_of_a_question_that_is_a_name_the_whole_counts():
    """The rest would be noise."""
    query, passage = unit(2, 20)

    expected = {"0": pytest.approx(float(passage @ query))}
    assert expected == remainder_cosine(compared(query, np.array([query]), [passage]))


@pytest.mark.parametrize(
    ("given", "said"),
    [({"passages": 0}, "passages is 0"), ({"name_weight": -1}, "name_weight is -1"), ({"damping": 1.0}, "below 1")],
)
def test_numbers_that_make_no_walk_are_refused(given, said):
    """One line that names the option."""
    with pytest.raises(SettingsError, match=said):
        Scout(**given)


def ranking(least):
    pairs = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.floats(least, 1)), unique_by=lambda pair: pair[0])
    return pairs.map(lambda some: ranked("list", sorted(some, key=lambda pair: -pair[1])))


LIST, SIGNED = ranking(0), ranking(-1)


@given(first=LIST, second=SIGNED, share=st.floats(0, 1), sharpness=st.floats(0, 50))
def test_a_mixture_holds_each_passage_once_with_scores_that_sum_to_one(first, second, share, sharpness):
    """Whatever the lists are; without one of them, the other one's order stays."""
    mixed = mix(first, second, share=share, sharpness=sharpness)
    scores = [item.score for item in mixed]

    assert {item.id for item in mixed} == {item.id for item in (*first, *second)}
    assert len(mixed) == len({item.id for item in mixed})
    assert scores == sorted(scores, reverse=True)
    assert not second or sum(scores) == pytest.approx(1)
    before = {item.id: item.score for item in second}
    alone = [before[item.id] for item in mix([], second, share=share, sharpness=sharpness + 1)]
    assert alone == pytest.approx(sorted(before.values(), reverse=True), abs=0.1)


@given(rarest=st.one_of(st.integers(1, 10_000), st.just(float("inf"))), walked=LIST, similar=SIGNED)
def test_the_evidence_of_names_lies_between_none_and_all(rarest, walked, similar):
    """Without a name there is none; the more passages mention it, the less there is."""
    evidence = evidence_of_names(rarest, walked, similar)

    assert 0 <= evidence <= 1
    assert evidence == 0 or rarest < float("inf")
    assert evidence_of_names(rarest + 1, walked, similar) <= evidence
