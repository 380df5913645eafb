"""The pattern agent on a real database: certain patterns cost no call, a scripted model chooses among the others."""

import re

import pytest

from gear_neo4j import PatternAgent
from gear_neo4j.errors import InputError
from tests.graphs import opened
from tests.integration.test_patterns import PROFILE, SHOP
from tests.scripted_model import opened_with_model

pytestmark = pytest.mark.one_server_line

SUPPLIED = "Which products are supplied by Tokyo Traders?"
NEVER = PatternAgent(sure=1.0)
ONE = PatternAgent(sure=1.0, listed=1)


@pytest.fixture
def shop(shared, embedder):
    """An adopted graph of products."""
    return shared.adopted(SHOP, PROFILE, embedder)


def chooses(words):
    """A model that chooses the query whose text contains certain words, or none."""

    def reply(messages):
        queries = re.split(r"^\[(\d+)\]$", messages[1]["content"], flags=re.MULTILINE)
        pairs = zip(queries[1::2], queries[2::2], strict=True)
        return next((f"[{number}]" for number, query in pairs if words in query.split("Question:")[0]), "[]")

    return reply


@pytest.fixture
def asking(shop, server, embedder):
    """Ask the agent a question with a scripted model; returns the answer and the number of calls."""

    def ask(question, *, reply, recipe=NEVER):
        with opened_with_model(server, embedder, reply) as (gear, model):
            answer = gear.agent(recipe).ask(question)
        return answer, len(model.requests)

    return ask


def test_a_sure_pattern_is_answered_without_a_call(asking):
    """The nodes are the answer, each cited as a fact; the query is in the trace."""
    answer, calls = asking(SUPPLIED, reply=chooses("never"), recipe=PatternAgent(sure=0.0))

    assert 0 == calls
    assert answer.text in ("Ikura [F1], Tofu [F2]", "Tofu [F1], Ikura [F2]")
    assert ["F1", "F2"] == [citation.marker for citation in answer.citations]
    assert "SUPPLIES" in answer.trace.steps[0].queries[0].text
    assert {"Ikura", "Tofu"} == {entity.name for entity in answer.hits.entities}


def test_a_list_that_is_cut_says_so(asking):
    """In the answer, and to the model that chooses."""
    shown = []
    one, _ = asking(SUPPLIED, reply=chooses("never"), recipe=PatternAgent(sure=0.0, listed=1))
    asking(SUPPLIED, reply=lambda messages: shown.append(messages[1]["content"]) or "[1]", recipe=ONE)

    assert re.fullmatch(r"(Ikura|Tofu) \[F1\] \(there are more\)", one.text)
    assert re.search(r"^Results: (Ikura|Tofu), and more$", shown[0], re.MULTILINE)


def test_a_model_chooses_where_none_is_sure_enough(asking):
    """In one call with the queries and their first results; its choice is the answer."""
    answer, calls = asking(SUPPLIED, reply=chooses("Results: Ikura, Tofu"))
    other, _ = asking(SUPPLIED, reply=lambda _: "[2]")

    assert 1 == calls
    assert {"Ikura", "Tofu"} == {entity.name for entity in answer.hits.entities}
    assert other.trace.steps[0].queries[0].text != answer.trace.steps[0].queries[0].text


def test_a_model_may_find_no_pattern_right(asking):
    """Then there is no answer."""
    answer, _ = asking(SUPPLIED, reply=lambda _: "[]")

    assert ("", "abstained") == (answer.text, answer.stop_reason)


def test_a_figure_is_an_answer(asking):
    """The number, and what it counts."""
    answer, _ = asking("How many products does Tokyo Traders supply?", reply=chooses("count"))

    assert "2 [F1]" == answer.text
    assert 2 == answer.hits.figure.value


def test_without_a_model_what_is_not_sure_is_not_answered(shop, server, embedder):
    """Certain patterns still are."""
    with opened(server, embedder) as gear:
        unsure = gear.agent(NEVER).ask(SUPPLIED)
        sure = gear.agent(PatternAgent(sure=0.0)).ask(SUPPLIED)

    assert ("", "abstained") == (unsure.text, unsure.stop_reason)
    assert sure.text


def test_a_word_that_no_pattern_accounts_for_is_never_sure(shop, server, embedder):
    """Not all suppliers like jazz."""
    with opened(server, embedder) as gear:
        answer = gear.agent(PatternAgent()).ask("Which suppliers like jazz?")

    assert ("", "abstained") == (answer.text, answer.stop_reason)


def test_a_reply_that_is_no_choice_leaves_the_question_open(asking):
    """After one repair, the run ends without an answer, and says why."""
    answer, calls = asking(SUPPLIED, reply=lambda _: "I would say the first.")

    assert 2 == calls
    assert "" == answer.text
    assert any("choose" in failure for failure in answer.trace.steps[0].failures)


def test_a_graph_that_was_not_adopted_is_refused(server, embedder, empty):
    """The message says what to do."""
    with opened(server, embedder) as gear, pytest.raises(InputError, match="gear adopt"):
        gear.agent(PatternAgent())
