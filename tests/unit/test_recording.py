"""Recorded replies, a chat that replays them, and a flag that ends runs."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import fields

import pytest
from langchain_core.language_models import FakeListChatModel

from gear_neo4j.agents.answer import Step, StepFields
from gear_neo4j.cancellation import cancellable, cancelled, current_flag
from gear_neo4j.domain import digest
from gear_neo4j.errors import InputError, ReplyError
from gear_neo4j.models.chat import Chat, ChatModel, Prompt
from gear_neo4j.models.recording import RecordedReply, recording
from gear_neo4j.models.replay import ReplayChat

COUNT = Prompt("Count.", "Days of a week?")


def number(text):
    return int(text)


def recorded(*rows):
    """Replies to (system, user, text)."""
    return [RecordedReply(digest(system), digest(user), text) for system, user, text in rows]


def test_what_a_model_replies_is_on_record_by_what_it_was_asked():
    """A repaired reply with its last text, an unusable one with its error, and nothing from outside the block."""
    chat = Chat(FakeListChatModel(responses=["seven", "7", "8", "x", "y", "9"]))
    with recording() as replies:
        chat.ask(COUNT, parse=number)
        chat.ask(Prompt("Count.", "Days of two?"), parse=str)
        with pytest.raises(ReplyError, match="twice") as caught:
            chat.ask(COUNT, parse=number)
    chat.ask(COUNT, parse=number)

    days, two = digest("Days of a week?"), digest("Days of two?")
    assert [(days, "7", ""), (two, "8", ""), (days, "", str(caught.value))] == [
        (reply.case, reply.text, reply.failure) for reply in replies
    ]
    assert {digest("Count.")} == {reply.task for reply in replies}


def test_blocks_and_threads_record_what_they_are_asked():
    """An inner block also records into the outer one; a thread belongs to the block if it has a copy of the context."""
    chat = Chat(FakeListChatModel(responses=["7"]))

    def ask():
        chat.ask(COUNT, parse=number)

    with recording() as outer:
        ask()
        with recording() as inner, ThreadPoolExecutor(2) as pool:
            pool.submit(copy_context().run, ask).result()
            pool.submit(copy_context().run, ask).result()
            pool.submit(ask).result()

    assert (3, 2) == (len(outer), len(inner))


def test_half_of_a_surrogate_pair_can_be_kept_in_a_file():
    """Models write them as escapes."""
    with recording() as replies:
        Chat(FakeListChatModel(responses=["a\ud800b"])).ask(COUNT, parse=str)

    assert "a?b" == replies[0].text


def test_a_replay_gives_each_prompt_its_own_reply():
    """In any order; a repeated prompt gets its replies in turn, then the last one."""
    chat = ReplayChat(recorded(("t", "one", "1"), ("t", "two", "2"), ("t", "one", "3")), name="old")

    texts = [chat.ask(Prompt("t", user), parse=str).text for user in ("two", "one", "one", "one")]

    assert (["2", "1", "3", "3"], "old", 0) == (texts, chat.name, chat.ask(Prompt("t", "two"), parse=str).usage.calls)
    assert isinstance(chat, ChatModel)


def test_a_prompt_that_has_changed_gets_the_next_reply_to_its_task():
    """The graph may have grown; a task that the run lacks is refused."""
    chat = ReplayChat(recorded(("t", "one", "1"), ("u", "one", "0"), ("t", "two", "2")))

    assert ["1", "2"] == [chat.ask(Prompt("t", user), parse=str).text for user in ("new", "newer")]
    for prompt in (Prompt("t", "newest"), Prompt("v", "one")):
        with pytest.raises(InputError, match="use the question and options of its run"):
            chat.ask(prompt, parse=str)


def test_a_recorded_failure_fails_again_and_a_reply_that_no_longer_parses_too():
    """Both with ReplyError, after which every agent continues."""
    failed = RecordedReply(digest("t"), digest("one"), "", "it replied twice with nothing")
    chat = ReplayChat([failed, *recorded(("t", "two", "two"))])

    with pytest.raises(ReplyError, match="replied twice"):
        chat.ask(Prompt("t", "one"), parse=str)
    with pytest.raises(ReplyError, match="cannot be used"):
        chat.ask(Prompt("t", "two"), parse=number)


def test_a_replay_is_handed_on_in_one_piece_and_is_on_record_itself():
    """Without thoughts and label."""
    pieces = []
    with recording() as replies:
        ReplayChat(recorded(("t", "one", "<think>x</think>Answer: 1"))).ask(
            Prompt("t", "one"), parse=str, on_token=pieces.append
        )

    assert (["1"], 1) == (pieces, len(replies))


def test_the_innermost_flag_counts_and_goes_with_its_block():
    """A copy of the context includes it."""
    with cancellable() as outer:
        outer.set()
        with cancellable() as inner:
            assert (inner, False) == (current_flag(), cancelled())
        assert copy_context().run(cancelled)

    assert (None, False) == (current_flag(), cancelled())


def test_a_run_can_note_every_field_of_a_step():
    """Except for its number and question, which are set at its start."""
    assert {field.name for field in fields(Step)} - {"number", "question"} == set(StepFields.__annotations__)
