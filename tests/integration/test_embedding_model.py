"""Everything that compares vectors refuses a database built with another embedding model, even of equal dimension."""

import pytest
from langchain_core.language_models import FakeListChatModel

from gear_neo4j.adoption.profile import Entities, Profile
from gear_neo4j.errors import EmbeddingMismatch
from gear_neo4j.gear import session
from gear_neo4j.models.cross_encoder import CrossEncoder
from gear_neo4j.recipes.registry import RETRIEVERS
from tests.fake_embedder import FakeEmbedder
from tests.graphs import opened
from tests.toy_model import FACTS, PASSAGES

pytestmark = pytest.mark.one_server_line

GRAPH = "CREATE (:Drug {name: 'alectinib'})-[:INHIBITS]->(:Gene {name: 'ALK'})"
PROFILE = Profile(name="drugs", entities={label: Entities(names=("name",)) for label in ("Drug", "Gene")})
QUESTION = "Which drugs inhibit ALK?"
REFUSED = r"fake \(384 .* other \(384\)"


class Other(FakeEmbedder):
    """A model of the same dimension with different vectors."""

    name = "other"


@pytest.fixture
def other(shared, server, embedder):
    """An adopted graph, opened with another embedding model."""
    shared.adopted(GRAPH, PROFILE, embedder)
    reranker = CrossEncoder("nowhere")  # never loaded
    with opened(server, Other(), chat=FakeListChatModel(responses=["{}"]), reranker=reranker) as gear:
        yield gear


@pytest.mark.parametrize("retriever", [entry.name for entry in RETRIEVERS if not entry.own])
def test_every_retriever_refuses_another_model_of_equal_dimension(other, retriever):
    """Its vectors would silently find wrong neighbours."""
    with pytest.raises(EmbeddingMismatch, match=REFUSED):
        other.search(QUESTION, retriever=retriever)


@pytest.mark.parametrize("agent", ["gear", "ircot", "crag", "selfrag", "paths", "planner", "graphrag-local", "kgt"])
def test_every_agent_that_compares_vectors_refuses_it(other, agent):
    """Before the language model is called."""
    with pytest.raises(EmbeddingMismatch, match=REFUSED):
        other.ask(QUESTION, agent=agent)


def test_paths_are_not_searched_with_it(other):
    """Including the search without passages."""
    with pytest.raises(EmbeddingMismatch, match=REFUSED):
        other.paths(QUESTION)


@pytest.mark.parametrize("base", ["bm25", "fulltext"])
def test_a_search_by_words_alone_refuses_it_as_well(other, base):
    """The user's next step would not work."""
    with pytest.raises(EmbeddingMismatch, match=REFUSED):
        other.search(QUESTION, retriever={"name": "base", "base": base})


def test_a_graph_that_is_built_anew_with_another_model_is_noticed(shared, server, embedder, monkeypatch):
    """Even by a process that has searched it before: a service runs for weeks."""
    monkeypatch.setattr(session, "RECHECK", 0.0)
    shared.ingested(PASSAGES, FACTS, embedder)
    with opened(server, embedder) as gear:
        view = gear.scoped(collections=["default"])
        before = [one.search(QUESTION, retriever={"name": "base", "base": "sbert"}) for one in (gear, view)]
        shared.ingested(PASSAGES, FACTS, Other())

        assert all(before)
        for one in (gear, view):
            with pytest.raises(EmbeddingMismatch, match=r"other \(384 .* fake \(384\)"):
                one.search(QUESTION, retriever={"name": "base", "base": "sbert"})
