"""The language model over a real connection to a scripted server; only the clock is faked."""

import json
import math
import random
import socket
import sqlite3
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import closing
from contextvars import copy_context
from dataclasses import replace
from email.utils import formatdate
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.load import dumps
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from gear_neo4j.errors import GearError, ModelError, ReplyError, SettingsError
from gear_neo4j.models import cache
from gear_neo4j.models.cache import identity
from gear_neo4j.models.chat import Chat, Prompt
from gear_neo4j.models.openai import CACHE, chat_model, open_chat
from gear_neo4j.models.replies import LONGEST_REPLY
from gear_neo4j.models.retries import may_pass, requested_wait
from gear_neo4j.settings import Settings
from gear_neo4j.usage import Usage, listening
from tests.processes import PIPE, started
from tests.scripted_server import Fault, Refusal, ScriptedServer

WHERE = Prompt("Answer in JSON.", "Where did Hinton study?")
ANSWER = '{"place": "Edinburgh"}'
SPOILT = [Fault.MALFORMED_JSON, Fault.CUT, Fault.EMPTY, Fault.PROSE, Fault.FENCED]
PASSING = [Fault.RATE_LIMIT, Fault.SERVER_ERROR, Fault.SLOW, Fault.RESET, 408, 409, 502, 503, 504]


class Clock:
    """A clock whose waits take no time; it records them."""

    def __init__(self):
        self.waits = []

    def __call__(self, seconds):
        self.waits.append(seconds)


class Scripted(BaseChatModel):
    """A model without a server: it raises replies that are errors, and repeats the last one."""

    replies: list[Any]
    shade: float = 0.0

    @property
    def _llm_type(self):
        return "scripted"

    def _generate(self, *_args, **_options):
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, BaseException):
            raise reply
        return ChatResult(generations=[ChatGeneration(message=AIMessage(reply))])


class Refused(Exception):
    """An error as some client library might raise it, with status and headers in its response."""

    def __init__(self, status, **headers):
        super().__init__(f"status {status}")
        headers = {name.replace("_", "-"): text for name, text in headers.items()}
        self.response = SimpleNamespace(status_code=status, headers=headers)


def answer(messages):
    return ANSWER


def place(text):
    value = json.loads(text)
    if not isinstance(value, dict) or "place" not in value:
        raise ValueError("there is no place in it")
    return value["place"]


def settings_of(server, **options):
    return Settings(**{"chat_model": "scripted", "openai_base_url": server.url, "chat_timeout": 5.0, **options})


def chat_of(server, *, timeout=5.0, **options):
    # Enough slots that a lost one fails only the tests of slots, without blocking the others.
    options = {"sleep": Clock(), "concurrency": 100, **options}
    return Chat(chat_model(settings_of(server, chat_timeout=timeout)), **options)


def only(*faults):
    """These faults for the first requests, and none afterwards."""
    return lambda number, _messages: faults[number - 1] if number <= len(faults) else None


def always(fault):
    return lambda _number, _messages: fault


def together(*calls, seconds=10):
    """The results of the calls, each in its own thread; one that does not end in time is an error."""
    futures = [Future() for _ in calls]

    def run(call, future):
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    for call, future in zip(calls, futures, strict=True):
        threading.Thread(target=run, args=(call, future), daemon=True).start()
    end = time.monotonic() + seconds
    return [future.result(timeout=max(0, end - time.monotonic())) for future in futures]


# A single conversation


def test_a_reply_is_parsed_and_paid_for_as_the_server_says():
    """The value, the text, and one token per word, as the scripted server counts."""
    with ScriptedServer(answer) as server:
        reply = chat_of(server).ask(WHERE, parse=place)

    assert ("Edinburgh", ANSWER) == (reply.value, reply.text)
    assert Usage(calls=1, input_tokens=7, output_tokens=2) == reply.usage
    assert reply.milliseconds > 0
    (request,) = server.requests
    assert ("scripted", 0) == (request["model"], request["temperature"])
    assert [("system", WHERE.system), ("user", WHERE.user)] == [(m["role"], m["content"]) for m in request["messages"]]


@pytest.mark.parametrize("fault", SPOILT)
def test_a_spoilt_reply_is_repaired_once(fault):
    """The model sees its own reply and the error, and both calls are counted."""
    with ScriptedServer(answer, fault=only(fault)) as server:
        reply = chat_of(server).ask(WHERE, parse=place)

    first, second = (request["messages"] for request in server.requests)
    assert "Edinburgh" == reply.value
    assert (2, 0, False) == (reply.usage.calls, reply.usage.retries, reply.usage.estimated)
    assert first == second[:2]
    assert ["assistant", "user"] == [message["role"] for message in second[2:]]
    assert second[2]["content"]
    assert "cannot be used" in second[3]["content"]


def test_the_repair_names_what_was_wrong():
    """The request contains the parser's message."""
    with ScriptedServer(lambda messages: "{}" if len(messages) == 2 else ANSWER) as server:
        chat_of(server).ask(WHERE, parse=place)

    assert "there is no place in it" in server.requests[1]["messages"][-1]["content"]
    assert "{}" == server.requests[1]["messages"][-2]["content"]


@pytest.mark.parametrize("fault", SPOILT)
def test_two_spoilt_replies_are_an_error_that_knows_its_cost(fault):
    """There is no third request, and the cost of both is included."""
    with (
        ScriptedServer(answer, fault=always(fault)) as server,
        pytest.raises(ReplyError) as caught,
    ):
        chat_of(server).ask(WHERE, parse=place)

    assert 2 == len(server.requests) == caught.value.usage.calls
    assert caught.value.usage.input_tokens > 14
    assert 1 == len(str(caught.value).splitlines())


def test_a_repair_that_fails_still_knows_what_the_first_reply_cost():
    """After an unusable reply, the repair fails permanently."""
    with ScriptedServer(answer, fault=only(Fault.PROSE, 401)) as server, pytest.raises(ModelError) as caught:
        chat_of(server).ask(WHERE, parse=place)

    assert (1, 7) == (caught.value.usage.calls, caught.value.usage.input_tokens)


def test_tokens_that_the_server_does_not_say_are_estimated():
    """At four characters per token: 38 for the prompt, 22 for the reply."""
    with ScriptedServer(answer, fault=only(Fault.NO_USAGE)) as server:
        usage = chat_of(server).ask(WHERE, parse=place).usage

    assert Usage(calls=1, input_tokens=10, output_tokens=6, estimated=True) == usage


def test_a_mistake_in_the_parser_is_not_the_models():
    """Only ValueError means that a reply is unusable."""
    with ScriptedServer(answer) as server, pytest.raises(KeyError):
        chat_of(server).ask(WHERE, parse=lambda text: json.loads(text)["town"])

    assert 1 == len(server.requests)


def test_content_in_blocks_is_read_as_its_text():
    """Thoughts and other blocks are left out."""
    blocks = [{"type": "reasoning", "reasoning": "{}"}, {"type": "text", "text": ANSWER}]

    assert "Edinburgh" == Chat(Scripted(replies=[blocks])).ask(WHERE, parse=place).value


def test_a_degenerate_reply_is_cut_before_it_is_parsed():
    """A parser cannot be interrupted, so its input is limited; the whole reply is still counted."""
    chat = Chat(FakeListChatModel(responses=["7" + " 7" * 1_000_000]))

    reply = chat.ask(Prompt("", "How many days has a week?"), parse=len)

    assert (LONGEST_REPLY, LONGEST_REPLY) == (reply.value, len(reply.text))


def test_an_empty_task_is_not_sent():
    """Some servers refuse a message without text."""
    with ScriptedServer(answer) as server:
        chat_of(server).ask(Prompt("", "Where?"), parse=place)

    assert ["user"] == [message["role"] for message in server.requests[0]["messages"]]


# Transient and permanent failures


@pytest.mark.parametrize("fault", PASSING)
def test_a_transient_failure_is_retried(fault):
    """The second request succeeds, after one wait."""
    clock = Clock()
    with ScriptedServer(answer, fault=only(fault)) as server:
        reply = chat_of(server, timeout=1.0 if fault is Fault.SLOW else 5.0, sleep=clock).ask(WHERE, parse=place)

    assert "Edinburgh" == reply.value
    assert (1, 1) == (reply.usage.calls, reply.usage.retries)
    assert 2 == len(server.requests)
    assert 1 == len(clock.waits)


@pytest.mark.parametrize(
    "refusal",
    [
        Refusal(200, {"message": "Provider returned error: rate limited", "code": 429}),
        Refusal(200, {"message": "overloaded", "code": "503"}),
        Refusal(529, {"type": "overloaded_error", "message": "Overloaded"}),
    ],
)
def test_a_server_that_is_busy_may_say_so_in_any_way(refusal):
    """With status 200, or with one of its own: the request is sent again."""
    with ScriptedServer(answer, fault=only(refusal, refusal)) as server:
        reply = chat_of(server).ask(WHERE, parse=place)

    assert ("Edinburgh", 2) == (reply.value, reply.usage.retries)


def test_a_temperature_that_a_model_refuses_is_left_out_from_then_on():
    """The request is sent again without it, and so are later ones."""
    refusal = Refusal(400, {"message": "Unsupported value: only the default (1).", "param": "temperature", "code": "u"})
    with ScriptedServer(answer, fault=only(refusal)) as server:
        chat = chat_of(server)
        places = [chat.ask(WHERE, parse=place).value, chat.ask(WHERE, parse=place).value]
        sent = ["temperature" in body for body in server.requests]

    assert ["Edinburgh", "Edinburgh"] == places
    assert [True, False, False] == sent


PLACE = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
FORMED = replace(WHERE, schema=PLACE)


def test_a_second_try_must_follow_the_schema_of_the_prompt():
    """The first one is free; a prompt without a schema has none."""
    with ScriptedServer(lambda messages: ANSWER if len(messages) > 2 else "In Edinburgh.") as server:
        chat = chat_of(server)
        reply = chat.ask(FORMED, parse=place)
        chat.ask(WHERE, parse=place)
        formats = [body.get("response_format") for body in server.requests]

    assert ("Edinburgh", 2) == (reply.value, reply.usage.calls)
    assert [None, {"type": "json_schema", "json_schema": {"name": "reply", "schema": PLACE}}, None, None] == formats


@pytest.mark.parametrize(
    "refusal",
    [
        Refusal(400, {"message": "response_format json_schema is not supported", "param": "response_format"}),
        Refusal(422, {"message": "extra fields not permitted"}),
        Refusal(501, {"message": "grammars are disabled"}),
    ],
)
def test_a_server_without_schemas_is_asked_without_one_from_then_on(refusal):
    """The second try is sent again as it is, and the refusal is learnt once."""
    with ScriptedServer(
        lambda messages: ANSWER if len(messages) > 2 else "In Edinburgh.",
        fault=lambda number, _messages: refusal if number == 2 else None,
    ) as server:
        chat = chat_of(server)
        replies = [chat.ask(FORMED, parse=place) for _ in range(2)]
        formed = ["response_format" in body for body in server.requests]

    assert ["Edinburgh"] * 2 == [reply.value for reply in replies]
    assert [2, 2] == [reply.usage.calls for reply in replies]
    assert [False, True, False, False, False] == formed


def test_a_server_that_is_down_at_the_second_try_does_not_lose_its_schemas():
    """It says nothing about schemas: the failure is that of any request."""
    down = lambda number, _messages: 503 if number == 2 else None  # noqa: E731
    with ScriptedServer(lambda messages: ANSWER if len(messages) > 2 else "Edinburgh?", fault=down) as server:
        chat = chat_of(server)
        assert "Edinburgh" == chat.ask(FORMED, parse=place).value
        formed = ["response_format" in body for body in server.requests]

    assert [False, True, True] == formed


def test_a_text_that_is_refused_at_the_second_try_does_not_lose_the_schemas():
    """The next question is asked with a schema again."""
    refusal = Refusal(400, {"message": "The response was filtered.", "code": "content_filter", "param": "prompt"})
    refused = lambda number, _messages: refusal if number == 2 else None  # noqa: E731
    with ScriptedServer(lambda messages: ANSWER if len(messages) > 2 else "Edinburgh?", fault=refused) as server:
        chat = chat_of(server)
        with pytest.raises(ReplyError, match="refuses this text"):
            chat.ask(FORMED, parse=place)
        assert "Edinburgh" == chat.ask(FORMED, parse=place).value
        formed = ["response_format" in body for body in server.requests]

    assert [False, True, False, True] == formed


def test_a_client_that_knows_no_schemas_is_asked_without():
    """Each of LangChain's models has options of its own."""
    model = Scripted(replies=["In Edinburgh.", TypeError("unexpected keyword argument 'response_format'"), ANSWER])

    assert "Edinburgh" == Chat(model, sleep=Clock()).ask(FORMED, parse=place).value


def test_a_text_that_a_server_refuses_is_a_failure_of_this_text_alone():
    """Another one may be accepted: the run goes on."""
    refusal = Refusal(400, {"message": "The response was filtered.", "code": "content_filter", "param": "prompt"})
    with (
        ScriptedServer(answer, fault=only(refusal)) as server,
        pytest.raises(ReplyError, match="refuses this text") as caught,
    ):
        chat_of(server).ask(WHERE, parse=place)

    assert 1 == len(str(caught.value).splitlines())


def test_the_wait_that_the_server_asks_for_is_kept():
    """To the second, each time."""
    clock = Clock()
    with ScriptedServer(answer, fault=only(Fault.RATE_LIMIT, Fault.RATE_LIMIT), retry_after="7") as server:
        reply = chat_of(server, sleep=clock).ask(WHERE, parse=place)

    assert [7.0, 7.0] == clock.waits
    assert 2 == reply.usage.retries


def test_a_date_to_wait_for_is_kept():
    """HTTP dates have whole seconds, and so does the server's clock."""
    clock = Clock()
    in_half_a_minute = lambda: formatdate(time.time() + 30, usegmt=True)  # noqa: E731
    with ScriptedServer(answer, fault=only(Fault.RATE_LIMIT), retry_after=in_half_a_minute) as server:
        chat_of(server, sleep=clock).ask(WHERE, parse=place)

    assert [pytest.approx(30, abs=1)] == clock.waits


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Retry_After": "7"}, 7.0),
        ({"retry_after": "1.5"}, 1.5),
        ({"Retry_After_Ms": "250", "Retry_After": "9"}, 0.25),
        ({"Retry_After_Ms": "soon", "Retry_After": "9"}, 9.0),
        ({"Retry_After": "-3"}, 0.0),
        ({"Retry_After": "Sat, 21 Nov 2026 10:00:30 GMT", "Date": "Sat, 21 Nov 2026 10:00:00 GMT"}, 30.0),
        ({"Retry_After": "Sat, 21 Nov 2026 10:00:00 GMT", "Date": "Sat, 21 Nov 2026 10:00:30 GMT"}, 0.0),
        ({"Retry_After": "soon"}, None),
        ({"Retry_After": "nan"}, None),
        ({}, None),
    ],
)
def test_every_form_of_the_wait_is_read(headers, expected):
    """Milliseconds before seconds; a date by the server's clock; nonsense is ignored."""
    assert expected == requested_wait(Refused(429, **headers))


def test_a_date_is_read_on_our_clock_where_the_server_does_not_tell_its_own():
    """There is no other clock to compare it with."""
    headers = {"Retry_After": formatdate(time.time() + 30, usegmt=True)}

    assert pytest.approx(30, abs=2) == requested_wait(Refused(503, **headers))


def test_a_wait_beyond_the_patience_fails_at_once():
    """A wait longer than the patience cannot help."""
    clock = Clock()
    with (
        ScriptedServer(answer, fault=always(Fault.RATE_LIMIT), retry_after="61") as server,
        pytest.raises(ModelError, match="failed once, and asks to wait 61 s more: .*429") as caught,
    ):
        chat_of(server, sleep=clock).ask(WHERE, parse=place)

    assert ([], 1) == (clock.waits, len(server.requests))
    assert Usage() == caught.value.usage


@pytest.mark.parametrize("fault", [Fault.SERVER_ERROR, Fault.RATE_LIMIT, Fault.RESET])
def test_patience_ends(fault):
    """The waits grow, even with a Retry-After of 0, never exceed the patience in total, and are all reported."""
    clock = Clock()
    with (
        ScriptedServer(answer, fault=always(fault), retry_after="0") as server,
        pytest.raises(ModelError) as caught,
    ):
        chat_of(server, sleep=clock, patience=60).ask(WHERE, parse=place)

    assert 35 < sum(clock.waits) <= 60
    assert clock.waits == sorted(clock.waits)
    assert clock.waits[0] <= 1 < 4 <= clock.waits[3]
    assert len(server.requests) == len(clock.waits) + 1 == caught.value.usage.retries + 1
    assert f"failed {len(server.requests)} times in {sum(clock.waits):.0f} s" in str(caught.value)
    assert 1 == len(str(caught.value).splitlines())


@pytest.mark.parametrize(
    ("status", "advice"),
    [(400, "GEAR_CHAT_MODEL"), (401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "GEAR_CHAT_MODEL"), (422, "")],
)
def test_a_permanent_failure_is_reported_at_once(status, advice):
    """One request, no wait, and one line that says what to check."""
    clock = Clock()
    with (
        ScriptedServer(answer, fault=always(status)) as server,
        pytest.raises(ModelError, match=f"scripted cannot be used: .*{status}.*{advice}") as caught,
    ):
        chat_of(server, sleep=clock).ask(WHERE, parse=place)

    assert ([], 1) == (clock.waits, len(server.requests))
    assert 1 == len(str(caught.value).splitlines())


def test_a_server_that_is_not_there_is_named_as_such():
    """It is retried, because it may be starting; the line contains the system's message."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nowhere = SimpleNamespace(url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        with pytest.raises(ModelError, match="refused.*OPENAI_BASE_URL") as caught:
            chat_of(nowhere, patience=5).ask(WHERE, parse=place)

    assert caught.value.usage.retries >= 2


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"openai_base_url": "localhost:8000/v1"}, "protocol"),
        ({"openai_api_key": "sk-12345\n67"}, "header"),
        ({"openai_api_key": "sk-12345" * 50 + "\n"}, "header"),
    ],
)
def test_a_request_that_cannot_be_sent_is_reported_at_once_without_the_key(options, told):
    """A URL without http, and a key that was pasted with a line break."""
    clock = Clock()
    with ScriptedServer(answer) as server, pytest.raises(GearError, match=f"cannot be used: .*{told}") as caught:
        Chat(chat_model(settings_of(server, **options)), sleep=clock).ask(WHERE, parse=place)

    assert [] == clock.waits
    assert "sk-12345" not in str(caught.value)


def test_the_failures_of_any_client_library_are_classified():
    """By a status anywhere in the error, by builtin classes and usual names; a cause counts, a context does not."""
    wrapped, beside = RuntimeError("wrapped"), RuntimeError("beside")
    wrapped.__cause__, beside.__context__ = Refused(503), Refused(503)
    exhausted = Refused(429)
    exhausted.code = "insufficient_quota"

    passing = [
        Refused(429),
        ConnectionResetError(),
        TimeoutError(),
        type("ReadTimeout", (ConnectionError,), {})(),
        wrapped,
    ]
    lasting = [Refused(401), exhausted, beside, ValueError(), KeyboardInterrupt(), SystemExit(503)]

    assert [True] * 5 == [may_pass(error) for error in passing]
    assert [False] * 6 == [may_pass(error) for error in lasting]


# The limit of concurrent calls


def test_never_more_requests_than_allowed_and_no_slot_is_lost():
    """Twenty threads make two calls each, and every second request fails; afterwards three still run at once."""
    chance, meet = random.Random(7), threading.Barrier(3)
    storm = [None, None, None, None, *SPOILT, Fault.RATE_LIMIT, Fault.SERVER_ERROR, Fault.RESET, 401]

    def script(messages):
        if messages[-1]["content"] == "meet":
            meet.wait(timeout=5)
        time.sleep(0.005)
        return ANSWER

    def fault(number, messages):
        return None if messages[-1]["content"] == "meet" else chance.choice(storm)

    def attempts():
        return [attempt("case"), attempt("another case")]

    def attempt(text):
        try:
            return chat.ask(Prompt("", text), parse=place).value
        except ModelError:
            return None

    with ScriptedServer(script, fault=fault, retry_after="0.01") as server:
        chat = chat_of(server, concurrency=3, sleep=lambda seconds: time.sleep(seconds / 100))
        answers = [answer for pair in together(*[attempts] * 20, seconds=20) for answer in pair]
        met = together(*[lambda: attempt("meet")] * 3)

    assert {"Edinburgh", None} == set(answers)
    assert 3 == server.busiest
    assert ["Edinburgh"] * 3 == met


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), MemoryError(), ValueError("odd"), Refused(500)])
def test_a_slot_comes_back_whatever_is_raised(error):
    """With a single slot, the next call would otherwise wait forever."""
    chat = Chat(Scripted(replies=[error, ANSWER]), concurrency=1, patience=0)
    with pytest.raises((ModelError, type(error))):
        chat.ask(WHERE, parse=place)

    assert ["Edinburgh"] == together(lambda: chat.ask(WHERE, parse=place).value)


def test_a_wait_between_retries_holds_no_slot():
    """With a single slot, another call succeeds during the wait."""
    meanwhile = []

    def sleep(seconds):
        meanwhile.extend(together(lambda: chat.ask(Prompt("", "Meanwhile?"), parse=place).value))

    chat = Chat(Scripted(replies=[Refused(500), ANSWER]), concurrency=1, sleep=sleep)

    assert "Edinburgh" == chat.ask(WHERE, parse=place).value
    assert ["Edinburgh"] == meanwhile


def test_no_concurrency_at_all_is_refused():
    """It would wait forever."""
    with pytest.raises(SettingsError, match="concurrency is 0"):
        Chat(Scripted(replies=[ANSWER]), concurrency=0)


# The cache


def test_the_same_question_is_paid_for_once(tmp_path):
    """Another Chat on the same file gets the same text at no cost; timeout and key do not make it another model."""
    with ScriptedServer(answer) as server:
        first = open_chat(settings_of(server, home=tmp_path / "home")).ask(WHERE, parse=place)
        again = open_chat(
            settings_of(server, home=tmp_path / "home", chat_timeout=9.0, openai_api_key="sk-another")
        ).ask(WHERE, parse=place)

    assert (1, 1) == (first.usage.calls, len(server.requests))
    assert ("Edinburgh", ANSWER, Usage(cached=1)) == (again.value, again.text, again.usage)


def test_the_file_is_the_users_own_and_holds_no_key(tmp_path):
    """Prompts may quote private documents."""
    with ScriptedServer(answer) as server:
        open_chat(settings_of(server, home=tmp_path / "home", openai_api_key="sk-secret")).ask(WHERE, parse=place)
    file = tmp_path / "home" / CACHE

    assert 0o600 == file.stat().st_mode & 0o777
    assert b"Hinton" in file.read_bytes()
    assert b"sk-secret" not in file.read_bytes()


def test_a_listener_hears_each_reply_that_costs_something(tmp_path):
    """Also replies that cannot be used, and those in other threads; not those from the cache, nor after its block."""
    heard = []
    chat = Chat(Scripted(replies=["nonsense", "nonsense", ANSWER]), cache=tmp_path / "cache")
    with listening(heard.append):
        with pytest.raises(ReplyError) as failed:
            chat.ask(WHERE, parse=place)
        thread = threading.Thread(target=copy_context().run, args=(partial(chat.ask, WHERE, parse=place),))
        thread.start()
        thread.join(30)
        before = len(heard)
        again = chat.ask(WHERE, parse=place)
    chat.ask(Prompt("", "Where else?"), parse=place)

    assert (3, 3, 1) == (before, len(heard), again.usage.cached)
    assert sum(heard[:2], Usage()) == failed.value.usage
    assert all(usage.tokens for usage in heard)


def test_a_cache_that_is_full_keeps_what_it_has(tmp_path, monkeypatch):
    """Callers of a service can ask any number of questions."""
    file, other = tmp_path / "cache", Prompt("", "Where else?")
    Chat(Scripted(replies=[ANSWER]), cache=file).ask(WHERE, parse=place)
    monkeypatch.setattr(cache, "LARGEST", file.stat().st_size)
    Chat(Scripted(replies=[ANSWER]), cache=file).ask(other, parse=place)
    asked = [Chat(Scripted(replies=[ANSWER]), cache=file).ask(one, parse=place).usage.cached for one in (WHERE, other)]

    assert [1, 0] == asked


def test_without_a_cache_everything_is_asked(tmp_path):
    """And no file is created."""
    with ScriptedServer(answer) as server:
        for _ in range(2):
            open_chat(settings_of(server, home=tmp_path), cache=False).ask(WHERE, parse=place)

    assert 2 == len(server.requests)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("prompt", [Prompt(WHERE.system, "Where else?"), Prompt("Answer in a list.", WHERE.user)])
def test_another_prompt_is_another_question(prompt, tmp_path):
    """The task matters as well as the case."""
    chat = Chat(Scripted(replies=[ANSWER]), cache=tmp_path / "cache")
    chat.ask(WHERE, parse=place)

    assert (1, 0) == ((usage := chat.ask(prompt, parse=place).usage).calls, usage.cached)


def test_any_parameter_of_the_answer_makes_another_model():
    """Temperature, name, URL, seed and extra parameters; but not timeout, retries or key."""
    model = chat_model(Settings(chat_model="a", openai_base_url="http://one/v1"))
    others = [
        {"temperature": 0.7},
        {"model_name": "b"},
        {"openai_api_base": "http://two/v1"},
        {"seed": 1},
        {"max_tokens": 9},
        {"extra_body": {"top_k": 3}},
        {"model_kwargs": {"user": "me"}},
    ]
    same = [{"request_timeout": 1.0}, {"max_retries": 3}, {"verbose": True}]

    assert 8 == len({identity(model), *(identity(model.model_copy(update=change)) for change in others)})
    assert {identity(model)} == {identity(model.model_copy(update=change)) for change in same}
    assert identity(Scripted(replies=[])) != identity(Scripted(replies=[], shade=0.5))


def test_a_model_that_holds_odd_things_has_a_name_all_the_same():
    """Functions, sets and objects are identified by what is stable across processes."""
    first, second = ([{"f": math.sqrt, "s": {"b", "a"}, "o": object(), "b": b"x", "n": None}] for _ in range(2))

    assert identity(Scripted(replies=first)) == identity(Scripted(replies=second))
    assert identity(Scripted(replies=first)) != identity(Scripted(replies=[{**first[0], "f": math.sin}]))


def test_a_reply_that_cannot_be_used_is_not_kept_and_a_repaired_one_is(tmp_path):
    """Otherwise bad text would be served forever; the good text answers the original prompt."""
    file = tmp_path / "cache"
    with ScriptedServer(answer, fault=only(Fault.CUT, Fault.CUT, Fault.CUT)) as server:
        with pytest.raises(ReplyError):
            chat_of(server, cache=file).ask(WHERE, parse=place)
        repaired = chat_of(server, cache=file).ask(WHERE, parse=place)
        kept = chat_of(server, cache=file).ask(WHERE, parse=place)

    assert (4, 2) == (len(server.requests), repaired.usage.calls)
    assert ("Edinburgh", Usage(cached=1)) == (kept.value, kept.usage)


def test_kept_text_that_another_parser_refuses_is_asked_for_again(tmp_path):
    """The text that this parser accepts replaces it."""
    chat = Chat(Scripted(replies=["about 7", "7"]), cache=tmp_path / "cache")

    assert "about 7" == chat.ask(WHERE, parse=str).value
    assert [(7, 1), (7, 0)] == [((reply := chat.ask(WHERE, parse=int)).value, reply.usage.calls) for _ in range(2)]


@pytest.mark.parametrize("name", ["a b%20c?d#e", "Überblick 鲁迅", "x" * 200])
def test_a_file_may_have_any_name(name, tmp_path):
    """Even one with special characters of URLs."""
    Chat(Scripted(replies=[ANSWER]), cache=tmp_path / name).ask(WHERE, parse=place)

    assert [name] == [file.name for file in tmp_path.iterdir()]


@pytest.mark.parametrize("kind", ["text", "folder", "below a file"])
def test_a_cache_that_cannot_be_used_is_named(kind, tmp_path):
    """In one line, at the start, before any call."""
    file = tmp_path / "cache"
    if kind == "folder":
        file.mkdir()
    else:
        file.write_text("this is no database, and long enough to show it " * 100)
    file = file / "cache" if kind == "below a file" else file
    with pytest.raises(SettingsError, match=str(file)) as caught:
        Chat(Scripted(replies=[ANSWER]), cache=file)

    assert 1 == len(str(caught.value).splitlines())


def test_a_cache_that_breaks_later_is_named_too(tmp_path):
    """Its pages are overwritten during use."""
    file = tmp_path / "cache"
    chat = Chat(Scripted(replies=[ANSWER]), cache=file)
    chat.ask(WHERE, parse=place)
    file.write_bytes(b"\xff" * file.stat().st_size)
    with pytest.raises(SettingsError, match=str(file)):
        chat.ask(WHERE, parse=place)


def test_threads_share_a_cache(tmp_path):
    """Twenty threads write and read the same five questions; afterwards all are stored."""
    chat = Chat(Scripted(replies=[ANSWER]), concurrency=20, cache=tmp_path / "cache")
    prompts = [Prompt("", f"case {number}") for number in range(5)]
    answers = together(*[lambda: [chat.ask(prompt, parse=place) for prompt in prompts]] * 20, seconds=30)
    usages = [reply.usage for replies in answers for reply in replies]

    assert {1} == {usage.calls + usage.cached for usage in usages}
    assert [1] * 5 == [chat.ask(prompt, parse=place).usage.cached for prompt in prompts]


@pytest.mark.parametrize("statement", ["CREATE", "INSERT"])
def test_another_process_may_be_faster_by_a_hair(statement, tmp_path, monkeypatch):
    """It creates the table, or stores a reply, between our check and our attempt."""
    file, overtaken, connect = tmp_path / "cache", set(), sqlite3.connect

    class Overtaken(sqlite3.Connection):
        def execute(self, sql, *parameters):
            if sql.lstrip().startswith(statement) and sql not in overtaken:
                overtaken.add(sql)
                with closing(connect(file)) as other, other:
                    other.execute(sql, *parameters)
            return super().execute(sql, *parameters)

    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", partial(connect, factory=Overtaken))
        Chat(Scripted(replies=[ANSWER]), cache=file).ask(WHERE, parse=place)

    assert 1 == len(overtaken)
    assert 1 == Chat(Scripted(replies=[ANSWER]), cache=file).ask(WHERE, parse=place).usage.cached


OLD_TABLE = "CREATE TABLE full_llm_cache (prompt VARCHAR, llm VARCHAR, idx INTEGER, response VARCHAR)"


def test_an_object_in_a_file_of_an_earlier_version_is_no_reply(tmp_path):
    """LangChain's cache deserialises any object in the file; such rows are no longer read."""
    file, model = tmp_path / "cache", Scripted(replies=[ANSWER])
    planted = dumps(ChatGeneration(message=AIMessage("PLACE: planted")))
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(OLD_TABLE)
        question = dumps([SystemMessage(WHERE.system), HumanMessage(WHERE.user)])
        database.execute("INSERT INTO full_llm_cache VALUES (?, ?, 0, ?)", (question, identity(model), planted))

    reply = Chat(model, cache=file).ask(WHERE, parse=str)

    assert (ANSWER, 1) == (reply.value, reply.usage.calls)


def plant(file, value):
    """Put a value where the text of each reply is stored."""
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE replies SET text = ?", (value,))


@pytest.mark.parametrize("planted", [b"\x80\x04K\x07.", None])
def test_a_row_that_is_no_text_is_no_reply(planted, tmp_path):
    """A column of SQLite accepts bytes, too, whatever its declared type."""
    chat = Chat(Scripted(replies=["first", "second"]), cache=tmp_path / "cache")
    assert "first" == chat.ask(WHERE, parse=str).value == chat.ask(WHERE, parse=str).value
    plant(tmp_path / "cache", planted)

    assert "second" == chat.ask(WHERE, parse=str).value


def test_a_serialised_object_among_the_replies_is_a_text(tmp_path):
    """The parser gets it unchanged, as text."""
    chat = Chat(Scripted(replies=["first"]), cache=tmp_path / "cache")
    planted = dumps(ChatGeneration(message=AIMessage("planted")))
    chat.ask(WHERE, parse=str)
    plant(tmp_path / "cache", planted)

    assert planted == chat.ask(WHERE, parse=str).value


def test_the_file_holds_texts_and_numbers_only(tmp_path):
    """The cost of a call is stored next to its reply."""
    file = tmp_path / "cache"
    with ScriptedServer(answer) as server:
        chat_of(server, cache=file).ask(WHERE, parse=place)
    with closing(sqlite3.connect(file)) as database:
        ((text, *counts),) = database.execute("SELECT text, input_tokens, output_tokens FROM replies").fetchall()

    assert ANSWER == text
    assert all(isinstance(count, int) and count > 0 for count in counts)


PROCESS = """
import sys, pathlib
from langchain_core.language_models import FakeListChatModel
from gear_neo4j.models.chat import Chat, Prompt
model = FakeListChatModel(responses=["yes"])
Chat(model, cache=pathlib.Path(sys.argv[1] + "-of-mine"))  # the imports take longer than the race
print("ready", flush=True)
sys.stdin.readline()
chat = Chat(model, cache=pathlib.Path(sys.argv[1]))
usages = [chat.ask(Prompt("", f"case {number}"), parse=str).usage for number in range(20)]
print(sum(usage.calls + usage.cached for usage in usages))
"""


def test_processes_share_a_cache(tmp_path):
    """Two create the file and fill it at the same time, without a warning, and this process finds everything."""
    file = tmp_path / "cache"
    command = [sys.executable, "-c", PROCESS, str(file)]
    pipes = {"stdin": PIPE, "stdout": PIPE, "stderr": PIPE}
    with started(command, **pipes) as one, started(command, **pipes) as other:
        assert ["ready\n"] * 2 == [process.stdout.readline() for process in (one, other)]
        for process in (one, other):
            process.stdin.write("go\n")
            process.stdin.flush()
        outputs = [process.communicate() for process in (one, other)]

    assert [("20\n", "")] * 2 == outputs
    ours = Chat(FakeListChatModel(responses=["no"]), cache=file)
    assert 1 == ours.ask(Prompt("", "case 0"), parse=str).usage.calls
    theirs = Chat(FakeListChatModel(responses=["yes"]), cache=file)
    assert 20 == sum(theirs.ask(Prompt("", f"case {number}"), parse=str).usage.cached for number in range(20))


# Sums, names and settings.

usages = st.builds(Usage, *[st.integers(0, 10**9)] * 5, estimated=st.booleans())


@given(usages, usages, usages)
def test_usage_adds_up(one, two, three):
    """In any order, from nothing, with nothing lost."""
    total = sum([one, two, three], Usage())

    assert total == one + (two + three) == three + two + one
    assert total.tokens == one.tokens + two.tokens + three.tokens
    assert (total.calls, total.cached) == (one.calls + two.calls + three.calls, one.cached + two.cached + three.cached)
    assert total.retries == one.retries + two.retries + three.retries
    assert total.estimated == (one.estimated or two.estimated or three.estimated)
    assert math.isclose(total.cost((0.15, 0.6)), sum(each.cost((0.15, 0.6)) for each in (one, two, three)))


def test_the_price_is_that_of_a_million():
    """Input and output have separate prices."""
    assert pytest.approx(2.75) == Usage(input_tokens=500_000, output_tokens=250_000).cost((0.5, 10))


def test_a_model_is_called_by_its_name_and_else_by_its_class():
    """The name from the settings, if it has one."""
    assert "gpt-x" == Chat(chat_model(Settings(chat_model="gpt-x", openai_api_key="k"))).name
    assert "Scripted" == Chat(Scripted(replies=[])).name


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "GEAR_CHAT_MODEL"),
        ({"openai_api_key": "k"}, "GEAR_CHAT_MODEL"),
        ({"chat_model": "m"}, "OPENAI_API_KEY, or OPENAI_BASE_URL"),
    ],
)
def test_settings_without_a_model_say_what_to_set(settings, told, tmp_path):
    """Before anything is created or called."""
    with pytest.raises(ModelError, match=told):
        open_chat(Settings(home=tmp_path / "home", **settings))

    assert not (tmp_path / "home").exists()


# The scripted server itself.


def test_a_mistake_in_a_script_ends_the_test():
    """It is not mistaken for a failure of the model."""
    with pytest.raises(ZeroDivisionError), ScriptedServer(lambda _messages: str(1 / 0)) as server:
        chat_of(server).ask(WHERE, parse=place)


@pytest.mark.parametrize("fault", SPOILT)
def test_a_spoilt_reply_is_no_json(fault):
    """Otherwise the tests of repairs would prove nothing."""
    with ScriptedServer(answer, fault=only(fault)) as server:
        text = chat_of(server).ask(WHERE, parse=str).text
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
