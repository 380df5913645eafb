"""A reply while it is written: which part is shown, and what happens if the stream fails."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from gear_neo4j.errors import ModelError, ReplyError
from gear_neo4j.models.chat import Chat, ChatModel, Prompt
from gear_neo4j.models.openai import chat_model
from gear_neo4j.models.recording import recording
from gear_neo4j.models.replay import ReplayChat
from gear_neo4j.models.streaming import VisibleText, shown, without_thoughts
from gear_neo4j.roles.parsers import parse_answer
from gear_neo4j.settings import Settings
from tests.scripted_server import Fault, ScriptedServer

WHERE = Prompt("Answer.", "Where did Hinton study?")
REPLY = "<think>Cambridge? No.</think>Answer: He studied at Edinburgh [1]."
SEEN = "He studied at Edinburgh [1]."
PARTS = [
    "<think>",
    "</think>",
    "[THINK]",
    "[/THINK]",
    "<thought>",
    "[",
    "final ",
    "fin",
    "<thinking>",
    "</Thinking>",
    "<THINK>",
    "<",
    "thi",
    ">",
    "Answer",
    "answer",
    ":",
    "：",
]
TEXTS = st.lists(st.sampled_from([*PARTS, "*", " ", "\n", "a", "ans", "Ana", ".", "K", "İ"]), max_size=14).map("".join)


def streamed(pieces):
    """Everything that is shown of a text in pieces."""
    visible = VisibleText()
    return "".join([*map(visible.feed, pieces), visible.end()])


def pieces_of(text, cuts):
    """A text cut at some offsets."""
    offsets = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    return [text[start:end] for start, end in pairwise(offsets)]


@given(TEXTS | st.text(), st.lists(st.integers(0, 200), max_size=30))
def test_what_is_shown_does_not_depend_on_the_pieces(text, cuts):
    """Tags and labels may be cut anywhere; only thoughts without a start tag appear before the rest."""
    seen = streamed(pieces_of(text, cuts))

    assert streamed([text]) == seen
    assert seen.endswith(shown(text))
    assert shown(text) == seen or shown(text) == "" or seen.endswith(f"\n\n{shown(text)}")


@given(TEXTS)
def test_what_is_shown_is_what_the_parser_reads(text):
    """Without citations, the draft is the same text."""
    if shown(text):
        assert shown(text) == parse_answer(without_thoughts(text), passages=0, facts=0).text


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("<think>Cambridge?</think>Edinburgh.", "Edinburgh."),
        ("<THINKING>Cambridge?\n</Thinking>Edinburgh.", "Edinburgh."),
        ("Cambridge?</think>Edinburgh.", "Edinburgh."),
        ("<think>a<think>b</think>c</think>Edinburgh.", "Edinburgh."),
        ("Edinburgh <think>or not?</think>it is.", "Edinburgh it is."),
        ("Edinburgh.<think>Or", "Edinburgh."),
        ("<think>It may be", ""),
        ("[THINK]Cambridge?[/THINK]Edinburgh.", "Edinburgh."),
        ("◁think▷Cambridge?◁/think▷Edinburgh.", "Edinburgh."),
        ("<thought>Cambridge?</thought><reasoning>No.</reasoning>Edinburgh.", "Edinburgh."),
        ("A <thoughtful> reply [thin].", "A <thoughtful> reply [thin]."),
        ("a < b </thin", "a < b </thin"),
    ],
)
def test_thoughts_are_no_part_of_a_reply(text, rest):
    """Complete, begun by the prompt, nested, in the middle, truncated; in the tags of several models."""
    assert rest == without_thoughts(text)


@pytest.mark.parametrize("label", ["Answer:", "**Answer:**", "Final answer:", "**Final Answer**:", "FINAL  ANSWER："])
def test_the_label_of_an_answer_is_no_part_of_it(label):
    """However it is written and cut."""
    assert "Edinburgh." == shown(f"{label} Edinburgh.") == streamed(list(f"{label} Edinburgh."))


def test_thoughts_that_the_prompt_began_are_a_paragraph_of_their_own():
    """They were shown before their end tag arrived; the answer's label is still left out."""
    assert "Cambridge? No.\n\nEdinburgh." == streamed(["Cambridge? ", "No.</thi", "nk>\nAns", "wer: Edinburgh."])


@pytest.mark.parametrize("thoughts", ["<think>Cambridge.</think>", "Cambridge.</think>"])
@pytest.mark.parametrize("on_token", [None, list[str]().append], ids=["whole", "streamed"])
def test_no_parser_sees_thoughts(tmp_path, thoughts, on_token):
    """Not of a complete or streamed reply, from the cache or a trace; nor does the model in a repair."""
    reply = f"{thoughts}Edinburgh."
    with ScriptedServer(lambda _messages: reply) as server, recording() as replies:
        chat = chat_of(server, cache=tmp_path / "replies.db")
        fresh = chat.ask(WHERE, parse=str, on_token=on_token)
        kept = chat.ask(WHERE, parse=str, on_token=on_token)
        with pytest.raises(ReplyError):
            chat.ask(Prompt("", "What?"), parse=int)

    assert [("Edinburgh.", reply, 0), ("Edinburgh.", reply, 1)] == [
        (one.value, one.text, one.usage.cached) for one in (fresh, kept)
    ]
    assert "Edinburgh." == server.requests[-1]["messages"][-2]["content"]
    assert "Edinburgh." == ReplayChat(replies).ask(WHERE, parse=str).value


def test_a_word_is_shown_as_soon_as_it_can_be_no_label():
    """Only text that could become a tag or a label is held back."""
    visible = VisibleText()

    assert ["", "Ana", " drew it."] == [visible.feed(piece) for piece in ("An", "a", " drew it. <thi")]
    assert " <thi" == visible.end()


def chat_of(server, *, logprobs=0, cache=None):
    settings = Settings(chat_model="scripted", openai_base_url=server.url, chat_timeout=5.0)
    return Chat(chat_model(settings), sleep=lambda _seconds: None, concurrency=1, logprobs=logprobs, cache=cache)


def fail_first(fault):
    return lambda number, _messages: fault if number == 1 else None


def read(text):
    return parse_answer(text, passages=1, facts=0).text


def test_a_reply_is_handed_on_while_it_is_written_and_costs_what_the_server_says():
    """Here by words; thoughts and label are left out, and the last chunk has the tokens."""
    pieces = []
    with ScriptedServer(lambda _messages: REPLY) as server:
        streamed = chat_of(server).ask(WHERE, parse=read, on_token=pieces.append)
        whole = chat_of(server).ask(WHERE, parse=read)

    assert ["He", " studied", " at", " Edinburgh", " [1]."] == pieces
    assert (SEEN, REPLY, whole.usage) == (streamed.value, streamed.text, streamed.usage)
    assert [True, False] == [request.get("stream") for request in server.requests]


def test_tokens_that_a_stream_does_not_say_are_estimated():
    """As for a reply in one piece."""
    with ScriptedServer(lambda _messages: REPLY, fault=lambda _number, _messages: Fault.NO_USAGE) as server:
        streamed = chat_of(server).ask(WHERE, parse=read, on_token=lambda _piece: None)
        whole = chat_of(server).ask(WHERE, parse=read)

    assert streamed.usage.estimated
    assert whole.usage == streamed.usage


def test_a_stream_that_breaks_is_asked_for_again_in_one_piece():
    """Shown text cannot be taken back; the reply is the second one."""
    pieces = []
    with ScriptedServer(lambda _messages: REPLY, fault=fail_first(Fault.BROKEN)) as server:
        reply = chat_of(server).ask(WHERE, parse=read, on_token=pieces.append)

    assert SEEN == reply.value
    assert pieces
    assert SEEN.startswith("".join(pieces))
    assert SEEN != "".join(pieces)
    assert [True, False] == [request.get("stream") for request in server.requests]
    assert (1, 1) == (reply.usage.calls, reply.usage.retries)


@pytest.mark.parametrize("fault", [Fault.RATE_LIMIT, Fault.SERVER_ERROR, Fault.RESET])
def test_a_failure_before_the_first_word_is_streamed_again(fault):
    """Nothing had been shown."""
    pieces = []
    with ScriptedServer(lambda _messages: REPLY, fault=fail_first(fault)) as server:
        chat_of(server).ask(WHERE, parse=read, on_token=pieces.append)

    assert SEEN == "".join(pieces)
    assert [True, True] == [request.get("stream") for request in server.requests]


def test_a_server_that_does_not_stream_replies_in_one_piece():
    """It gets one more request, without a retry; a wrong key is reported as usual."""
    pieces = []
    with ScriptedServer(lambda _messages: REPLY, fault=fail_first(Fault.NO_STREAM)) as server:
        reply = chat_of(server).ask(WHERE, parse=read, on_token=pieces.append)
    with (
        ScriptedServer(lambda _messages: REPLY, fault=lambda _number, _messages: 401) as server,
        pytest.raises(ModelError, match="OPENAI_API_KEY"),
    ):
        chat_of(server).ask(WHERE, parse=read, on_token=pieces.append)

    assert ([], SEEN, 0) == (pieces, reply.value, reply.usage.retries)


def test_a_repair_is_not_streamed():
    """The first reply was shown as it came; the second one is the value."""
    pieces, replies = [], iter(["<think>Well.</think>", "Answer: Edinburgh."])
    with ScriptedServer(lambda _messages: next(replies)) as server:
        reply = chat_of(server).ask(WHERE, parse=read, on_token=pieces.append)

    assert ([], "Edinburgh.") == (pieces, reply.value)
    assert [True, False] == [request.get("stream") for request in server.requests]


def test_a_reply_from_the_cache_is_one_piece(tmp_path):
    """Streamed replies are cached like others, and cached ones are shown without thoughts."""
    pieces = []
    with ScriptedServer(lambda _messages: REPLY) as server:
        chat = chat_of(server, cache=tmp_path / "cache.sqlite")
        chat.ask(WHERE, parse=read, on_token=lambda _piece: None)
        again = chat.ask(WHERE, parse=read, on_token=pieces.append)

    assert ([SEEN], 1, 1) == (pieces, again.usage.cached, len(server.requests))


class Whole(BaseChatModel):
    """A model that cannot stream."""

    @property
    def _llm_type(self):
        return "whole"

    def _generate(self, *_args, **_options):
        return ChatResult(generations=[ChatGeneration(message=AIMessage(REPLY))])


@pytest.mark.parametrize("model", [Whole(), FakeListChatModel(responses=[REPLY])])
def test_any_model_of_langchain_can_be_listened_to(model):
    """One without streams passes on everything at once; neither knows the option for usage."""
    pieces = []
    reply = Chat(model).ask(WHERE, parse=read, on_token=pieces.append)

    assert (SEEN, SEEN, True) == ("".join(pieces), reply.value, reply.usage.estimated)


def test_what_a_listener_raises_is_not_the_models_failure():
    """It is raised unchanged, although it looks like a broken connection, and the slot is freed."""

    def gone(_piece):
        raise BrokenPipeError("the reader has left")

    with ScriptedServer(lambda _messages: REPLY) as server:
        chat = chat_of(server)
        with pytest.raises(BrokenPipeError, match="has left"):
            chat.ask(WHERE, parse=read, on_token=gone)
        assert SEEN == chat.ask(WHERE, parse=read).value

    assert 2 == len(server.requests)


def test_a_reply_that_is_of_no_use_twice_is_an_error_also_where_it_was_streamed():
    """With the cost of both."""
    with ScriptedServer(lambda _messages: "<think>Hm.</think>") as server, pytest.raises(ReplyError) as caught:
        chat_of(server).ask(WHERE, parse=read, on_token=lambda _piece: None)

    assert 2 == caught.value.usage.calls


def test_a_chat_is_a_chat_model():
    """A LangChain model is not, so the two can be distinguished."""
    assert isinstance(Chat(Whole()), ChatModel)
    assert not isinstance(Whole(), ChatModel)
