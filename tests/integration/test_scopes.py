"""A search under a scope equals the search in a database of its own, and never shows anything outside it."""

import os
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from langchain_openai import ChatOpenAI

from gear_neo4j import (
    Base,
    Beam,
    Crag,
    GearAgent,
    HippoRag,
    HippoRag2,
    Ircot,
    Naive,
    PathAgent,
    Paths,
    Planner,
    Scout,
    SelfRag,
    Subgraph,
    SyncGE,
)
from gear_neo4j.agents.search import SearchAgent
from gear_neo4j.domain import entity_key
from gear_neo4j.errors import InputError
from gear_neo4j.explain.communities import names_of
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.scope import scoped
from gear_neo4j.ingestion.synonyms import write_synonyms
from gear_neo4j.ingestion.writing import write_passages, write_triples
from gear_neo4j.models.chat import Chat
from gear_neo4j.scope import EVERYTHING
from tests.conftest import WIPE_DATA
from tests.fake_embedder import FakeEmbedder
from tests.graphs import opened
from tests.scopes import PRINCIPALS, QUESTIONS, SCOPES, admits, corpora, mind
from tests.scripted_server import ScriptedServer

EMBEDDER = FakeEmbedder()
# 'make scopes' uses other, random ones.
CORPORA = int(os.environ.get("GEAR_SCOPE_RUNS", "50"))
pytestmark = pytest.mark.timeout(300 + 6 * CORPORA)
# Each example writes two databases: shrinking it is not worth the minutes.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
RETRIEVERS = {
    "bm25": Base(base="bm25"),
    "sbert": Base(base="sbert"),
    "hybrid": Base(base="hybrid"),
    "naive": Naive(base="bm25", base_k=3, beam=Beam(length=3)),
    "naive at hubs": Naive(base="sbert", base_k=2, beam=Beam(length=3, hub=2)),
    "naive last": Naive(base="hybrid", base_k=2, score="last"),
    "naive encoded": Naive(base="sbert", base_k=2, score="encoded"),
    "scout": Scout(),
    "scout at hubs": Scout(hub=3),
    "paths": Paths(base="sbert"),
    "subgraph": Subgraph(entities=4, hops=2, facts=4),
    "hipporag2": HippoRag2(),
    "hipporag": HippoRag(base="bm25"),
}
BM25 = Base(base="bm25")
AGENTS = {
    "gear": GearAgent(over=BM25, max_steps=2),
    "gear over scout": GearAgent(over=Scout(), max_steps=2),
    "sync": Crag(over=SyncGE(base="bm25"), evaluator="grader"),
    "ircot": Ircot(over=Naive(base="bm25")),
    "selfrag": SelfRag(over=BM25),
    "paths": PathAgent(over=Paths(base="bm25")),
    "planner": Planner(),
    "search": SearchAgent(over=BM25),
    "search over scout": SearchAgent(over=Scout()),
}


def fill(graph, corpus, *, synonyms):
    """Write a corpus into an empty database."""
    if corpus.passages:
        write_passages(graph, corpus.passages, embedder=EMBEDDER)
        ids = [passage.id for passage in corpus.passages]
        write_triples(graph, corpus.triples, completed=ids, embedder=EMBEDDER)
    if synonyms:
        list(write_synonyms(graph, embedder=EMBEDDER))


def wipe(connection):
    """Delete everything except the schema and the record of the store."""
    while connection.run(WIPE_DATA)[0]["deleted"]:
        pass


def told(hits):
    """What a caller sees of a search, except for its duration and its scope."""
    return {
        "hits": [(hit.passage.id, hit.passage.text, dict(hit.passage.metadata), hit.rank, hit.sources) for hit in hits],
        "paths": [path.triples for path in hits.paths],
        "scores": [hit.score for hit in hits] + [score for path in hits.paths for score in (path.score, *path.scores)],
        "exact": hits.exact,
        "retriever": hits.retriever,
        "facts": hits.facts,
    }


def answered(answer):
    """What a caller sees of an answer."""
    steps = [replace(step, milliseconds={}, usage={}, paths=()) for step in answer.trace.steps]
    return {
        **told(answer.hits),
        "text": answer.text,
        "citations": answer.citations,
        "steps": steps,
        "replies": answer.trace.replies,
        "stop": answer.stop_reason,
    }


def searched(gear, question):
    """The results of each retriever; the full-text index is not used, because its scores depend on all passages."""
    strict = gear.scoped(strict=True)
    shown = {
        name: told((strict if isinstance(recipe, Scout) else gear).search(question, k=5, retriever=recipe))
        for name, recipe in RETRIEVERS.items()
    }
    return shown | {"auto": told(strict.search(question, k=5))}


def difference(alone, within):
    """The first retriever whose results differ, and how; scores may differ by rounding."""
    for name, shown in alone.items():
        for part, expected in shown.items():
            found = within[name][part]
            if found != (pytest.approx(expected, abs=1e-6) if part == "scores" else expected):
                return name, part, expected, found
    return None


@settings(max_examples=CORPORA, phases=PHASES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(corpora(), SCOPES, QUESTIONS, st.booleans(), st.booleans())
def test_a_scoped_search_is_the_search_over_a_database_of_its_own(
    server, database, monkeypatch_class, corpus, scope, question, synonyms, small
):
    """The same hits, ranks, scores, paths and exactness, whatever else the database holds, with every plan."""
    monkeypatch_class.setattr(scoped, "MOST_READ", 1_000 if small else -1)
    graph = Graph(database)
    wipe(database)
    fill(graph, corpus, synonyms=synonyms)
    with opened(server, EMBEDDER) as gear:
        within = searched(gear.scoped(**scope), question)
    admitted = corpus.within(EVERYTHING.narrowed(**scope))
    wipe(database)
    fill(graph, admitted, synonyms=synonyms)
    with opened(server, EMBEDDER) as gear:
        alone = searched(gear, question)

    assert difference(alone, within) is None


@pytest.fixture
def monkeypatch_class():
    """A patch for all examples of a property."""
    with pytest.MonkeyPatch.context() as patch:
        yield patch


# Agents


@pytest.fixture(scope="module")
def model():
    """A model that plays all roles."""
    with ScriptedServer(mind) as served:
        yield served


def asked(server, model, scope, question):
    """The results of each agent."""
    chat = Chat(ChatOpenAI(model="toy", api_key="none", base_url=model.url, temperature=0, max_retries=0, timeout=5))
    with opened(server, EMBEDDER, chat=chat) as gear:
        view = gear.scoped(**scope)
        return {name: answered(view.ask(question, k=4, agent=recipe)) for name, recipe in AGENTS.items()}


# Communities


def reported(server, model, scope, question):
    """The communities with their reports, the names of their members, and the answers that use them."""
    chat = Chat(ChatOpenAI(model="toy", api_key="none", base_url=model.url, temperature=0, max_retries=0, timeout=5))
    with opened(server, EMBEDDER, chat=chat) as gear:
        with suppress(InputError):
            gear.communities.build(size=3)
            gear.communities.report()
        view = gear.scoped(**scope)
        hierarchy = view.communities.read()
        found = {id: replace(one, members=()) for id, one in hierarchy.communities.items()}
        shown = {"communities": {"found": found, "below": hierarchy.below, "names": names_of(view.graph, hierarchy)}}
        for name in ("graphrag-local", "graphrag-global"):
            try:
                shown[name] = answered(view.ask(question, k=4, agent=name))
            except InputError as error:
                shown[name] = {"refused": str(error)}
    return shown


# Enough facts that most collections have communities.
DENSE = corpora(numbers=(8, 14), facts=(2, 4), within=("default", "legal", "legal"))
COLLECTIONS_ALONE = st.sampled_from([("legal",), ("default",), ("default", "legal"), ("legal", "nosuch")])


@settings(max_examples=CORPORA // 7, phases=PHASES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DENSE, COLLECTIONS_ALONE, QUESTIONS)
def test_communities_in_collections_are_those_of_a_database_of_its_own(
    server, database, model, corpus, collections, question
):
    """The same ids, sizes, levels, names and reports, and so the same answers."""
    graph = Graph(database)
    wipe(database)
    fill(graph, corpus, synonyms=False)
    within = reported(server, model, {"collections": collections}, question)
    wipe(database)
    fill(graph, corpus.within(EVERYTHING.narrowed(collections=collections)), synonyms=False)
    alone = reported(server, model, {"collections": collections}, question)

    assert difference(alone, within) is None


KEYS = Query("keys", "MATCH (e:Entity) RETURN elementId(e) AS id, e.key AS key")
READERS = st.sampled_from([(), ("user:x",), ("group:y",), PRINCIPALS])


def resting(corpus, community, nodes):
    """The passages that state facts between the nodes of a community; for one without inner facts, about its nodes."""
    passages = {one.id: one for one in corpus.passages if one.collection == community.collection}
    ends = {one: {entity_key(one.subject), entity_key(one.object)} for one in corpus.triples}
    facts = [one for one in corpus.triples if one.passage_id in passages and len(ends[one]) == 2]
    inside = [one for one in facts if ends[one] <= nodes]
    loose = nodes - {end for one in inside for end in ends[one]}
    return [passages[one.passage_id] for one in facts if one in inside or ends[one] & loose]


def for_readers(database, gear, corpus, principals):
    """The communities whose passages these principals may all read, computed without a scope."""
    keys = {row["id"]: row["key"] for row in database.run(KEYS)}
    hierarchy, scope = gear.communities.read(), EVERYTHING.narrowed(principals=principals)
    nodes = {}
    for one in sorted(hierarchy.communities.values(), key=lambda one: -one.level):
        parts = (nodes[part] for part in hierarchy.below.get(one.id, ()))
        nodes[one.id] = {keys[member] for member in one.members}.union(*parts)
    return {
        id
        for id, one in hierarchy.communities.items()
        if all(admits(scope, passage) for passage in resting(corpus, one, nodes[id]))
    }


@settings(max_examples=CORPORA // 7, phases=PHASES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DENSE, READERS, READERS, st.integers(0, 7))
def test_communities_are_for_those_who_may_read_all_that_they_rest_on(
    server, database, corpus, principals, readers, index
):
    """Also after the readers of a passage change: a loss hides its collection, a gain waits for the build."""
    wipe(database)
    fill(Graph(database), corpus, synonyms=False)
    changed = corpus.passages[index]
    after = replace(changed, readers=readers)
    later = replace(corpus, passages=tuple(after if one is changed else one for one in corpus.passages))
    lost = readers and not (changed.readers and set(changed.readers) <= set(readers))
    with opened(server, EMBEDDER) as gear:
        with suppress(InputError):
            gear.communities.build(size=3)
        view = gear.scoped(principals=principals)
        first = set(view.communities.read().communities)
        expected = for_readers(database, gear, corpus, principals)
        gear.graph.corpus.write_readers({changed.id: readers}, widen=True)
        found = view.communities.read().communities.values()
        hidden = changed.collection if lost else None
        known = gear.communities.read().communities
        kept = {id for id in expected if known[id].collection != hidden}
        with suppress(InputError):
            gear.communities.build(size=3)
        last = set(view.communities.read().communities)

        assert (expected, kept) == (first, {one.id for one in found})
        assert for_readers(database, gear, later, principals) == last


@settings(max_examples=CORPORA // 7, phases=PHASES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(corpora(), SCOPES, QUESTIONS)
def test_a_scoped_answer_is_the_answer_over_a_database_of_its_own(server, database, model, corpus, scope, question):
    """The same prompts, so the same replies, steps, citations and text; without the full-text index."""
    graph = Graph(database)
    wipe(database)
    fill(graph, corpus, synonyms=False)
    within = asked(server, model, scope | {"strict": True}, question)
    wipe(database)
    fill(graph, corpus.within(EVERYTHING.narrowed(**scope)), synonyms=False)
    # Under a filter, a planner has no reports, whatever the filter admits.
    filtered = {"where": "not nosuch exists"} if scope["where"] else {}
    alone = asked(server, model, {"strict": True, **filtered}, question)

    assert difference(alone, within) is None
