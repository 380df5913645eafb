"""A cross-encoder of sentence-transformers over real searches; a small one with random weights, from a folder."""

import json

import pytest

from gear_neo4j import Scout
from gear_neo4j.models.cross_encoder import CrossEncoder
from gear_neo4j.retrieval.rerank import Rerank
from tests import small_models
from tests.graphs import opened
from tests.web import client_of

pytestmark = pytest.mark.one_server_line

PASSAGES = {
    "journal": "The Alpha Journal is a periodical.",
    "society": "The Beta Society elected a chairman.",
    "harbour": "Gamma Harbour elected a chairman.",
    "bread": "A recipe for bread and butter.",
}
TRIPLES = [
    ("journal", "Alpha Journal", "is published by", "Beta Society"),
    ("society", "Beta Society", "elected as its chairman", "Delta"),
]
QUESTION = "Who was elected chairman by those who publish Alpha Journal?"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The folder of a cross-encoder."""
    return small_models.cross_encoder(tmp_path_factory.mktemp("cross encoder"))


@pytest.fixture
def corpus(shared, embedder):
    return shared.ingested(PASSAGES, TRIPLES, embedder)


def test_every_search_is_reranked_once_a_model_is_set(corpus, server, embedder, model):
    """By the model alone where its weight outweighs everything else; the passages stay those of the search."""
    reranker = CrossEncoder(str(model))
    with opened(server, embedder) as gear:
        plain = gear.search(QUESTION, retriever="scout", k=4)
    with opened(server, embedder, reranker=reranker) as gear:
        hits = gear.search(QUESTION, retriever=Rerank(over=Scout(), weight=1_000), k=4)
        default = gear.search(QUESTION, k=4)

    pairs = [
        (
            ". ".join([QUESTION, *(t.text for t in path.triples if t.passage_id != hit.passage.id)])
            if path
            else QUESTION,
            hit.passage.content,
        )
        for hit in plain
        for path in [plain.path_to(hit.passage.id)]
    ]
    scores = dict(zip((hit.passage.id for hit in plain), reranker.score(pairs), strict=True))
    assert sorted(scores, key=lambda id: -scores[id]) == [hit.passage.id for hit in hits]
    assert len(set(scores.values())) == len(scores)
    assert default.retriever.endswith("reranked")
    assert plain.paths == hits.paths


def test_the_command_takes_a_folder(gear, folder, model, tmp_path):
    """A model that is not there costs one line."""
    gear("ingest", folder)
    code, out, _ = gear("search", QUESTION, "--rerank", model, "--json")
    failed, _, err = gear("search", QUESTION, "--rerank", tmp_path / "nowhere")

    assert 0 == code
    assert json.loads(out)["retriever"].endswith("reranked")
    assert (2, 1) == (failed, len(err.strip().splitlines()))
    assert "nowhere" in err


def test_a_client_of_a_service_chooses_no_model_and_reads_within_bounds(corpus, server, embedder, model):
    """Without one on the service, ``rerank`` is refused with the setting's name."""
    search = {"question": QUESTION}
    with opened(server, embedder) as gear, client_of(gear) as client:
        refused = client.post("/api/search", json={**search, "retriever": "rerank"})
    with opened(server, embedder, reranker=CrossEncoder(str(model))) as gear, client_of(gear) as client:
        found = client.post("/api/search", json=search)
        many = client.post("/api/search", json={**search, "retriever": {"name": "rerank", "first": 51}})

    assert (400, True) == (refused.status_code, "GEAR_RERANK" in refused.json()["detail"])
    assert (200, True) == (found.status_code, found.json()["retriever"].endswith("reranked"))
    assert many.status_code in (400, 422)
