"""OpenAI's protocol, with its clients: OpenAI's own, and LangChain's."""

import ast
import re
import threading
from pathlib import Path

import httpx
import openai
import pytest
from langchain_openai import ChatOpenAI

from gear_neo4j.recipes.registry import AGENTS
from gear_neo4j.web.keys import add_key
from tests.graphs import opened
from tests.scripted_server import Fault
from tests.toy_model import FACTS, PASSAGES, QUESTION, ToyModel
from tests.web import client_of, events_in, scripted_gear, served

pytestmark = pytest.mark.one_server_line

PAGE = Path(__file__).parents[2] / "docs" / "service.md"


@pytest.fixture
def gear(shared, embedder, server):
    """Three hops, and a scripted model."""
    shared.ingested(PASSAGES, FACTS, embedder)
    with scripted_gear(server, embedder) as (gear, model):
        gear.scripted = model
        yield gear


@pytest.fixture
def model(gear):
    """The server of the scripted model."""
    return gear.scripted


@pytest.fixture
def address(gear, tmp_path):
    """The service on a real server, and a key for it."""
    file = tmp_path / "keys.json"
    key = add_key(file, "ada", everything=True)
    with served(gear, keys_file=file) as (url, _):
        yield f"{url}/v1", key


@pytest.fixture
def client(address):
    """OpenAI's client."""
    with openai.OpenAI(base_url=address[0], api_key=address[1], max_retries=0) as client:
        yield client


def chat_request(question=QUESTION, **fields):
    """A request for an answer."""
    return {"model": "gear-gear", "messages": [{"role": "user", "content": question}], **fields}


def test_the_models_are_the_agents(client):
    """As a list and one by one; those that need an adopted graph are not listed without one, and say so if asked."""
    names = [model.id for model in client.models.list()]
    needing = {"pattern", "template", "kgt"}

    assert [f"gear-{entry.name}" for entry in AGENTS if entry.name not in {"cypher", *needing}] == names
    assert "gear-search" == names[0]
    assert "gear-crag" == client.models.retrieve("gear-crag").id
    with pytest.raises(openai.UnprocessableEntityError, match="pattern needs an adopted graph"):
        client.chat.completions.create(**chat_request() | {"model": "gear-pattern"})


def test_without_a_language_model_a_search_answers(shared, server, embedder):
    """The only model over documents; a title is empty, and a model that needs one says so."""
    shared.ingested(PASSAGES, FACTS, embedder)
    with opened(server, embedder) as gear, client_of(gear) as client:
        names = [model["id"] for model in client.get("/v1/models").json()["data"]]
        answered, title, written = (
            client.post("/v1/chat/completions", json=chat_request(text) | {"model": model})
            for text, model in (
                ("Hinton wrote a thesis at Edinburgh?", names[0]),
                (TITLE, names[0]),
                (QUESTION, "gear-ircot"),
            )
        )

    assert ["gear-search"] == names
    message = answered.json()["choices"][0]["message"]
    assert "[1]" in message["content"].partition("Sources:")[0]
    assert message["annotations"]
    assert (200, "") == (title.status_code, title.json()["choices"][0]["message"]["content"])
    assert (502, True) == (written.status_code, "GEAR_CHAT_MODEL" in written.json()["error"]["message"])


def test_an_answer_has_its_sources_as_text_and_as_annotations(client, address):
    """Each points at its passage; the tokens are those of the run."""
    completion = client.chat.completions.create(**chat_request(temperature=0.2, n=1))
    message = completion.choices[0].message
    answer, _, footer = message.content.partition("\n\nSources:\n")
    (cited,) = [annotation.url_citation for annotation in message.annotations]

    assert answer.startswith("Scotland [")
    assert ("assistant", "stop") == (message.role, completion.choices[0].finish_reason)
    assert f"[1] title town ({cited.url})" == re.sub(r"^\[\d+\]", "[1]", footer)
    assert f"{address[0].removesuffix('/v1')}/passages/town" == cited.url
    assert re.fullmatch(r"\[\d+\]", answer[cited.start_index : cited.end_index])
    assert completion.usage.total_tokens == completion.usage.prompt_tokens + completion.usage.completion_tokens > 0


class Uncited(ToyModel):
    """A model that cites nothing."""

    def __init__(self, text):
        super().__init__()
        self.text = text

    def answer(self, asked):
        return f"Answer: {self.text}"


@pytest.mark.parametrize(
    ("text", "footer"),
    [
        ("Scotland.", ': "Edinburgh lies in Scotland." (not cited by the model)'),
        ("Norway.", "No passage read supports this answer."),
    ],
)
def test_an_answer_without_citations_says_what_supports_it(shared, embedder, server, text, footer):
    """The sentence that does, as a source; or that none does."""
    shared.ingested(PASSAGES, FACTS, embedder)
    with scripted_gear(server, embedder, script=Uncited(text)) as (gear, _), client_of(gear) as client:
        content = client.post("/v1/chat/completions", json=chat_request()).json()["choices"][0]["message"]["content"]

    assert content.startswith(f"{text}\n\nSources:\n")
    assert footer in content


def test_a_stream_adds_up_to_the_answer(client):
    """Text, annotations, the finish reason, and the usage on request."""
    whole = client.chat.completions.create(**chat_request())
    chunks = list(client.chat.completions.create(**chat_request(stream=True, stream_options={"include_usage": True})))
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    annotations = [part for delta in deltas for part in (delta.model_extra or {}).get("annotations", [])]

    assert whole.choices[0].message.content == "".join(delta.content or "" for delta in deltas)
    assert [part.model_dump() for part in whole.choices[0].message.annotations] == annotations
    assert ("assistant", "stop") == (deltas[0].role, chunks[-2].choices[0].finish_reason)
    assert whole.usage == chunks[-1].usage
    assert {chunks[0].id} == {chunk.id for chunk in chunks}


def test_a_stream_has_the_steps_before_the_answer(client):
    """As reasoning, which other clients leave out; none if they are not wanted."""
    chunks = list(client.chat.completions.create(**chat_request(stream=True)))
    deltas = [chunk.choices[0].delta for chunk in chunks]
    kinds = ["step" if (delta.model_extra or {}).get("reasoning_content") else "text" for delta in deltas[1:]]
    steps = "".join((delta.model_extra or {}).get("reasoning_content", "") for delta in deltas).splitlines()
    request = chat_request(stream=True, extra_body={"include_reasoning": False})
    silent = list(client.chat.completions.create(**request))

    assert sorted(kinds) == kinds
    assert ["Reading the question.", f"Step 1: {QUESTION}"] == steps[:2]
    assert "Hinton —wrote a thesis at→ Edinburgh" in steps
    assert any(line.startswith("Read: title ") for line in steps)
    assert "Scotland" not in "".join(delta.content or "" for delta in deltas[: kinds.index("text")])
    assert not any((chunk.choices[0].delta.model_extra or {}).get("reasoning_content") for chunk in silent)


def test_a_stream_begins_while_a_follow_up_is_still_being_rewritten(shared, embedder, server):
    """A model can take minutes; an error is then part of the stream."""
    shared.ingested(PASSAGES, FACTS, embedder)
    release = threading.Event()

    def slow(_number, messages):
        if "Last question" in messages[-1]["content"]:
            release.wait(20)

    with scripted_gear(server, embedder, fault=slow) as (gear, _), served(gear) as (url, _):
        body = {"model": "gear-paths", "messages": FOLLOW_UP, "stream": True}
        with httpx.stream("POST", f"{url}/v1/chat/completions", json=body, timeout=30) as response:
            lines = response.iter_lines()
            began = [next(lines) for _ in range(3)]
            release.set()
            rest = "\n".join(lines)

    assert "Reading the question." in began[2]
    assert "Step 1" in rest
    assert "[DONE]" in rest


def test_the_last_message_of_the_user_is_the_question(client):
    """Also in parts; a question with names stands alone."""
    messages = [
        {"role": "system", "content": "Answer in verse."},
        {"role": "user", "content": "Who bakes bread?"},
        {"role": "assistant", "content": "Nobody."},
        {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
    ]

    assert "Scotland" in client.chat.completions.create(model="gear-gear", messages=messages).choices[0].message.content


FOLLOW_UP = [
    {"role": "user", "content": "Who won the physics prize of 2024?"},
    {"role": "assistant", "content": "Hinton [1].\n\nSources:\n[1] title prize (http://127.0.0.1/passages/prize)"},
    {"role": "user", "content": "And in which country did he write his thesis?"},
]
TITLE = "### Task:\nGenerate a concise title.\n### Chat History:\n" + "USER: Who won the prize?\n" * 400


def test_a_follow_up_is_asked_with_the_names_that_it_refers_to(gear, model, client):
    """In one more call, without the footer of the answer before; the answer says what was asked."""
    answer = client.chat.completions.create(model="gear-paths", messages=FOLLOW_UP).choices[0].message.content
    rewriting, answering = (request["messages"] for request in model.requests)

    assert answer.startswith("Scotland [")
    assert "Assistant: Hinton.\nLast question: And in which country did he" in rewriting[1]["content"]
    assert f"Question: {QUESTION}" in answering[1]["content"]

    history = [("Who won the physics prize of 2024?", "Hinton.")]
    second = gear.ask(FOLLOW_UP[-1]["content"], agent="paths", history=history)
    assert (QUESTION, FOLLOW_UP[-1]["content"]) == (second.question, second.asked)
    assert 1 == second.usage["follow_up"].calls
    assert "follow_up" not in gear.ask("Where did Ada Hinton study?", agent="paths", history=history).usage


def test_a_follow_up_that_cannot_be_rewritten_gets_the_names(shared, embedder, server):
    """As without a model; it is still answered."""
    shared.ingested(PASSAGES, FACTS, embedder)
    failing = scripted_gear(server, embedder, fault=lambda number, _messages: Fault.EMPTY if number == 1 else None)
    with failing as (gear, _):
        history = [("Who won the 2024 Nobel Prize?", "Hinton")]
        events = list(gear.stream(FOLLOW_UP[-1]["content"], agent="paths", history=history))

    question = "And in which country did he write his thesis? (2024, Nobel Prize, Hinton)"
    assert question == events[0].text == events[-1].answer.question
    assert FOLLOW_UP[-1]["content"] == events[-1].answer.asked


def test_a_request_of_the_client_itself_costs_one_call(model, client):
    """A title is no question: nothing is searched, and its length does not matter."""
    request = chat_request(TITLE)
    whole = client.chat.completions.create(**request).choices[0].message.content
    chunks = client.chat.completions.create(**request, stream=True)

    assert '{"title": "Physics"}' == whole
    assert whole == "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert [TITLE.strip()] * 2 == [request["messages"][-1]["content"] for request in model.requests]


@pytest.mark.parametrize("fault", [401, Fault.EMPTY])
def test_a_title_that_the_model_fails_to_write_is_empty(shared, embedder, server, fault):
    """An error would be shown to the user, who did not ask for a title."""
    shared.ingested(PASSAGES, FACTS, embedder)
    with scripted_gear(server, embedder, fault=lambda *_: fault) as (gear, _), client_of(gear) as client:
        whole = client.post("/v1/chat/completions", json=chat_request(TITLE))
        stream = client.post("/v1/chat/completions", json=chat_request(TITLE, stream=True))

    assert (200, "") == (whole.status_code, whole.json()["choices"][0]["message"]["content"])
    assert (200, "[DONE]") == (stream.status_code, list(events_in(stream.text))[-1][1])


@pytest.mark.parametrize(
    ("request_", "error", "code"),
    [
        ({"model": "gpt-4o"}, openai.NotFoundError, "NotFound"),
        ({"model": "gear-nosuch"}, openai.NotFoundError, "NotFound"),
        ({"messages": []}, openai.UnprocessableEntityError, "InputError"),
        ({"messages": [{"role": "system", "content": "x"}]}, openai.UnprocessableEntityError, "InputError"),
        ({"messages": [{"role": "user", "content": "x" * 4_001}]}, openai.UnprocessableEntityError, "InputError"),
    ],
)
def test_errors_are_those_that_the_client_knows(client, request_, error, code):
    """Also before a stream."""
    for stream in (False, True):
        with pytest.raises(error) as raised:
            client.chat.completions.create(**{**chat_request(stream=stream), **request_})
        assert code == raised.value.code


def test_a_wrong_key_is_an_authentication_error(address):
    """As everywhere."""
    wrong = openai.OpenAI(base_url=address[0], api_key="wrong", max_retries=0)
    with wrong as client, pytest.raises(openai.AuthenticationError):
        client.models.list()


def test_a_failed_model_is_an_error_and_no_answer(shared, embedder, server):
    """An empty text would look like an answer; in a stream, the client raises the error."""
    shared.ingested(PASSAGES, FACTS, embedder)
    with scripted_gear(server, embedder, fault=lambda _number, _messages: 401) as (gear, _), served(gear) as (url, _):
        client = openai.OpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)
        with client, pytest.raises(openai.InternalServerError) as raised:
            client.chat.completions.create(**chat_request())
        with openai.OpenAI(base_url=f"{url}/v1", api_key="any") as client, pytest.raises(openai.APIError):
            list(client.chat.completions.create(**chat_request(stream=True)))

    assert (502, "ModelError") == (raised.value.status_code, raised.value.code)


def test_an_answer_that_nothing_supports_says_so(shared, embedder, server):
    """An empty message would look like a broken service."""
    shared.ingested(PASSAGES, FACTS, embedder)
    empty = scripted_gear(server, embedder, fault=lambda _number, _messages: Fault.EMPTY)
    with empty as (gear, _), client_of(gear) as client:
        response = client.post("/v1/chat/completions", json=chat_request(model="gear-paths"))

    assert "do not answer this" in response.json()["choices"][0]["message"]["content"]


def test_a_stream_ends_as_openai_says(gear):
    """With its own last line; lines without data are comments."""
    with client_of(gear) as client:
        response = client.post("/v1/chat/completions", json=chat_request(stream=True))

    assert "[DONE]" == list(events_in(response.text))[-1][1]
    assert {"data", ":"} == {line.partition(" ")[0].rstrip(":") or ":" for line in response.text.splitlines() if line}


def test_the_example_of_the_manual_runs(address, capsys):
    """LangChain's client, with the URL and the key of the service."""
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    exec(compile(ast.parse(block), PAGE.name, "exec"), {"url": address[0], "key": address[1]})

    assert "Sources:" in capsys.readouterr().out


def test_langchain_streams(address):
    """In pieces, like any model."""
    chat = ChatOpenAI(model="gear-paths", base_url=address[0], api_key=address[1])
    pieces = [chunk.content for chunk in chat.stream(QUESTION)]

    assert len([piece for piece in pieces if piece]) > 1
    assert "Scotland" in "".join(pieces)
