"""Patterns under a scope: they read the user's own nodes only if the scope admits all of them."""

import time
from dataclasses import replace

import pytest

from gear_neo4j import Paths, PatternAgent
from gear_neo4j.adoption.overlay import Adoption
from gear_neo4j.adoption.profile import Entities, Profile
from gear_neo4j.errors import ScopeRefusal
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.scope.scoped import RECHECK
from gear_neo4j.scope import Scope
from gear_neo4j.wire import to_json
from tests.graphs import ingest, opened

pytestmark = pytest.mark.one_server_line

# Each node names its own readers; only some profiles use them.
SHOP = """
CREATE (tokyo:Supplier {name: 'Tokyo Traders', country: 'Japan', acl: ['sales']}),
  (berlin:Supplier {name: 'Berliner Waren', country: 'Germany', acl: ['sales']}),
  (ikura:Product {name: 'Ikura', stock: 31, acl: ['sales']}), (tofu:Product {name: 'Tofu', stock: 35, acl: ['sales']}),
  (beer:Product {name: 'Beer', stock: 0, acl: ['sales']}),
  (tokyo)-[:SUPPLIES]->(ikura), (tokyo)-[:SUPPLIES]->(tofu), (berlin)-[:SUPPLIES]->(beer)
"""
OPEN = Profile(
    name="shop",
    entities={label: Entities(names=("name",)) for label in ("Supplier", "Product")},
    collection="shop",
)
FOR_SALES = replace(OPEN, default_readers=("sales", "board"))
BY_NODE = replace(OPEN, readers="acl")
LISTED = "Which products do Tokyo Traders supply?"
COUNTED = "How many products are there?"
RANKED = "Which product has the highest stock?"
QUESTIONS = (LISTED, COUNTED, RANKED)
DOCUMENT = {"p1": "Tokyo Traders supply Beer, Tofu and many products more to the canteen, it is said."}
FACTS = [("p1", "Tokyo Traders", "supply", "Beer")]


def shop(shared, embedder, profile):
    return shared.adopted(SHOP, profile, embedder)


def found(gear, questions=QUESTIONS):
    """The results of searches, except for the scope's plan and the times."""
    hits = [to_json(gear.search(question, retriever=Paths(), k=5)) for question in questions]
    return [
        {name: value for name, value in one.items() if name not in ("milliseconds", "scope", "scope_plan")}
        for one in hits
    ]


def answers(gear):
    """Only the entities and figures."""
    return [([entity["name"] for entity in one["entities"]], bool(one["figure"])) for one in found(gear)]


NONE = [([], False)] * len(QUESTIONS)


@pytest.mark.parametrize(
    ("profile", "scope"),
    [
        (OPEN, {"collections": ["shop"]}),
        (OPEN, {"collections": ["shop", "docs"], "principals": []}),
        (OPEN, {"principals": ["anybody"]}),
        (FOR_SALES, {"principals": ["board", "other"]}),
        (FOR_SALES, {"collections": ["shop"], "principals": ["sales"], "strict": True}),
        # Without principals, readers do not matter.
        (BY_NODE, {"collections": ["shop"]}),
    ],
)
def test_who_may_read_the_whole_graph_gets_what_a_search_without_a_scope_gives(
    shared, server, embedder, profile, scope
):
    """The nodes, the figures, the Cypher to inspect, the passages and their scores."""
    shop(shared, embedder, profile)
    with opened(server, embedder) as gear:
        expected, under_scope = found(gear), found(gear.scoped(**scope))

    assert [True, False, True] == [bool(one["entities"]) for one in expected]
    assert 3 == expected[1]["figure"]["value"]
    assert expected == under_scope


@pytest.mark.parametrize(
    ("profile", "scope"),
    [
        (OPEN, {"collections": ["docs"]}),
        (OPEN, {"where": "title = 'Tofu'"}),
        (OPEN, {"where": "not title exists"}),
        (FOR_SALES, {"principals": ["hr"]}),
        (FOR_SALES, {"principals": []}),
        # All nodes name this reader, but a node that is added today might not.
        (BY_NODE, {"principals": ["sales"]}),
    ],
)
def test_who_may_not_gets_no_answer_from_the_nodes_themselves(shared, server, embedder, profile, scope):
    """Whether some nodes are hidden now or could be tomorrow; the gate refuses every query on them, too."""
    shop(shared, embedder, profile)
    with opened(server, embedder) as gear:
        view = gear.scoped(**scope)
        assert NONE == answers(view)
        with pytest.raises(ScopeRefusal, match="graph_schema.cypher reads"):
            view.graph.patterns.schema()
        with pytest.raises(ScopeRefusal):
            view.graph.lexicon.values(["ikura"])
        with pytest.raises(ScopeRefusal):
            view.graph.lexicon.holders("i", operator="contains")
        with pytest.raises(ScopeRefusal):
            view.graph.lexicon.similar("ikura~1")


@pytest.mark.parametrize(
    ("profile", "scope", "admitted"),
    [
        (OPEN, {"collections": ["shop"]}, True),
        (FOR_SALES, {"principals": ["board"]}, True),
        (OPEN, {"collections": ["docs"]}, False),
        (OPEN, {"where": "not title exists"}, False),
        (FOR_SALES, {"principals": ["hr"]}, False),
        (BY_NODE, {"principals": ["sales"]}, False),
    ],
)
def test_the_pattern_agent_is_for_whoever_may_read_the_whole_graph(shared, server, embedder, profile, scope, admitted):
    """It answers as without a scope, or is refused with the reason; the status lists it accordingly."""
    shop(shared, embedder, profile)
    with opened(server, embedder) as gear:
        view = gear.scoped(**scope)
        offered = ["pattern" in view.status().agents, not PatternAgent.refusal(view.graph)]
        if admitted:
            expected = [gear.ask(question, agent=PatternAgent(sure=0.0)).text for question in QUESTIONS]
            assert expected == [view.ask(question, agent=PatternAgent(sure=0.0)).text for question in QUESTIONS]
            assert "Ikura" in expected[0]
        else:
            with pytest.raises(ScopeRefusal, match="pattern is refused under a scope: it reads nodes of your own"):
                view.ask(LISTED, agent=PatternAgent())

    assert [admitted, admitted] == offered


def test_documents_beside_the_graph_change_nothing(shared, server, embedder, database, tmp_path):
    """A search in the graph's collection gives the same results as before."""
    database.run(Query("graph", SHOP, writes=True))
    Adoption(Graph(database), OPEN, embedder).run()
    with opened(server, embedder) as gear:
        alone = found(gear)
        ingest(database, embedder, tmp_path, DOCUMENT, FACTS)
        beside = found(gear.scoped(collections=["shop"]))

    assert alone == beside


def test_a_change_of_readers_reaches_the_views_that_are_there(database, server, embedder):
    """In both directions."""
    database.run(Query("graph", SHOP, writes=True))
    graph, scope = Graph(database), Scope(principals=frozenset({"hr"}))
    seen = []
    for profile in (OPEN, FOR_SALES, OPEN, BY_NODE, OPEN):
        Adoption(graph, profile, embedder).run()
        seen.append(graph.scoped(scope).patterns.admitted)
    assert [True, False, True, False, True] == seen


def test_a_view_that_is_kept_notices_a_change(database, server, embedder):
    """Within a second, when it checks again."""
    database.run(Query("graph", SHOP, writes=True))
    Adoption(Graph(database), OPEN, embedder).run()
    with opened(server, embedder) as gear:
        view = gear.scoped(principals=["hr"])
        before = answers(view)
        Adoption(Graph(database), FOR_SALES, embedder).run()
        time.sleep(RECHECK)
        narrowed = answers(view)
        Adoption(Graph(database), OPEN, embedder).run()
        time.sleep(RECHECK)
        after = answers(view)

    assert NONE == narrowed
    assert before == after != NONE


def test_a_graph_adopted_by_an_older_version_is_read_through_its_triples(shared, server, embedder):
    """Only the next adoption records who may read all of it."""
    database = shop(shared, embedder, OPEN)
    database.run(Query("older", "MATCH (g:__GearStore {id: 'graph'}) DELETE g", writes=True))
    with opened(server, embedder) as gear:
        assert NONE == answers(gear.scoped(collections=["shop"]))
        Adoption(Graph(database), OPEN, embedder).run()
        assert NONE != answers(gear.scoped(collections=["shop"]))
