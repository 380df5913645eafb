"""The spans of searches and answers: their tree, their content, and what they never contain."""

import json
import logging
from functools import partial

import anyio
import pytest
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode

from gear_neo4j import AsyncGear, Base, Beam, GearAgent, Planner, SyncGE
from gear_neo4j.errors import InputError
from gear_neo4j.integrations.langchain import GearRetriever
from gear_neo4j.models.chat import Chat
from gear_neo4j.tracing import CONTENT
from gear_neo4j.web.app import Mount
from tests import loops
from tests.graphs import opened
from tests.mcp_client import call, server_over
from tests.scripted_server import ScriptedServer
from tests.spans import kind_of
from tests.toy_model import PASSAGES, QUESTION, ToyModel
from tests.web import client_of, scripted_gear

pytestmark = pytest.mark.one_server_line

# One passage per step and no walk, so that the agent has to continue.
SHORT = GearAgent(over=SyncGE(base="bm25", beam=Beam(length=1)), step_k=1)
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
SENT = (QUESTION, *PASSAGES.values(), "Scotland [")
TRACER = trace.get_tracer("test")


@pytest.fixture
def gear(corpus, server, embedder):
    """A Gear over them, with a scripted model."""
    with scripted_gear(server, embedder) as (gear, _):
        yield gear


def names(spans):
    return [span.name for span in spans]


def test_a_search_is_one_span_with_its_queries(gear, spans, caplog):
    """By both conventions; each query in the log is a span, named after its file."""
    caplog.set_level(logging.DEBUG, "gear_neo4j.queries")
    caplog.clear()
    hits = gear.search(QUESTION, k=3, retriever="naive")
    (search,) = spans.children(None)
    name = gear.graph.name

    assert (f"retrieval {name}", SpanKind.CLIENT, StatusCode.UNSET) == (
        search.name,
        search.kind,
        search.status.status_code,
    )
    documents = {
        f"retrieval.documents.{index}.document.{field}": value
        for index, hit in enumerate(hits)
        for field, value in (("id", hit.passage.id), ("score", hit.score))
    }
    expected = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": name,
        "gen_ai.retrieval.top_k": 3,
        "openinference.span.kind": "RETRIEVER",
        "gear.retriever": hits.retriever,
        **documents,
    }
    assert expected == dict(search.attributes)
    queries = spans.children(search)
    logged = [record for record in caplog.records if record.name == "gear_neo4j.queries"]
    assert sorted(record.query for record in logged if record.query != "probe") == sorted(names(queries))
    for query in queries:
        assert {"QUERY"} == {kind_of(query)}
        assert {
            "db.system.name": "neo4j",
            "db.namespace": name,
            "db.query.summary": query.name,
            "db.response.returned_rows": query.attributes["db.response.returned_rows"],
        } == dict(query.attributes)


def test_an_answer_is_a_tree_of_steps_searches_calls_and_queries(corpus, server, embedder, spans):
    """The steps of the trace, each with its search and its calls; the tokens equal the answer's."""
    with scripted_gear(server, embedder) as (gear, model):
        answer = gear.ask(QUESTION, k=4, agent=SHORT)
        requests = len(model.requests)
    agents = [span for span in spans.children(None) if kind_of(span) != "QUERY"]
    steps = [span for span in spans.children(agents[0]) if kind_of(span) == "CHAIN"]
    calls = spans.kind("LLM")

    assert ["invoke_agent gear"] == names(agents)
    assert "answerable" == agents[0].attributes["gear.stop_reason"]
    assert [f"step {step.number}" for step in answer.trace.steps] == names(steps)
    parts = [[span.name for span in spans.children(step) if kind_of(span) != "QUERY"] for step in steps]
    search, chat = f"retrieval {gear.graph.name}", "chat toy"
    assert [[search, chat, chat]] * 3 == parts
    # The reader is a part of the search.
    assert [search] * 3 == [span.name for call in calls for span in spans.all if within(call, span, search)]
    assert requests == len(calls)
    assert answer.total.input_tokens == sum(call.attributes["gen_ai.usage.input_tokens"] for call in calls)
    assert answer.total.output_tokens == sum(call.attributes["llm.token_count.completion"] for call in calls)
    assert len(spans.inside(agents[0])) >= len(spans.all) - len(spans.children(None))


def within(span, other, name):
    return other.name == name and span.parent and span.parent.span_id == other.context.span_id


PLANNED = {
    "plan": lambda case: (
        {"steps": []}
        if "- step 1," in case
        else {"steps": [{"id": str(n), "question": f"Where is town {n}?", "tool": "base"} for n in (1, 2)]}
    ),
    "answer": "Answer: In Scotland [1].",
    "statements": {"statements": ["It is in Scotland."]},
    "support": {"verdicts": [{"number": 1, "verdict": "yes"}]},
}


def test_calls_in_other_threads_have_their_tool_as_parent(corpus, server, embedder, spans):
    """The steps of a plan run concurrently, each with its search and its call."""
    with loops.asked(server, embedder, loops.Script(**PLANNED)) as gear:
        gear.ask(QUESTION, agent=Planner(tools=("base",)))
    tools = spans.kind("TOOL")

    assert ["execute_tool base"] * 2 == names(tools)
    for tool in tools:
        assert ["RETRIEVER", "LLM"] == [kind_of(span) for span in spans.children(tool)]


def test_streams_and_coroutines_stay_within_the_span_of_their_caller(gear, spans):
    """The run has its own thread."""

    async def search():
        return await AsyncGear(gear).search(QUESTION, retriever="naive")

    with TRACER.start_as_current_span("caller"):
        list(gear.stream(QUESTION, agent=SHORT))
        anyio.run(search)
        GearRetriever(gear=gear, retriever="naive").invoke(QUESTION)
        gear.paths("Hinton and Edinburgh")
    (caller,) = [span for span in spans.children(None) if span.name == "caller"]
    found = [span.name for span in spans.children(caller) if kind_of(span) != "QUERY"]

    assert ["invoke_agent gear", *[f"retrieval {gear.graph.name}"] * 2, "paths"] == found


def test_a_stream_of_rows_does_not_make_its_reader_a_part_of_it(gear, spans):
    """Work of the reader between two rows does not belong to the query."""
    with TRACER.start_as_current_span("caller") as caller:
        for _ in gear.graph.store.all_passages():
            assert trace.get_current_span() is caller

    assert ["all_passages"] == names(spans.kind("QUERY"))


@pytest.mark.parametrize("wanted", [None, "", "false", "1", "TRUE"])
def test_texts_are_in_spans_only_where_they_are_wanted(gear, spans, monkeypatch, wanted):
    """The question, the passages, the prompts and the replies."""
    monkeypatch.delenv(CONTENT, raising=False)
    if wanted is not None:
        monkeypatch.setenv(CONTENT, wanted)
    gear.ask(QUESTION, k=4, agent=SHORT)
    gear.search(QUESTION, k=4, retriever="naive")
    gear.paths(QUESTION)
    shown = [text for text in SENT if text in spans.text]

    assert (list(SENT) if wanted == "TRUE" else []) == shown


def test_texts_have_their_attributes(gear, spans, monkeypatch):
    """In both conventions."""
    monkeypatch.setenv(CONTENT, "true")
    answer = gear.ask(QUESTION, k=4, agent=SHORT)
    (agent,), search, call = spans.kind("AGENT"), spans.kind("RETRIEVER")[0], spans.kind("LLM")[-1]

    assert (QUESTION, answer.text) == (agent.attributes["input.value"], agent.attributes["output.value"])
    assert QUESTION == search.attributes["gen_ai.retrieval.query.text"]
    assert search.attributes["retrieval.documents.0.document.content"]
    listed = json.loads(search.attributes["gen_ai.retrieval.documents"])
    assert search.attributes["retrieval.documents.0.document.id"] == listed[0]["id"]
    (sent,) = json.loads(call.attributes["gen_ai.input.messages"])
    assert sent["parts"][0]["content"] == call.attributes["llm.input_messages.1.message.content"]
    (reply,) = json.loads(call.attributes["gen_ai.output.messages"])
    assert reply["parts"][0]["content"] == call.attributes["llm.output_messages.0.message.content"]


@pytest.mark.parametrize("content", ["false", "true"])
def test_a_failed_call_marks_its_span_without_the_message_unless_texts_are_wanted(
    corpus, server, embedder, spans, monkeypatch, content
):
    """And the span of the answer that it ended."""
    monkeypatch.setenv(CONTENT, content)
    with loops.asked(server, embedder, ToyModel(), fault=lambda _number, _messages: 401) as gear:
        answer = gear.ask(QUESTION, agent=SHORT)
    (call,), (agent,) = spans.kind("LLM"), spans.kind("AGENT")

    for span in (call, agent):
        assert (StatusCode.ERROR, "ModelError") == (span.status.status_code, span.attributes["error.type"])
        assert content == str(bool(span.status.description)).lower()
        assert () == span.events
    assert (answer.failure if content == "true" else None) == agent.status.description


def test_a_search_that_cannot_be_done_is_marked_and_raises_as_before(gear, spans):
    """A step that has begun ends with the run."""
    with pytest.raises(InputError):
        gear.search(" ", retriever=Base(base="sbert"))
    with pytest.raises(InputError):
        gear.ask(" ")
    failed = [span for span in spans.all if span.status.status_code == StatusCode.ERROR]

    assert ["InputError"] * 2 == [span.attributes["error.type"] for span in failed]


def test_a_run_that_raises_ends_its_step(gear, spans):
    """A caller's listener may raise at any time."""

    def stumble(event):
        if event.kind == "verdict":
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        gear.ask(QUESTION, agent=SHORT, on_event=stumble)

    assert ["step 1"] == names(spans.kind("CHAIN"))
    assert trace.get_current_span() is trace.INVALID_SPAN


def test_a_reply_from_the_cache_says_so(corpus, server, embedder, spans, tmp_path):
    """It costs no tokens."""
    from langchain_openai import ChatOpenAI

    with ScriptedServer(ToyModel()) as model:
        client = ChatOpenAI(model="toy", api_key="none", base_url=model.url, max_retries=0, timeout=5)
        for _ in range(2):
            with opened(server, embedder, chat=Chat(client, cache=tmp_path / "replies.sqlite")) as gear:
                gear.search(QUESTION, retriever=SyncGE(base="bm25"))
    first, second = spans.kind("LLM")

    assert (0, 1) == (first.attributes["gear.usage.cached"], second.attributes["gear.usage.cached"])
    assert (True, 0) == (first.attributes["llm.token_count.total"] > 0, second.attributes["llm.token_count.total"])


# Over HTTP and MCP


@pytest.mark.parametrize("route", ["search", "ask", "stream"])
def test_the_service_goes_on_with_the_trace_of_its_caller(gear, spans, route):
    """The route is a span within the caller's; the search or the answer is within the route."""
    body = {"question": QUESTION} | ({"stream": True} if route == "stream" else {})
    path = "/api/search" if route == "search" else "/api/ask"
    with client_of(gear) as client:
        assert 200 == client.post(path, json=body, headers=TRACEPARENT).status_code
    (request,) = [span for span in spans.all if span.kind == SpanKind.SERVER]
    own = [span for span in spans.inside(request) if kind_of(span) in ("AGENT", "RETRIEVER", "LLM")]

    assert (f"POST {path}", int(PARENT, 16), int(TRACE, 16)) == (
        request.name,
        request.parent.span_id,
        request.context.trace_id,
    )
    kinds = {"RETRIEVER"} if route == "search" else {"AGENT", "RETRIEVER", "LLM"}
    assert kinds == {kind_of(span) for span in own}
    assert QUESTION not in spans.text


def test_probes_make_no_spans(gear, spans):
    """There would be more of them than of anything else."""
    with client_of(gear) as client:
        for path in ("/healthz", "/readyz", "/metrics"):
            assert 200 == client.get(path, headers=TRACEPARENT).status_code

    assert [] == [span for span in spans.all if span.kind == SpanKind.SERVER]


def test_a_call_over_mcp_is_within_the_call_of_its_tool(gear, spans):
    """And the tool is within the client's span."""
    with TRACER.start_as_current_span("host"):
        call(server_over(gear), "search", query=QUESTION)
    (tool,) = [span for span in spans.all if span.name == "tools/call search" and span.kind == SpanKind.SERVER]
    (host,) = [span for span in spans.all if span.name == "host"]

    assert [f"retrieval {gear.graph.name}"] == [span.name for span in spans.inside(tool) if kind_of(span) != "QUERY"]
    assert tool in spans.inside(host)


def test_mcp_over_http_is_in_the_trace_of_its_caller(gear, spans):
    """The mounted server runs in separate tasks."""
    from gear_neo4j.mcp.http import mounted

    part = mounted(server_over(gear))
    headers = {**TRACEPARENT, "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    request = {"name": "search", "arguments": {"query": QUESTION}}
    post = partial(dict, json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": request}, headers=headers)
    with client_of(gear, mounts={"/mcp": Mount(part.app, part.lifespan)}) as client:
        response = client.post("/mcp", **post())
    # The service's warm-up is a search, too.
    searches = [span for span in spans.kind("RETRIEVER") if span.context.trace_id == int(TRACE, 16)]

    assert 200 == response.status_code, response.text
    assert 1 == len(searches)
