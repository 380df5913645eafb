"""LangChain's own test suite for retrievers, and the content of a document, on a real server."""

import asyncio
import json
import re
import sys

import neo4j
import pytest
from langchain_core.runnables import ConfigurableField, RunnablePassthrough
from langchain_tests.integration_tests import RetrieversIntegrationTests
from pydantic import ValidationError

from gear_neo4j import Beam, Gear, Naive
from gear_neo4j.errors import DatabaseError, EmbeddingMismatch, InputError, SettingsError
from gear_neo4j.integrations.langchain import GearRetriever
from tests.graphs import Fixed
from tests.processes import run

pytestmark = pytest.mark.one_server_line

QUESTION = "2024 physics prize"
PASSAGES = {
    "prize": "The 2024 physics prize went to Hinton.",
    "study": "Hinton wrote a thesis at Edinburgh.",
    "other": "A recipe for bread and butter.",
    "town": "Edinburgh lies in Scotland.",
}
TRIPLES = {
    "prize": [["physics prize 2024", "went to", "Hinton"]],
    "study": [["Hinton", "wrote a thesis at", "Edinburgh"]],
    "other": [["bread", "goes with", "butter"]],
    "town": [["Edinburgh", "lies in", "Scotland"]],
}

# The suite relies on pytest-asyncio's auto mode for its asynchronous test; we use the strict mode, with marks.
pytest.mark.asyncio(RetrieversIntegrationTests.test_ainvoke_returns_documents)


def statements(path):
    """Subject, predicate and object of each triple of a path."""
    return [[triple["subject"], triple["predicate"], triple["object"]] for triple in path["triples"]]


@pytest.fixture
def driver(server):
    """A driver that the caller owns."""
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as one:
        yield one


@pytest.fixture
def gear(driver, connection, shared, embedder, tmp_path):
    """Three hops: the question's words match the prize, whose laureate leads to the university and its town."""
    corpus = [{"id": id, "title": f"title {id}", "text": text} for id, text in PASSAGES.items()]
    facts = [{"id": id, "triples": triples} for id, triples in TRIPLES.items()]
    for name, lines in (("corpus.jsonl", corpus), ("triples.jsonl", facts)):
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    gear = Gear(driver, database=connection.name, embedder=embedder)
    files = {"sources": [tmp_path / "corpus.jsonl"], "triples": [tmp_path / "triples.jsonl"]}
    shared.filled(corpus, embedder, lambda _database: gear.ingest(**files))
    return gear


@pytest.fixture
def retriever(gear):
    """From one base passage over paths of three triples."""
    return GearRetriever(gear=gear, retriever="naive", base="bm25", base_k=1, beam=Beam(length=3), k=3)


@pytest.mark.parametrize("name", ["naive", "base"])
class TestStandard(RetrieversIntegrationTests):
    """LangChain's suite for every retriever, with the words of every passage."""

    @pytest.fixture(autouse=True)
    def over(self, gear, name):
        self.params = {"gear": gear, "retriever": name, "base": "sbert"}

    @property
    def retriever_constructor(self):
        return GearRetriever

    @property
    def retriever_constructor_params(self):
        return self.params

    @property
    def retriever_query_example(self):
        return QUESTION


def test_a_document_says_what_the_hit_says(retriever, gear):
    """Text, id, title, source, position, score, rank, and its rank in each list that contains it."""
    hits = gear.search(QUESTION, k=3, retriever=Naive(base="bm25", base_k=1, beam=Beam(length=3)))

    documents = retriever.invoke(QUESTION)

    assert ["prize", "study", "town"] == [document.id for document in documents]
    assert [PASSAGES[document.id] for document in documents] == [document.page_content for document in documents]
    for hit, document in zip(hits, documents, strict=True):
        document.metadata.pop("paths")
        assert {
            "title": f"title {document.id}",
            "source": hit.passage.source,
            "position": hit.passage.position,
            "collection": "default",
            "metadata": {},
            "score": hit.score,
            "rank": hit.rank,
            "retriever": "naive over bm25",
            "sources": [{"name": source.name, "rank": source.rank} for source in hit.sources],
            "similarity": hit.similarity,
        } == document.metadata


def test_a_document_has_only_the_paths_through_its_passage(gear):
    """Best first; here each passage states the only triple of one path."""
    documents = GearRetriever(gear=gear, retriever="naive", base="sbert", beam=Beam(length=1)).invoke(QUESTION)

    assert TRIPLES == {
        document.id: [triple for path in document.metadata["paths"] for triple in statements(path)]
        for document in documents
    }


def test_a_path_of_a_document_names_its_triples(retriever):
    """The walk from the question's words to the passage, in order."""
    *_, town = retriever.invoke(QUESTION)

    (path,) = town.metadata["paths"]

    assert "physics prize 2024 —went to→ Hinton —wrote a thesis at→ Edinburgh —lies in→ Scotland" == path["text"]
    assert [*TRIPLES["prize"], *TRIPLES["study"], *TRIPLES["town"]] == statements(path)


def test_the_cypher_of_a_document_shows_its_path(retriever, driver, connection):
    """Run unchanged on the database, it returns the triples, their entities and their passages."""
    *_, town = retriever.invoke(QUESTION)
    (path,) = town.metadata["paths"]

    shown = driver.execute_query(path["cypher"]["statement"], path["cypher"]["parameters"], database_=connection.name)

    (record,) = shown.records
    nodes = list(record)
    assert {" ".join(triple) for triple in statements(path)} == {
        node["text"] for node in nodes if "Triple" in node.labels
    }
    assert {"prize", "study", "town"} == {node["id"] for node in nodes if "Passage" in node.labels}
    assert {"Hinton", "Edinburgh"} < {node["name"] for node in nodes if "Entity" in node.labels}


@pytest.mark.parametrize("score", ["composed", "encoded", "last"])
@pytest.mark.parametrize("base", ["bm25", "fulltext", "sbert", "hybrid"])
def test_metadata_is_json(gear, base, score):
    """A tracer or a web service can write it and read it back."""
    for document in GearRetriever(gear=gear, retriever="naive", base=base, score=score).invoke(QUESTION):
        assert document.metadata["paths"]
        assert document.metadata == json.loads(json.dumps(document.metadata, allow_nan=False))


def test_the_options_are_those_of_a_search(gear):
    """Each option reaches the search, and k can be set for one question."""
    base = GearRetriever(gear=gear, retriever="base", base="bm25")
    short = GearRetriever(gear=gear, retriever="naive", base="bm25", base_k=1, beam=Beam(length=1))
    wide = GearRetriever(gear=gear, retriever="naive", base="bm25", base_k=1, beam=Beam(length=2))
    last = GearRetriever(gear=gear, retriever="naive", base="bm25", base_k=1, score="last")

    assert (["prize"], []) == found(base.invoke(QUESTION))
    assert (["prize"], [1]) == found(short.invoke(QUESTION))
    assert (["prize", "study"], [2]) == found(wide.invoke(QUESTION))
    assert (["prize"], [2]) == found(wide.invoke(QUESTION, k=1))
    assert path_scores(wide.invoke(QUESTION)) != path_scores(last.invoke(QUESTION))


def found(documents):
    """The ids, and the lengths of the paths."""
    paths = {path["text"]: len(path["triples"]) for document in documents for path in document.metadata["paths"]}
    return [document.id for document in documents], list(paths.values())


def path_scores(documents):
    return [path["score"] for document in documents for path in document.metadata["paths"]]


def test_what_was_ingested_since_is_found(retriever, gear, tmp_path):
    """A retriever finds documents that are ingested later, although bm25 keeps its index in memory."""
    retriever.invoke(QUESTION)
    (tmp_path / "more.jsonl").write_text(json.dumps({"id": "more", "title": "", "text": "Zebras."}) + "\n")

    gear.ingest([tmp_path / "more.jsonl"])

    assert ["more"] == [document.id for document in retriever.invoke("zebras")]


@pytest.mark.asyncio
async def test_async_gives_the_same(retriever):
    """Alone, with its own k, and in a batch."""
    assert retriever.invoke(QUESTION) == await retriever.ainvoke(QUESTION)
    assert retriever.invoke(QUESTION, k=1) == await retriever.ainvoke(QUESTION, k=1)
    assert retriever.batch([QUESTION, "bread"]) == await retriever.abatch([QUESTION, "bread"])


def test_a_batch_answers_each_question_in_order(retriever):
    """Concurrent questions get the same results as single ones."""
    questions = [QUESTION, "bread and butter", "Edinburgh", "thesis"] * 5

    assert [retriever.invoke(question, k=2) for question in questions] == retriever.batch(questions, k=2)


def test_it_is_a_part_of_a_chain(retriever):
    """Piped into functions, and configured by the caller."""
    by_number = retriever.configurable_fields(k=ConfigurableField(id="k"))
    chain = {"passages": by_number | texts, "question": RunnablePassthrough()} | RunnablePassthrough()

    assert {"passages": list(PASSAGES.values())[:1], "question": QUESTION} == chain.invoke(
        QUESTION, {"configurable": {"k": 1}}
    )
    assert 3 == len(chain.invoke(QUESTION)["passages"])


def texts(documents):
    return [document.page_content for document in documents]


@pytest.mark.parametrize(
    ("question", "k", "message"), [(QUESTION, 0, "k is 0"), (QUESTION, -1, "k is -1"), (" ", 3, "question")]
)
def test_a_question_that_cannot_be_asked_is_refused(retriever, question, k, message):
    """With our own error, in every way of calling."""
    with pytest.raises(InputError, match=message):
        retriever.invoke(question, k=k)
    with pytest.raises(InputError, match=message):
        asyncio.run(retriever.ainvoke(question, k=k))
    with pytest.raises(InputError, match=message):
        GearRetriever(gear=retriever.gear, k=k).invoke(question)


def test_a_batch_can_give_its_errors_back(retriever):
    """For LangChain, our errors are ordinary exceptions."""
    refused, documents = retriever.batch(["", QUESTION], return_exceptions=True)

    assert InputError is type(refused)
    assert 3 == len(documents)


def test_an_empty_database_is_refused(driver, empty, embedder):
    """The message says what to do."""
    with pytest.raises(InputError, match="holds no passages yet: run 'gear ingest' for documents"):
        GearRetriever(gear=Gear(driver, database=empty.name, embedder=embedder)).invoke(QUESTION)


def test_another_embedding_model_is_refused(gear, driver, embedder):
    """With both names."""
    embedder.name = "another"

    with pytest.raises(EmbeddingMismatch, match="fake .* not another"):
        GearRetriever(gear=Gear(driver, database=gear.graph.name, embedder=embedder)).invoke(QUESTION)


def test_a_failure_of_the_driver_comes_as_our_error(retriever, driver):
    """Even in the middle of a search."""
    retriever.invoke(QUESTION)
    driver.close()

    with pytest.raises(DatabaseError):
        retriever.invoke(QUESTION)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "nothing to search"),
        ({"retriever": "base"}, "nothing to search"),
        ({"retriever": Fixed(), "base": "bm25", "base_k": 3}, "leave out base, base_k"),
    ],
)
def test_it_needs_one_thing_to_ask(options, message):
    """A gear with options, or just a retriever object; the message says what to change."""
    with pytest.raises(SettingsError, match=message):
        GearRetriever(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"retriever": "naive", "bse": "bm25"}, "naive has no option 'bse': its options are base, base_k, beam, score"),
        ({"retriever": "naive", "base": "bm26"}, "there is no ranker or retriever 'bm26': choose one of bm25"),
        ({"base": "bm25"}, "auto has no option 'base': its options are none"),
        ({"retriever": "naiv"}, "there is no retriever 'naiv': did you mean naive?"),
        ({"retriever": 5}, "5 is not a retriever: give a name, a recipe, or an object that retrieves"),
    ],
)
def test_an_option_that_there_is_not_is_refused(gear, options, message):
    """A typo is not ignored."""
    with pytest.raises(SettingsError, match=re.escape(message)):
        GearRetriever(**{"gear": gear, **options})
    with pytest.raises(ValidationError, match="valid integer"):
        GearRetriever(gear=gear, k="many")


def test_it_does_not_change(retriever):
    """Another number makes another retriever."""
    with pytest.raises(ValidationError, match="frozen"):
        retriever.k = 5


def test_the_package_alone_does_not_load_langchain():
    """Programs without it do not wait for it."""
    code = "import sys, gear_neo4j; print([name for name in sys.modules if 'langchain' in name])"

    printed = run([sys.executable, "-c", code], check=True).stdout

    assert "[]" == printed.strip()
