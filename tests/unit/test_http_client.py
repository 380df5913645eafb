"""The limits of a call to a model: a deadline for the whole call and a maximum size, over a real connection."""

import json
import threading
import time

import pytest
from langchain_openai import ChatOpenAI

from gear_neo4j.errors import ModelError
from gear_neo4j.models.chat import Chat, Prompt
from gear_neo4j.models.http_client import BoundedClient
from gear_neo4j.models.openai import chat_model
from gear_neo4j.models.remote_embeddings import RemoteEmbedder
from gear_neo4j.settings import Settings
from tests.bad_bodies import BadBody
from tests.scripted_server import ScriptedServer

WHERE = Prompt("", "Where did Hinton study?")
SECONDS = 0.5
# Allowance for a busy machine.
MORE = 1.0


def chat_of(server, **options):
    settings = Settings(chat_model="scripted", openai_base_url=server.url, chat_timeout=SECONDS)
    return Chat(chat_model(settings), patience=0, **options)


def asked(chat, *, streamed):
    return chat.ask(WHERE, parse=str, on_token=(lambda piece: None) if streamed else None)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("way", [BadBody.DRIPS, BadBody.HEADERS_DRIP])
def test_a_server_that_drips_is_left_at_the_deadline_of_the_call(way, streamed):
    """Five bytes a second keep within any timeout between two bytes; the message names the setting."""
    with ScriptedServer(lambda messages: "Edinburgh", fault=lambda number, messages: way) as server:
        chat = chat_of(server)
        started = time.monotonic()
        with pytest.raises(ModelError, match="no whole reply within 0.5 s.*raise GEAR_CHAT_TIMEOUT"):
            asked(chat, streamed=streamed)
        spent = time.monotonic() - started

    assert SECONDS <= spent < SECONDS + MORE


def test_the_line_does_not_depend_on_which_timeout_is_first(monkeypatch):
    """HTTP's timeout and the call's end at the same moment; here HTTP's always comes first."""
    monkeypatch.setattr("gear_neo4j.models.http_client.within", lambda seconds, call, *, late: call())
    with (
        ScriptedServer(lambda messages: "", fault=lambda number, messages: BadBody.SILENT) as server,
        pytest.raises(ModelError, match="no whole reply within 0.5 s"),
    ):
        asked(chat_of(server), streamed=False)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_body_without_end_is_not_read_beyond_its_bound(streamed):
    """The failure is permanent, so there is no retry, except for a stream that may come in one piece."""
    with ScriptedServer(lambda messages: "", fault=lambda number, messages: BadBody.ENDLESS) as server:
        client = BoundedClient(seconds=30, most=1_000_000)
        model = ChatOpenAI(model="toy", api_key="none", base_url=server.url, max_retries=0, http_client=client)
        started = time.monotonic()
        with pytest.raises(ModelError, match="more than 1,000,000 bytes for one reply"):
            asked(Chat(model), streamed=streamed)

    assert time.monotonic() - started < 10
    assert (2 if streamed else 1) == len(server.requests)


@pytest.mark.parametrize("way", [BadBody.CLOSED, BadBody.ERROR])
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_half_a_reply_and_an_error_with_status_200_are_one_line(way, streamed):
    """The line contains the server's own message."""
    with (
        ScriptedServer(lambda messages: "", fault=lambda number, messages: way) as server,
        pytest.raises(ModelError) as caught,
    ):
        asked(chat_of(server), streamed=streamed)

    assert 1 == len(str(caught.value).splitlines())
    assert ("overloaded" if way is BadBody.ERROR else "try again later") in str(caught.value)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_reply_within_the_bounds_is_as_it_was_and_leaves_no_thread(streamed):
    """Several calls with one client, in one piece and streamed."""
    before = threading.active_count()
    with ScriptedServer(lambda messages: "He studied at Edinburgh.") as server:
        chat = chat_of(server)
        replies = [asked(chat, streamed=streamed).value for _ in range(3)]

    assert 3 * ["He studied at Edinburgh."] == replies
    del chat
    end = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.01)
    assert before == threading.active_count()


def test_a_server_of_embeddings_has_the_same_deadline():
    """GEAR_EMBEDDING_TIMEOUT is for a whole request, too."""
    with ScriptedServer(json.dumps, vectors=lambda texts: [], fault=lambda number, texts: BadBody.DRIPS) as server:
        embedder = RemoteEmbedder("toy", url=server.url, timeout=SECONDS, patience=0)
        started = time.monotonic()
        with pytest.raises(ModelError, match="no whole reply within 0.5 s.*raise GEAR_EMBEDDING_TIMEOUT"):
            embedder.embed(["Where?"])

    assert SECONDS <= time.monotonic() - started < SECONDS + MORE
