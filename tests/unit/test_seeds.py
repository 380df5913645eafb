"""HippoRAG's two prompts for a language model: their content, and the use of the replies."""

import pytest
from langchain_core.language_models import FakeListChatModel

from gear_neo4j.domain import make_triple
from gear_neo4j.errors import ReplyError
from gear_neo4j.models.chat import Chat
from gear_neo4j.roles.lists import parse_indexes, parse_names
from gear_neo4j.roles.prompts import fill
from gear_neo4j.roles.seeds import PromptedSeeder

TRIPLES = [make_triple("p", "Curie", "born in", "Warsaw"), make_triple("p", "Curie", "won", "a prize")]


def seeder(*replies):
    return PromptedSeeder(Chat(FakeListChatModel(responses=list(replies))))


@pytest.mark.parametrize(
    ("reply", "expected"),
    [("[2, 1]", (1, 0)), ("[]", ()), ("<think>[1]</think> [2]", (1,)), ("None helps: [ ]", ()), ("[2, 2, 9]", (1,))],
)
def test_the_filter_keeps_what_the_model_names(reply, expected):
    """Indexes start at 0; an empty list is an answer; other numbers are ignored."""
    assert expected == seeder(reply).keep("Where was Curie born?", TRIPLES).value


def test_the_filter_may_try_again_once():
    """The second reply counts; after that the filter is skipped."""
    assert (0,) == seeder("the first one", "[1]").keep("Where?", TRIPLES).value
    with pytest.raises(ReplyError):
        seeder("the first one", "[7]").keep("Where?", TRIPLES)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"entities": ["Marie Curie", "Warsaw"]}', ("Marie Curie", "Warsaw")),
        ('["1903", 1911]', ("1903", "1911")),
        ('{"entities": []}', ()),
    ],
)
def test_names_are_read_from_a_reply(reply, expected):
    """A year may be a number."""
    assert expected == seeder(reply).names("Where was Curie born?").value


@pytest.mark.parametrize("reply", ["no names", '{"entities": [{"name": "x"}]}', "[null, [1]]"])
def test_a_reply_without_names_is_of_no_use(reply):
    """Lists and objects are not names."""
    with pytest.raises(ValueError, match="entities"):
        parse_names(reply)


def test_only_indexes_from_the_list_are_read():
    """Numbers in prose are ignored."""
    with pytest.raises(ValueError, match="1 to 3"):
        parse_indexes("fact 2", most=3)


def test_the_prompts_show_question_and_facts():
    """Each fact with its number."""
    shown = fill("filter", question="Where?", facts="[1] Curie —born in→ Warsaw")

    assert "Question: Where?\nFacts:\n[1] Curie —born in→ Warsaw\nReply:" == shown.user
    assert fill("entities", question="Where?").user.startswith("Question: Where?")
