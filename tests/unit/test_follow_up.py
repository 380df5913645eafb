"""Follow-up questions: which refer to a conversation, and which rewritten questions are trusted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.agents.conversation import refers_back, with_names
from gear_neo4j.roles.follow_up import Turn, parse_follow_up

TURNS = [Turn("Who built the Orley Bridge?", "Ines Falk built it in 1921 [1].")]
QUESTION = "And in which year did she do that?"


@pytest.mark.parametrize(
    "question",
    [
        QUESTION,
        "And where?",
        "What about the Orley Mill?",
        "Did Otto Brandt work there, too?",
        "Who lived in Bonn in that year?",
        "Why was its owner sued?",
        "who sold the mill?",
        "Und in welchem Jahr hat sie das getan?",
        "她在哪一年做的？",
    ],
)
def test_a_question_may_refer_back(question):
    """By a word, by lacking a name, or in another language, of which no words are known."""
    assert refers_back(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who sold the Orley Mill?",
        "Where was Ines Falk born?",
        "What is the height of Mount Fuji?",
        "Is there a mill in Orley?",
        "How many mills were there in Orley?",
        "Why was Ines Falk too old for school?",
    ],
)
def test_a_question_with_names_stands_alone(question):
    """It costs no further call."""
    assert not refers_back(question)


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("Question: In which year did Ines Falk build the Orley Bridge?", None),
        ("**Question:** In which year did Ines Falk build it?", "In which year did Ines Falk build it?"),
        ("Sure! Here it is.\nQuestion: “In which year did Ines Falk do that?”", "In which year did Ines Falk do that?"),
        ("In which year did Ines Falk do that?", "In which year did Ines Falk do that?"),
        (f"Question: {QUESTION}", QUESTION),
        ("She did that in 1921.", ""),
        ("Question: Who built the Orley Bridge?", ""),
        ("Question: In which year did Otto Brandt do that?", ""),
        ("Question: In which year did she do that, 1935?", ""),
        ("Question: Quelle hauteur?", ""),
        ("Question: In which year did she do that? " + "Because it matters. " * 40, ""),
        ("", ""),
    ],
)
def test_only_the_same_question_with_names_of_the_conversation_is_trusted(reply, question):
    """An answer, an earlier question, an invented name and an explanation are not."""
    expected = reply.removeprefix("Question: ") if question is None else question

    assert expected == parse_follow_up(reply, question=QUESTION, turns=TURNS).strip("“”")


@given(st.text(), st.text(min_size=1), st.lists(st.builds(Turn, st.text(), st.text()), max_size=3))
def test_any_reply_and_conversation_can_be_read(reply, question, turns):
    """Without an error, and without names that nobody mentioned."""
    parse_follow_up(reply, question=question, turns=turns)
    assert with_names(question, turns).startswith(question)


def test_names_are_those_of_the_last_turn_that_has_any():
    """A date names nobody. Names in the question are not repeated; a conversation without names is quoted."""
    turns = [Turn("Who built the Orley Bridge?", "Ines Falk."), Turn("And in which year?", "in 1921")]

    assert "And her son? (Orley Bridge, Ines Falk, 1921)" == with_names("And her son?", turns)
    assert "And his? (Otto Brandt)" == with_names("And his?", [*TURNS, Turn("Who was Otto Brandt?")])
    assert "Was Ines Falk rich? (Orley Bridge, 1921)" == with_names("Was Ines Falk rich?", TURNS)
    assert "why? (who sold the mill?)" == with_names("why?", [Turn("who sold the mill?", "someone else")])
    assert "why?" == with_names("why?", [])
