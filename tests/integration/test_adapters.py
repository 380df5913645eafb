"""The adapters: each framework's own classes answer a question of three hops over them, with a scripted model."""

import asyncio
import json
import re
import threading

import neo4j
import pytest
from haystack import Pipeline
from haystack.components.builders import PromptBuilder
from langchain.agents import create_agent
from langchain_core.tools import create_retriever_tool
from llama_index.core import get_response_synthesizer
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.tools import RetrieverTool
from neo4j_graphrag.generation import GraphRAG
from neo4j_graphrag.retrievers import ToolsRetriever
from neo4j_graphrag.types import RetrieverResultItem

from gear_neo4j import Base, Beam, Gear, Naive
from gear_neo4j.errors import DatabaseError, InputError, SettingsError
from gear_neo4j.integrations import haystack, langchain, llama_index, neo4j_graphrag
from tests.framework_models import Llm, Model, Reader, read
from tests.graphs import Fixed
from tests.toy_model import FACTS, PASSAGES, QUESTION

pytestmark = pytest.mark.one_server_line

RECIPE = Naive(base="bm25", base_k=1, beam=Beam(length=3))


def by_langchain(adapter, question, **options):
    return [(d.id, d.page_content, d.metadata) for d in adapter.invoke(question, **options)]


def by_graphrag(adapter, question, **options):
    renamed = {"top_k": options["k"]} if options else {}
    items = adapter.search(query_text=question, **renamed).items
    return [(i.metadata.pop("id"), i.content.partition("\n")[2], i.metadata) for i in items]


def by_llama_index(adapter, question):
    return [(n.node.node_id, n.node.text, n.node.metadata) for n in adapter.retrieve(question)]


def by_haystack(adapter, question, **options):
    renamed = {"top_k": options["k"]} if options else {}
    return [(d.id, d.content, d.meta) for d in adapter.run(query=question, **renamed)["documents"]]


# Each framework's adapter, and how to read its results: the passage's id, its text, its metadata.
ADAPTERS = {
    "langchain": (langchain.GearRetriever, by_langchain),
    "neo4j-graphrag": (neo4j_graphrag.GearRetriever, by_graphrag),
    "llama-index": (llama_index.GearRetriever, by_llama_index),
    "haystack": (haystack.GearRetriever, by_haystack),
}


@pytest.fixture(params=ADAPTERS)
def peer(request):
    """The class of an adapter, and how to read its results."""
    return ADAPTERS[request.param]


@pytest.fixture
def driver(server):
    """A driver such as a user has."""
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as one:
        yield one


@pytest.fixture
def gear(driver, shared, embedder):
    """Three hops: prize, thesis, town; and a recipe for bread."""
    database = shared.ingested(PASSAGES, FACTS, embedder)
    return Gear(driver, database=database.name, embedder=embedder)


def test_each_gives_what_a_search_gives(peer, gear):
    """The same passages in the same order, with the same ranks, scores, sources, metadata and paths."""
    adapter, results = peer
    hits = gear.search(QUESTION, k=3, retriever=RECIPE)
    found = results(adapter(gear=gear, retriever=RECIPE, k=3), QUESTION)

    assert [(hit.passage.id, hit.passage.text) for hit in hits] == [(id, text) for id, text, _ in found]
    for hit, (id, _, metadata) in zip(hits, found, strict=True):
        paths = metadata.pop("paths")
        assert [str(path) for path in hits.paths if id in path.passage_ids] == [path["text"] for path in paths]
        assert {
            "title": f"title {id}",
            "source": hit.passage.source,
            "position": hit.passage.position,
            "collection": "default",
            "metadata": {},
            "score": hit.score,
            "rank": hit.rank,
            "retriever": "naive over bm25",
            "sources": [{"name": source.name, "rank": source.rank} for source in hit.sources],
            "similarity": hit.similarity,
        } == metadata
        assert paths == json.loads(json.dumps(paths))


def test_options_and_recipes_are_the_same(peer, gear):
    """A name with options, a recipe, and a retriever made by a gear."""
    adapter, results = peer
    first, *others = [
        results(made, QUESTION)
        for made in (
            adapter(gear=gear, retriever="base", base="sbert", k=2),
            adapter(gear=gear, retriever=Base(base="sbert"), k=2),
            adapter(retriever=gear.retriever(Base(base="sbert")), k=2),
        )
    ]

    assert [first, first] == others
    assert 2 == len(first)


@pytest.mark.parametrize("name", ["langchain", "neo4j-graphrag", "haystack"])
def test_a_call_has_a_number_of_its_own(name, gear):
    """Except in LlamaIndex, whose queries have none."""
    adapter, results = ADAPTERS[name]

    assert 1 == len(results(adapter(gear=gear, retriever=RECIPE, k=3), QUESTION, k=1))


def test_a_view_shows_what_its_caller_may_see(peer, gear, tmp_path):
    """Nothing from other collections, either as a passage or in a path."""
    adapter, results = peer
    row = json.dumps({"id": "secret", "title": "", "text": "The 2024 physics prize is a secret.", "metadata": {"n": 1}})
    (tmp_path / "secret.jsonl").write_text(row + "\n")
    gear.ingest([tmp_path / "secret.jsonl"], collection="board")
    whole, view = [results(adapter(gear=one, k=9), QUESTION) for one in (gear, gear.scoped(collections=["default"]))]
    (board,) = results(adapter(gear=gear.scoped(collections=["board"])), QUESTION)

    assert "board/secret" in [id for id, *_ in whole]
    assert "board/secret" not in [id for id, *_ in view]
    assert ("board", {"n": 1}) == (board[2]["collection"], board[2]["metadata"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "nothing to search"),
        ({"retriever": "naiv"}, "there is no retriever 'naiv': did you mean naive?"),
        ({"retriever": 5}, "5 is not a retriever"),
        ({"retriever": "naive", "bse": "bm25"}, "naive has no option 'bse'"),
        ({"retriever": RECIPE, "base": "bm25", "base_k": 3}, "leave out base, base_k"),
    ],
)
def test_a_slip_is_refused_at_once(peer, options, message):
    """The message says what to change."""
    with pytest.raises(SettingsError, match=re.escape(message)):
        peer[0](**options)


def test_our_errors_arrive_as_they_are(peer, gear, driver):
    """An invalid question, and a driver that its owner has closed."""
    adapter, results = peer
    with pytest.raises(InputError, match="k is 0"):
        results(adapter(gear=gear, k=0), QUESTION)
    with pytest.raises(InputError, match="question"):
        results(adapter(gear=gear), " ")
    driver.close()
    with pytest.raises(DatabaseError):
        results(adapter(gear=gear), QUESTION)


# LangChain


def test_an_agent_of_langchain_uses_it_as_a_tool(gear):
    """The example of the docs: the tool's artifact has the documents with their paths."""
    retriever = langchain.GearRetriever(gear=gear, retriever=RECIPE, k=3)
    tool = create_retriever_tool(
        retriever, "search", "Passages that answer a question.", response_format="content_and_artifact"
    )
    messages = create_agent(Reader(), tools=[tool]).invoke({"messages": [("human", QUESTION)]})["messages"]

    assert "Scotland" == messages[-1].text
    assert ["prize", "study", "town"] == [document.id for document in messages[-2].artifact]


def test_a_call_of_langchain_can_filter(gear, tmp_path):
    """By a metadata filter; a retriever object cannot."""
    (tmp_path / "new.jsonl").write_text(json.dumps({"id": "new", "title": "", "text": "prize", "metadata": {"n": 7}}))
    gear.ingest([tmp_path / "new.jsonl"])
    retriever = langchain.GearRetriever(gear=gear, k=3)

    assert ["new"] == [document.id for document in retriever.invoke(QUESTION, where="n >= 5")]
    assert ["new"] == [document.id for document in asyncio.run(retriever.ainvoke(QUESTION, where={"n": 7}))]
    with pytest.raises(SettingsError, match="a retriever object cannot filter"):
        langchain.GearRetriever(retriever=gear.retriever(RECIPE)).invoke(QUESTION, where="n >= 5")


# neo4j-graphrag


@pytest.mark.parametrize("llm", [Model(), Reader()])
def test_their_graphrag_answers_over_it(gear, llm):
    """With one of their models and with LangChain's; the context holds the items with their paths."""
    rag = GraphRAG(retriever=neo4j_graphrag.GearRetriever(gear, retriever=RECIPE), llm=llm)
    result = rag.search(QUESTION, retriever_config={"top_k": 3}, return_context=True)

    assert "Scotland" == result.answer
    assert {"__retriever": "GearRetriever", "retriever": "naive over bm25", "exact": True} == (
        result.retriever_result.metadata
    )
    assert any(item.metadata["paths"] for item in result.retriever_result.items)


def test_it_is_a_tool_of_theirs(gear, driver):
    """A model sees a question and a number; their ToolsRetriever accepts it along with others."""
    tool = neo4j_graphrag.GearRetriever(gear, retriever=RECIPE, k=3).convert_to_tool("search", "Passages.")
    schema = tool.get_parameters()
    result = ToolsRetriever(driver, Model(), [tool]).search(query_text=QUESTION)
    rag = GraphRAG(retriever=ToolsRetriever(driver, Model(), [tool]), llm=Model())

    assert {"query_text": "string", "top_k": "integer"} == {
        name: property["type"] for name, property in schema["properties"].items()
    }
    assert ["query_text"] == schema["required"]
    assert 3 == len(result.items)
    assert "Scotland" == rag.search(QUESTION, return_context=False).answer


def test_an_item_can_be_made_by_the_caller(gear):
    """From the content of a record."""

    def formatted(record):
        return RetrieverResultItem(content=record["metadata"]["id"].upper())

    adapter = neo4j_graphrag.GearRetriever(gear, retriever=RECIPE, k=1, result_formatter=formatted)

    assert ["PRIZE"] == [item.content for item in adapter.search(query_text=QUESTION).items]


def test_the_driver_stays_as_it_is(gear, driver):
    """Their constructor would change the user agent of the caller's driver."""
    before = driver._pool.pool_config.user_agent
    neo4j_graphrag.GearRetriever(gear).search(query_text=QUESTION)

    assert before == driver._pool.pool_config.user_agent


# LlamaIndex


def test_a_query_engine_answers_over_it(gear):
    """Sync and async; the model reads a node's title and source, but no paths."""
    adapter = llama_index.GearRetriever(gear, retriever=RECIPE, k=3)
    engine = RetrieverQueryEngine(adapter, response_synthesizer=get_response_synthesizer(llm=Llm()))
    response = engine.query(QUESTION)
    later = asyncio.run(engine.aquery(QUESTION))
    content = response.source_nodes[0].get_content("llm")

    assert ["Scotland", "Scotland"] == [str(response), str(later)]
    assert "title: title prize\nsource: shared0/corpus.jsonl\n\nThe 2024 physics prize went to Hinton." == content


def test_it_is_a_tool_of_llama_index(gear):
    """Its content is for the model; its raw output is the nodes."""
    tool = RetrieverTool.from_defaults(llama_index.GearRetriever(gear, retriever=RECIPE, k=3))
    output = tool.call(QUESTION)
    later = asyncio.run(tool.acall(QUESTION))

    assert "Scotland" == read(output.content) == read(later.content)
    assert ["prize", "study", "town"] == [found.node.node_id for found in output.raw_output]


# Haystack


def test_a_pipeline_of_haystack_answers_over_it(gear):
    """Sync and async, followed by a prompt builder."""
    pipeline = Pipeline()
    pipeline.add_component("retriever", haystack.GearRetriever(gear, retriever=RECIPE, k=3))
    pipeline.add_component("prompt", PromptBuilder("{% for d in documents %}{{ d.content }}\n{% endfor %}"))
    pipeline.connect("retriever.documents", "prompt.documents")
    question = {"retriever": {"query": QUESTION}}

    assert "Scotland" == read(pipeline.run(question)["prompt"]["prompt"])
    assert "Scotland" == read(asyncio.run(pipeline.run_async(question))["prompt"]["prompt"])
    with pytest.raises(SettingsError, match="cannot be saved"):
        pipeline.dumps()


# All asynchronous adapters


class Stalled:
    """An embedding model that only answers after another task has run."""

    name = "fake"
    dimension = 384

    def __init__(self, embedder):
        self.embedder = embedder
        self.asked = threading.Event()
        self.released = threading.Event()

    def embed(self, texts):
        self.asked.set()
        assert self.released.wait(timeout=30), "nobody else went on"
        return self.embedder.embed(texts)


@pytest.mark.parametrize(
    ("adapter", "search"),
    [
        (langchain.GearRetriever, lambda adapter: adapter.ainvoke(QUESTION)),
        (llama_index.GearRetriever, lambda adapter: adapter.aretrieve(QUESTION)),
        (haystack.GearRetriever, lambda adapter: adapter.run_async(query=QUESTION)),
    ],
)
@pytest.mark.asyncio
async def test_the_event_loop_goes_on_meanwhile(adapter, search, gear, driver, embedder):
    """The search waits for something that only the loop can do."""
    stalled = Stalled(embedder)
    under_way = asyncio.create_task(
        search(adapter(gear=Gear(driver, database=gear.graph.name, embedder=stalled), retriever="base", base="sbert"))
    )
    while not stalled.asked.is_set():
        await asyncio.sleep(0.01)
    assert not under_way.done()
    stalled.released.set()

    assert len(await under_way)


def test_any_retriever_can_stand_behind_each(peer, gear):
    """Even one that knows neither Gear nor Neo4j; then a gear would be unused, and is refused."""
    adapter, results = peer
    ((id, text, metadata),) = results(adapter(retriever=Fixed()), "who?")

    assert ("p", "Text", "line 12") == (id, text, metadata["position"])
    with pytest.raises(SettingsError, match="leave out gear"):
        adapter(gear=gear, retriever=Fixed())
