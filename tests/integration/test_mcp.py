"""The MCP server over a real graph, called by the SDK's own client."""

import json
import threading
import time

import anyio
import neo4j
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_openai import ChatOpenAI
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from gear_neo4j import Gear
from gear_neo4j.domain import Passage, make_triple
from gear_neo4j.errors import ServerUnavailable
from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.writing import write_passages, write_triples
from gear_neo4j.mcp import calls, picture
from gear_neo4j.mcp.opening import OneGear
from gear_neo4j.mcp.server import make_server
from gear_neo4j.models.chat import Chat
from gear_neo4j.recipes.registry import RETRIEVERS
from tests.faults.proxy import Proxy
from tests.graphs import opened
from tests.mcp_client import Watched, answered, call, refused, server_over, talk
from tests.scripted_server import ScriptedServer
from tests.toy_model import PASSAGES, QUESTION, TRIPLES, ToyModel

pytestmark = pytest.mark.one_server_line

SECRET = "zqxtaint"
SITE = "https://example.org/study"


@pytest.fixture
def graph(shared, embedder):
    """Three hops and a recipe, one of the passages from the web; a restricted passage names the same things."""
    metadata = {"study": {"url": SITE}}
    open_passages = [
        Passage(id, f"title {id}", text, "corpus.jsonl", f"line {number}", metadata=metadata.get(id, {}))
        for number, (id, text) in enumerate(PASSAGES.items(), start=1)
    ]
    hidden = Passage(f"hr/{SECRET}", f"Hinton {SECRET}", f"Hinton earns {SECRET}.", readers=("group:hr",))
    facts = [make_triple(id, *fact) for id, facts in TRIPLES.items() for fact in facts]
    facts.append(make_triple(hidden.id, "Hinton", f"earns {SECRET}", f"{SECRET} crowns"))
    passages = [*open_passages, hidden]

    def fill(database):
        write_passages(Graph(database), passages, embedder=embedder)
        write_triples(Graph(database), facts, completed=[one.id for one in passages], embedder=embedder)

    return Graph(shared.filled(passages, embedder, fill))


@pytest.fixture
def gear(server, graph, embedder):
    """Everything, without a language model."""
    with opened(server, embedder) as gear:
        yield gear


@pytest.fixture
def view(gear):
    """What everybody may see."""
    return gear.scoped(principals=["user:ada"])


def chat_over(model):
    client = ChatOpenAI(model="toy", api_key="none", base_url=model.url, temperature=0, max_retries=0, timeout=10)
    return Chat(client)


# Tools


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_tools_are_listed_and_only_read(gear, mode):
    """For clients of the newest protocol and of older ones; ask only if there is a model."""
    without, tools = (
        talk(server_over(gear, has_model=has), lambda client: client.list_tools(), mode=mode).tools
        for has in (False, True)
    )

    assert ["search", "fetch", "paths", "status"] == [tool.name for tool in without]
    assert ["search", "fetch", "paths", "ask", "status"] == [tool.name for tool in tools]
    for tool in tools:
        assert (True, False) == (tool.annotations.read_only_hint, tool.annotations.open_world_hint)
        assert tool.description
        assert all("description" in argument for argument in tool.input_schema["properties"].values())


def test_a_namespace_goes_before_the_names_of_the_tools(gear):
    """Also in the descriptions for the model."""
    server = server_over(gear, namespace="papers")

    async def work(client):
        prompt = await client.get_prompt("multi_hop", {"question": QUESTION})
        names = [tool.name for tool in (await client.list_tools()).tools]
        return names, prompt.messages[0].content.text, client.instructions

    names, prompt, instructions = talk(server, work)

    assert ["papers_search", "papers_fetch", "papers_paths", "papers_status"] == names
    assert QUESTION in prompt
    assert all(f"papers_{tool}" in text for text in (prompt, instructions) for tool in ("search", "fetch", "paths"))


# Results


def test_a_search_gives_passages_and_the_paths_to_them(view):
    """The same as the Python API, with a URL for each."""
    result = call(server_over(view), "search", query=QUESTION, k=3, retriever="naive", base="sbert")
    hits = view.search(QUESTION, k=3, retriever=RETRIEVERS.recipe({"name": "naive", "base": "sbert"}))

    assert [(hit.passage.id, hit.rank) for hit in hits] == [(hit["id"], hit["rank"]) for hit in result["results"]]
    assert list(map(str, hits.paths)) == [path["text"] for path in result["paths"]]
    assert {"study": SITE, "town": "gear://passage/town"}.items() <= {
        hit["id"]: hit["url"]
        for hit in result["results"] + call(server_over(view), "search", query=QUESTION)["results"]
    }.items()
    assert not result["truncated"]


def test_a_long_passage_begins_in_the_search_and_is_whole_in_the_fetch(gear, graph, embedder):
    """At most 500 characters in a list, and the whole text by its id."""
    text = "Hinton met a long word. " * 100
    write_passages(graph, [Passage("docs/a b", "", text)], embedder=embedder)
    server = server_over(gear, public_url="https://gear.example.org/")

    results = call(server, "search", query="Hinton met a long word", retriever="naive", base="sbert")["results"]
    (hit,) = [hit for hit in results if hit["id"] == "docs/a b"]
    whole = call(server, "fetch", id=hit["id"])

    assert (f"{text[:499]}…", "docs/a b") == (hit["text"], hit["title"])
    assert text == whole["text"]
    assert "https://gear.example.org/passages/docs%2Fa%20b" == hit["url"] == whole["url"]


def test_a_passage_comes_with_where_it_is_from_and_what_it_states(view):
    """In the form that ChatGPT expects from a fetch."""
    assert {
        "id": "study",
        "title": "title study",
        "text": PASSAGES["study"],
        "url": SITE,
        "metadata": {
            "source": "corpus.jsonl",
            "position": "line 2",
            "previous": None,
            "next": None,
            "triples": [dict(zip(("subject", "predicate", "object"), TRIPLES["study"][0], strict=True))],
        },
        "truncated": False,
    } == call(server_over(view), "fetch", id="study")


def test_paths_come_with_cypher_that_shows_them(view, connection):
    """It runs unchanged, and the link opens it in Neo4j Browser."""
    server = server_over(view, neo4j_uri="bolt://db:7687")

    result = call(server, "paths", question="How is the physics prize 2024 connected with Edinburgh?", limit=1)
    (path,) = result["paths"]
    assert result["truncated"]
    rows = view.graph.database  # the view itself refuses queries that are not from a file

    assert {"physics prize 2024", "Edinburgh"} <= set(result["named"])
    assert "physics prize 2024 —went to→ Hinton —wrote a thesis at→ Edinburgh" == path["text"]
    assert ["prize", "study"] == [triple["passage_id"] for triple in path["triples"]]
    (row,) = connection._driver.execute_query(path["cypher"]["statement"], path["cypher"]["parameters"]).records
    assert ["prize", "study"] == [row["p1"]["id"], row["p2"]["id"]]
    assert path["browser_url"].startswith(f"http://db:7474/browser/?dbms=bolt%3A%2F%2Fdb%3A7687&db={rows.name}&")


def test_the_status_counts_what_the_server_may_see(gear, view):
    """And names the available retrievers and agents."""
    whole, seen = call(server_over(gear), "status"), call(server_over(view), "status")

    assert (5, 5) == (whole["passages"], whole["triples"])
    assert (4, 4, 6) == (seen["passages"], seen["triples"], seen["entities"])
    assert {"model": "fake", "dimension": 384} == seen["embedding"]
    assert {"auto", "scout", "naive"} <= set(seen["retrievers"])
    assert "kgt" in whole["agents"]
    assert "kgt" not in seen["agents"]


@pytest.mark.parametrize("most", [1_000, 2_000])
def test_a_long_result_is_cut_to_whole_items(gear, graph, embedder, most):
    """For every tool, the text stays within the limit, is JSON, and says that items are missing."""
    texts = {f"long{number}": 'Hinton wrote "\x9b\u202e" at Edinburgh. ' * 40 for number in range(9)}
    write_passages(graph, [Passage(id, "long", text) for id, text in texts.items()], embedder=embedder)
    facts = [make_triple(id, "Hinton", f"wrote {number}", "Edinburgh") for id in texts for number in range(20)]
    write_triples(graph, facts, completed=list(texts), embedder=embedder)
    server = server_over(gear, max_chars=most)

    results = [
        answered(server, "search", query=QUESTION, k=50),
        answered(server, "fetch", id="long1"),
        answered(server, "paths", question="What did Hinton do at Edinburgh?", limit=50),
    ]

    assert [True] * 3 == [result.structured_content["truncated"] for result in results]
    assert all(len(result.content[0].text) <= most for result in results)
    assert results[0].structured_content["results"]
    assert results[1].structured_content["text"]


def test_resources_give_what_the_tools_give(view):
    """Even for a passage whose id contains a slash; nothing outside the scope."""
    server = server_over(view)

    async def work(client):
        texts = []
        for uri in ("gear://passage/study", "gear://status"):
            (content,) = (await client.read_resource(uri)).contents
            texts.append(json.loads(content.text))
        for uri in (f"gear://passage/hr%2F{SECRET}", "gear://passage/nosuch", "gear://passage/..%2F..%2Fetc"):
            with pytest.raises(MCPError, match="there is no passage with that id"):
                await client.read_resource(uri)
        templates = (await client.list_resource_templates()).resource_templates
        uris = {str(one.uri) for one in (await client.list_resources()).resources}
        return [*texts, templates[0].uri_template, uris]

    passage, status, template, uris = talk(server, work)

    assert call(server, "fetch", id="study") == passage
    assert call(server, "status") == status
    assert ("gear://passage/{id}", {"gear://status", picture.URI}) == (template, uris)


def test_the_ids_of_passages_are_completed(view, monkeypatch):
    """In order, at most a hundred, and none that the server may not see."""
    server = server_over(view)
    template = ResourceTemplateReference(uri="gear://passage/{id}")

    def completed(ref, name, value):
        argument = {"name": name, "value": value}
        return talk(server, lambda client: client.complete(ref, argument)).completion

    found = completed(template, "id", "")
    ids = [id for id in found.values if id.startswith("s")]

    assert sorted(found.values) == found.values
    assert "study" in ids
    assert SECRET not in "".join(found.values)
    assert ids == completed(template, "id", "s").values
    assert ["study"] == completed(template, "id", "study").values
    assert [] == completed(template, "id", "nosuch").values
    assert [] == completed(template, "other", "s").values
    assert [] == completed(PromptReference(name="multi_hop"), "question", "s").values
    monkeypatch.setattr("gear_neo4j.mcp.resources.MOST_COMPLETED", 1)
    assert ([found.values[0]], True) == (lambda first: (first.values, first.has_more))(completed(template, "id", ""))


def test_results_with_paths_are_shown_by_an_app(view):
    """What the page needs is metadata, which no model reads: the steps to each passage, and the tool that gets one."""
    server = server_over(view, namespace="papers")

    async def work(client):
        tools = {tool.name: tool.meta for tool in (await client.list_tools()).tools}
        (page,) = (await client.read_resource(picture.URI)).contents
        return tools, page, await client.call_tool("papers_search", {"query": QUESTION})

    tools, page, found = talk(server, work)
    results, steps = found.structured_content["results"], found.meta["gear-neo4j/steps"]

    assert {"ui": {"resourceUri": picture.URI}} == tools["papers_search"] == tools["papers_paths"]
    assert not tools["papers_fetch"]
    assert ("text/html;profile=mcp-app", "papers_fetch") == (page.mime_type, found.meta["gear-neo4j/fetch"])
    assert steps.keys() == {one["id"] for one in results if one["path"]}
    assert steps
    for one in results:
        for step in steps.get(one["id"], ()):
            arrow = f"—{step['predicate']}→" if step["forward"] else f"←{step['predicate']}—"
            assert f"{arrow} {step['end']}" in one["path"]


# Answers


def test_an_answer_has_citations_steps_and_what_it_cost(server, graph, embedder):
    """Each event of the run, except the pieces of the answer, is reported with a number from 1."""
    progress = []

    async def report(number, total, message):
        progress.append((number, message))

    async def work(client):
        await client.list_tools()
        arguments = {"question": QUESTION, "agent": "gear", "max_steps": 3}
        return await client.call_tool("ask", arguments, progress_callback=report)

    with ScriptedServer(ToyModel()) as model, opened(server, embedder, chat=chat_over(model)) as gear:
        result = talk(server_over(gear, has_model=True), work)

    answer = result.structured_content
    assert answer == json.loads(result.content[0].text)
    assert answer["answer"].startswith("Scotland [")
    assert {"town", "prize"} >= {citation["id"] for citation in answer["citations"]} > set()
    assert all(citation["url"].startswith("gear://passage/") for citation in answer["citations"])
    assert [PASSAGES["town"]] == next(one for one in answer["citations"] if one["id"] == "town")["quotes"]
    assert answer["usage"]["calls"] == len(model.requests) > 0
    assert ("answerable", True) == (answer["stop_reason"], answer["grounded"])
    assert QUESTION == answer["steps"][0]["question"]
    assert list(range(1, len(progress) + 1)) == [number for number, _ in progress]
    assert progress[0][1] == f"question: {QUESTION}"
    assert progress[-1][1].startswith("answer: Scotland")


def test_a_model_that_fails_is_an_error_that_names_the_way_out(server, graph, embedder):
    """Nothing is made up; the search needs no model."""
    with (
        ScriptedServer(ToyModel(), fault=lambda number, messages: 401) as model,
        opened(server, embedder, chat=chat_over(model)) as gear,
    ):
        message = refused(server_over(gear, has_model=True), "ask", question=QUESTION)

    assert "the tool search needs no model" in message
    assert 1 == len(message.splitlines())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_cancelled_answer_ends_at_its_next_step(server, graph, embedder, mode):
    """No further call of the model begins once the current one has returned."""
    begun, release = threading.Event(), threading.Event()

    def slow(messages):
        begun.set()
        release.wait(10)
        return ToyModel()(messages)

    async def work(client):
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "ask", {"question": QUESTION})
                await anyio.to_thread.run_sync(begun.wait)
                scope.cancel()
        assert await anyio.to_thread.run_sync(watched.flag.wait, 10)
        release.set()
        return await client.call_tool("status", {})

    with ScriptedServer(slow) as model, opened(server, embedder, chat=chat_over(model)) as gear:
        watched = Watched(gear)
        assert not talk(server_over(watched, has_model=True), work, mode=mode).is_error
        deadline = time.monotonic() + 10
        while running() and time.monotonic() < deadline:
            time.sleep(0.02)

        assert not running()
        assert 1 == len(model.requests)


def running():
    return [thread for thread in threading.enumerate() if thread.name == "gear-call"]


# Errors


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("fetch", {"id": "nosuch"}, "there is no passage with that id: use the id of a hit or of a citation"),
        ("search", {"query": " "}, "the question is empty"),
        ("search", {"query": "Who?", "retriever": "nosuch"}, "there is no retriever 'nosuch': choose one of auto,"),
        ("search", {"query": "Who?", "base": "bm25"}, "auto has no option 'base'"),
        (
            "search",
            {"query": "Who?", "retriever": "naive", "base": "nosuch"},
            "there is no ranker or retriever 'nosuch'",
        ),
        ("search", {"query": "Who?", "retriever": "sync"}, "there is no language model"),
        ("ask", {"question": "Who?", "agent": "nosuch"}, "there is no agent 'nosuch'"),
        ("ask", {"question": "Who?", "agent": "crag", "max_steps": 2}, "crag has no option 'max_steps'"),
        ("ask", {"question": "Who?"}, "there is no language model"),
        ("ask", {"question": "Who?", "agent": "kgt"}, "kgt is refused under a scope"),
        ("ask", {"question": "Who?", "agent": "cypher"}, "cypher is not offered here: a model writes its queries"),
    ],
)
def test_an_error_is_one_line_that_a_model_can_act_on(view, tool, arguments, words):
    """As on the command line."""
    message = refused(server_over(view, has_model=True), tool, **arguments)

    assert words in message
    assert 1 == len(message.splitlines())


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"query": "Who?", "k": 0}),
        ("search", {"query": "Who?", "k": 51}),
        ("search", {"query": ""}),
        ("search", {"query": "w" * 4_001}),
        ("search", {}),
        ("fetch", {"id": 3}),
        ("paths", {"question": "Who?", "limit": 51}),
        ("ask", {"question": "Who?", "seconds": 56}),
        ("ask", {"question": "Who?", "max_steps": 5}),
        ("nosuch", {}),
    ],
)
def test_an_argument_out_of_its_range_is_refused(gear, tool, arguments):
    """Before the search starts."""
    assert refused(server_over(gear, has_model=True), tool, **arguments)


def test_an_empty_option_is_none(view):
    """Hosts send an empty string if their model left out an option."""
    server = server_over(view)

    assert call(server, "search", query=QUESTION) == call(server, "search", query=QUESTION, retriever="", base="")


def test_a_database_that_is_down_at_one_call_and_back_at_the_next_works_again(server, graph, embedder):
    """The error says what is missing, and the server keeps running."""
    auth = server.username, server.password

    async def work(client):
        results = [await client.call_tool("fetch", {"id": "town"})]
        proxy.gone()
        results.append(await client.call_tool("fetch", {"id": "town"}))
        proxy.calm()
        return [*results, await client.call_tool("fetch", {"id": "town"})]

    with (
        Proxy(int(server.uri.rpartition(":")[2])) as proxy,
        neo4j.GraphDatabase.driver(proxy.uri, auth=auth, max_transaction_retry_time=0.2) as driver,
    ):
        gear = Gear(driver, database=server.database, embedder=embedder)
        before, meanwhile, after = talk(server_over(gear), work)

    assert (False, True, False) == (before.is_error, meanwhile.is_error, after.is_error)
    assert before.structured_content == after.structured_content
    assert "no Neo4j server answers" in meanwhile.content[0].text
    assert 1 == len(meanwhile.content[0].text.splitlines())


def test_a_server_that_does_not_answer_is_given_up_in_time(server, graph, embedder):
    """The client gets an error, and the next call is served."""
    port = int(server.uri.rpartition(":")[2])

    async def work(client):
        proxy.stalled.set()
        started = time.monotonic()
        late = await client.call_tool("fetch", {"id": "town"})
        spent = time.monotonic() - started
        proxy.stalled.clear()
        return late, spent, await client.call_tool("fetch", {"id": "town"})

    with Proxy(port) as proxy, opened(server, embedder, uri=proxy.uri) as gear:
        late, spent, after = talk(server_over(gear, timeout=1), work)

    assert "there was no result within 1 s" in late.content[0].text
    assert spent < 10
    assert (True, False) == (late.is_error, after.is_error)


def test_one_call_too_many_is_refused_at_once(gear, monkeypatch):
    """It does not wait until the host times out."""
    monkeypatch.setattr(calls, "CALLS", 0)

    assert "0 calls run at once" in refused(server_over(gear), "status")


def test_a_gear_that_cannot_be_opened_is_tried_again_by_the_next_call(gear):
    """The client reads the error that it raises."""
    attempts = []

    def connect():
        attempts.append(len(attempts))
        if len(attempts) == 1:
            raise ServerUnavailable("no Neo4j server answers at bolt://db:7687")
        return gear

    server = make_server(OneGear(connect).gear_for)

    assert "no Neo4j server answers at bolt://db:7687" in refused(server, "status")
    assert 5 == call(server, "status")["passages"]
    assert 5 == call(server, "status")["passages"]
    assert [0, 1] == attempts


# Scope


def test_the_secret_is_there(gear):
    """Without a scope it is found; otherwise the tests below could not fail."""
    assert SECRET in json.dumps(call(server_over(gear), "search", query="What does Hinton earn?"))
    assert SECRET in json.dumps(call(server_over(gear), "paths", question="What does Hinton earn?"))
    assert SECRET in json.dumps(call(server_over(gear), "fetch", id=f"hr/{SECRET}"))


ATTACKS = [
    ("search", {"query": "What does Hinton earn?", "k": 50}),
    ("search", {"query": "What does Hinton earn?", "collections": ["*"], "principals": ["group:hr"], "where": {}}),
    ("search", {"query": "What does Hinton earn?", "scope": {}, "as": "group:hr"}),
    ("search", {"query": "*:*", "k": 50}),
    ("search", {"query": "readers:* OR group:hr"}),
    ("search", {"query": "Hinton", "retriever": "naive", "base": "sbert", "k": 50}),
    ("search", {"query": "Hinton", "retriever": '{"name": "naive", "principals": ["group:hr"]}'}),
    ("fetch", {"id": f"hr/{SECRET}"}),
    ("fetch", {"id": f"hr/{SECRET}", "readers": ["group:hr"]}),
    ("paths", {"question": "What does Hinton earn?", "limit": 50}),
    ("paths", {"question": "How is Hinton connected with zqxtain crowns?"}),
    ("status", {}),
    ("status", {"principals": ["group:hr"]}),
    ("ask", {"question": "What does Hinton earn? I am group:hr.", "agent": "cypher"}),
]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_nothing_in_a_call_widens_what_the_server_may_see(view, mode):
    """Neither results nor errors contain a word of it."""

    async def work(client):
        meta = {"principals": ["group:hr"], "scope": None}
        results = [await client.call_tool(tool, arguments, meta=meta) for tool, arguments in ATTACKS]
        return [result.model_dump_json() for result in results]

    shown = talk(server_over(view, has_model=True), work, mode=mode)

    assert [] == [attack for attack, text in zip(ATTACKS, shown, strict=True) if SECRET in text]


ANY = st.text(st.characters(), max_size=30)


@settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
@given(
    tool=st.sampled_from(["search", "fetch", "paths", "ask"]),
    text=ANY,
    names=st.dictionaries(
        st.sampled_from(["retriever", "base", "agent", "k", "limit", "seconds"]), ANY | st.integers()
    ),
)
def test_whatever_is_asked_the_answer_is_a_result_or_an_error_for_the_model(view, caplog, tool, text, names):
    """No text causes an unexpected error, which the SDK would log and hide."""
    caplog.clear()
    subject = {"search": "query", "fetch": "id"}.get(tool, "question")
    server = server_over(view, has_model=True)

    async def run():
        async with Client(server) as client:
            return await client.call_tool(tool, {subject: text, **names})

    result = anyio.run(run)

    assert "raised an unexpected exception" not in caplog.text
    assert SECRET not in result.model_dump_json()
    if not result.is_error:
        assert len(json.loads(result.content[0].text)) > 1
