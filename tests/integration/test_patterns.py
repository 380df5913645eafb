"""Questions about an adopted graph: entities found by patterns, whose Cypher shows the same nodes."""

import pytest

from gear_neo4j import Paths
from gear_neo4j.adoption.overlay import Adoption
from gear_neo4j.adoption.profile import Entities, Profile
from gear_neo4j.adoption.proposal import propose
from gear_neo4j.adoption.release import release
from gear_neo4j.adoption.survey import survey
from gear_neo4j.errors import QueryTimeout
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.read.pattern_queries import PatternQueries
from gear_neo4j.retrieval.patterns import cypher, runner
from gear_neo4j.retrieval.patterns.finder import PatternFinder
from tests.dump import dump
from tests.graphs import opened

SHOP = r"""
CREATE (tokyo:Supplier {name: 'Tokyo Traders', country: 'Japan', rating: 4}),
  (berlin:Supplier {name: 'Berliner Waren', country: 'Germany', rating: 2}),
  (ikura:Product {name: 'Ikura', discontinued: false, stock: 31, tags: ['fish', 'roe'], price: '31.50'}),
  (tofu:Product {name: 'Tofu', discontinued: false, stock: 35, since: date('1997-06-20'), price: '23.25'}),
  (beer:Product {name: 'Beer', discontinued: true, stock: 0, since: date('1997-05-01'), price: '4.50'}),
  (seafood:Category {name: 'Seafood'}), (produce:Category {name: 'Produce'}), (drinks:Category {name: 'Drinks'}),
  (tokyo)-[:SUPPLIES {since: 1996}]->(ikura), (tokyo)-[:SUPPLIES {since: 2001}]->(tofu),
  (berlin)-[:SUPPLIES {since: 1999}]->(beer),
  (ikura)-[:PART_OF]->(seafood), (tofu)-[:PART_OF]->(produce), (beer)-[:PART_OF]->(drinks)
"""
PROFILE = Profile(
    name="shop",
    entities={label: Entities(names=("name",)) for label in ("Supplier", "Product", "Category")},
)


def write(text):
    return Query("write", text, writes=True)


@pytest.fixture
def shop(shared, embedder):
    """An adopted graph of products."""
    return shared.adopted(SHOP, PROFILE, embedder)


REGISTER = """
CREATE (rose:Person {name: 'Rose', surname: 'Crawford'}), (ann:Person {name: 'Ann', surname: 'Crawford'}),
  (otto:Person {name: 'Otto', surname: 'Brandt'}), (ina:Person {name: 'Ina', surname: 'Falk'}),
  (rose)-[:KNOWS]->(otto), (ann)-[:KNOWS]->(rose), (ina)-[:KNOWS]->(ann),
  (first:Call {number: 'A100', day: '1/08/2017', clock: '22:26'}),
  (second:Call {number: 'A101', day: '25/08/2017', clock: '9:05'}),
  (rose)-[:MADE]->(first), (otto)-[:MADE]->(second)
"""


@pytest.fixture
def register(database, embedder):
    """A graph of people with names in two properties, and calls with dates and times as text."""
    database.run(write(REGISTER))
    graph = Graph(database)
    Adoption(graph, propose(survey(graph), name="register"), embedder).run()
    return database


OF_REGISTER = [
    ("Who knows Otto Brandt?", {"Rose Crawford"}),
    ("Whom does Rose Crawford know?", {"Otto Brandt", "Ann Crawford"}),
    ("Who is known by Ann Crawford?", {"Rose Crawford", "Ina Falk"}),
    ("Which persons made calls on August 1, 2017?", {"Rose Crawford"}),
    ("Which persons made calls on 1.8.2017?", {"Rose Crawford"}),
    ("Which persons made calls after 20/08/2017?", {"Otto Brandt"}),
    ("Which persons made calls between 2017-08-01 and 2 August 2017?", {"Rose Crawford"}),
    ("Which persons made calls in August 2017?", {"Rose Crawford", "Otto Brandt"}),
    ("Which persons made calls at 10:26 PM?", {"Rose Crawford"}),
    ("Which persons made calls before noon?", {"Otto Brandt"}),
]


def test_names_in_two_properties_mutual_relationships_and_dates_in_text_are_found(register, server, embedder):
    """Whichever direction is stored, and however a date is written; the shown Cypher gives the same nodes."""
    found = {}
    with opened(server, embedder) as gear:
        for question, _ in OF_REGISTER:
            hits = gear.search(question, retriever=Paths())
            best = [entity for entity in hits.entities if entity.cypher == hits.entities[0].cypher]
            found[question] = {entity.name for entity in best}
            query = best[0].cypher
            shown = Query("shown", f"CALL () {{ {query.statement} }} RETURN *", frozenset(query.parameters))
            rows = register.run(shown, **query.parameters)
            nodes = {value.element_id for row in rows for value in row.values() if hasattr(value, "element_id")}
            assert {entity.id for entity in best} == nodes

    assert dict(OF_REGISTER) == found


FAMILY = """
CREATE (ida:Person {name: 'Ida Falk'}), (karl:Person {name: 'Karl Falk'}), (tove:Person {name: 'Tove Lind'}),
  (weaver:Trade {name: 'Weaver'}), (miller:Trade {name: 'Miller'}),
  (ida)-[:SPOUSE]->(karl), (tove)-[:PARENTS]->(ida), (tove)-[:PARENTS]->(karl), (ida)-[:CHILDREN]->(tove),
  (ida)-[:HAS_TRADE]->(weaver), (tove)-[:HAS_TRADE]->(miller)
"""
FAMILY_PROFILE = Profile(name="family", entities={label: Entities(names=("name",)) for label in ("Person", "Trade")})
OF_FAMILY = [
    ("What is the trade of Karl Falk's wife?", {"Weaver"}),
    ("What is the name of the trade of Ida Falk's child?", {"Miller"}),
    ("the trade of the daughter of Karl Falk's spouse", {"Miller"}),
    # The way back is the same relationship.
    ("Who is the spouse of Ida Falk's spouse?", {"Ida Falk"}),
    ("Who is the child of the mother of Ida Falk's child?", {"Tove Lind"}),
]


@pytest.mark.parametrize(("question", "names"), OF_FAMILY)
def test_a_chain_of_possessives_is_taken_step_by_step(shared, server, embedder, question, names):
    """From the name to the answer, and back where the question leads back; the shown Cypher gives the same nodes."""
    database = shared.adopted(FAMILY, FAMILY_PROFILE, embedder)
    with opened(server, embedder) as gear:
        hits = gear.search(question, retriever=Paths())

    best = [entity for entity in hits.entities if entity.cypher == hits.entities[0].cypher]
    query = best[0].cypher
    shown = Query("shown", f"CALL () {{ {query.statement} }} RETURN *", frozenset(query.parameters))
    rows = database.run(shown, **query.parameters)
    nodes = {value.element_id for row in rows for value in row.values() if hasattr(value, "element_id")}
    assert names == {entity.name for entity in best}
    assert nodes == {entity.id for entity in best}


QUESTIONS = [
    ("Which categories do the products supplied by Tokyo Traders belong to?", {"Seafood", "Produce"}),
    ("Which suppliers from Germany are there?", {"Berliner Waren"}),
    ("Which products are discontinued?", {"Beer"}),
    ("Which products are not discontinued?", {"Ikura", "Tofu"}),
    ("Which products have a stock above 32?", {"Tofu"}),
    ("Which products have a price below 5?", {"Beer"}),
    ("Which products have a stock below 99999999999999999999?", {"Beer", "Ikura", "Tofu"}),
    ("Which products are available since 1997?", {"Beer", "Tofu"}),
    ("Which products have the tag 'roe'?", {"Ikura"}),
    ("Which suppliers have a rating of at least 3?", {"Tokyo Traders"}),
    ("Which products are available before 1 June 1997?", {"Beer"}),
    ("Which products are available since May 2, 1997?", {"Tofu"}),
    ("Which products are available since '1997-06'?", {"Tofu"}),
    ("Which products became available between May 1997 and 31 May 1997?", {"Beer"}),
    ("Which products are cheaper than 5?", {"Beer"}),
    ("Which products do the Berliner Warens supply?", {"Beer"}),
    ("Which suppliers do not supply Beer?", {"Tokyo Traders"}),
    ("Which products are not supplied by Tokyo Traders?", {"Beer"}),
    ("Which suppliers don't supply Ikura?", {"Berliner Waren"}),
    # A superlative that picks a node on the way to the answer.
    ("Which products does the supplier with the highest rating supply?", {"Ikura", "Tofu"}),
    ("Which products are supplied by the supplier with the lowest rating?", {"Beer"}),
    ("Which suppliers supply the product with the smallest stock?", {"Berliner Waren"}),
]


@pytest.mark.parametrize(("question", "names"), QUESTIONS)
def test_what_stands_in_a_property_or_at_the_end_of_a_chain_is_found(shop, server, embedder, question, names):
    """Without a language model; the shown Cypher alone gives the same nodes."""
    with opened(server, embedder) as gear:
        hits = gear.search(question, retriever=Paths())

    best = [entity for entity in hits.entities if entity.pattern == hits.entities[0].pattern]
    assert names == {entity.name for entity in best}
    assert [1, 2] == [entity.rank for entity in hits.entities][:2] or len(hits.entities) == 1
    for entity in hits.entities:
        query = entity.cypher
        shown = Query("shown", f"CALL () {{ {query.statement} }} RETURN *", frozenset(query.parameters))
        nodes = [value for row in shop.run(shown, **query.parameters) for value in row.values()]
        assert entity.id in {node.element_id for node in nodes if hasattr(node, "element_id")}


def test_a_denial_that_the_graph_cannot_express_is_said(shop, server, embedder):
    """The suppliers of a product are the opposite of those that do not recommend it."""
    with opened(server, embedder) as gear:
        unclear = gear.search("Which suppliers do not recommend Ikura?", retriever=Paths())
        clear = gear.search("Which suppliers do not supply Ikura?", retriever=Paths())

    assert "the graph cannot express 'not': this may be the opposite" == unclear.doubt
    assert "" == clear.doubt


def test_a_pattern_without_nodes_is_not_run_again_with_more_conditions(shop, embedder):
    """Nor for another of its nodes."""
    costs = []
    graph = Graph(shop).profiling(costs.append)
    finder = PatternFinder(graph, embedder=embedder)
    question = "Which products supplied by Tokyo Traders are part of Drinks?"
    patterns = [candidate.pattern for candidate in finder.candidates(question).ranked]
    first = next(pattern for pattern in patterns if len(pattern.on_nodes) == 2)

    result = finder.find(question)

    assert sum(first.is_part_of(pattern) for pattern in patterns) > 1
    runs = [cost for cost in costs if cost.query == "pattern"]
    assert 1 == sum(cost.rows == 0 for cost in runs)
    assert len(runs) < len(patterns)
    # None of his products is a drink.
    assert () == result.entities


def test_a_count_starts_at_what_is_named(shop, embedder):
    """The time to scan a label grows with the graph."""
    costs = []
    graph = Graph(shop).profiling(costs.append)
    finder = PatternFinder(graph, embedder=embedder)

    figure = finder.find("How many products are supplied by Tokyo Traders?").figure

    assert 2 == figure.value
    assert "elementId" not in figure.cypher.statement
    assert not any(cost.scans for cost in costs if cost.query == "pattern")


def test_the_passages_of_the_answer_are_among_the_hits(shop, server, embedder):
    """So an agent reads them; a node without a passage takes no rank."""
    with opened(server, embedder) as gear:
        hits = gear.search("Which suppliers from Germany are there?", k=2, retriever=Paths())
        drinks = gear.search("Which categories do discontinued products belong to?", k=3, retriever=Paths())

    assert ["Berliner Waren"] == [hit.passage.title for hit in hits if "entities" in {s.name for s in hit.sources}]
    assert "Drinks" == drinks.entities[0].name
    assert 3 == len(drinks)


def test_a_chain_with_too_many_ways_is_cut_and_shown_as_it_was_run(database, server, embedder, monkeypatch):
    """The shown Cypher has the same limit and the same nodes; the result is not exact."""
    monkeypatch.setattr(cypher, "MOST_ROWS", 30)
    monkeypatch.setattr(runner, "MOST_ROWS", 30)
    database.run(
        write(
            "CREATE (s:Supplier {name: 'Tokyo Traders'}) WITH s UNWIND range(1, 20) AS i "
            "CREATE (s)-[:SUPPLIES]->(p:Product {name: 'product ' + i}) WITH p, i UNWIND range(1, 5) AS j "
            "CREATE (p)-[:PART_OF]->(:Category {name: 'category ' + i + ' ' + j})"
        )
    )
    Adoption(Graph(database), PROFILE, embedder).run()

    with opened(server, embedder) as gear:
        hits = gear.search(QUESTIONS[0][0], retriever=Paths(answers=50))

    entities = [entity for entity in hits.entities if entity.cypher == hits.entities[0].cypher]
    shown = entities[0].cypher
    rows = database.run(Query("shown", shown.statement, frozenset(shown.parameters)), **shown.parameters)
    assert not hits.exact
    assert "LIMIT 30" in shown.statement
    assert 30 == len(entities)
    assert {entity.id for entity in entities} == {row["category"].element_id for row in rows}


def test_what_a_question_names_comes_after_what_it_does_not(database, server, embedder):
    """Ann wrote and directed; the person in the question is hardly the answer."""
    database.run(
        write(
            "CREATE (ann:Person {name: 'Ann Lee'}), (bob:Person {name: 'Bob Ray'}), (film:Film {title: 'Harbour'}), "
            "(ann)-[:WROTE]->(film), (ann)-[:DIRECTED]->(film), (bob)-[:DIRECTED]->(film), "
            "(ann)-[:WROTE]->(other:Film {title: 'Rivers'}), (ann)-[:DIRECTED]->(other)"
        )
    )
    profile = Profile(name="f", entities={"Person": Entities(names=("name",)), "Film": Entities(names=("title",))})
    Adoption(Graph(database), profile, embedder).run()

    with opened(server, embedder) as gear:
        hits = gear.search("Who directed the films that Ann Lee wrote?", retriever=Paths())

    assert ["Bob Ray", "Ann Lee"] == [entity.name for entity in hits.entities][:2]


RANKED = [
    ("Which supplier supplies the most products?", [("Tokyo Traders", 2)]),
    ("Which suppliers supply more than one product?", [("Tokyo Traders", 2)]),
    ("Which are the two cheapest products?", [("Beer", 4.5), ("Tofu", 23.25)]),
    ("Which supplier has the highest average stock of its products?", [("Tokyo Traders", 33.0)]),
    ("What are the top 2 suppliers by total stock of products?", [("Tokyo Traders", 66), ("Berliner Waren", 0)]),
]


@pytest.mark.parametrize(("question", "expected"), RANKED)
def test_nodes_are_ordered_by_a_count_or_by_what_stands_in_a_property(shop, server, embedder, question, expected):
    """Each has the value by which it is ranked."""
    with opened(server, embedder) as gear:
        hits = gear.search(question, retriever=Paths())

    assert expected == [(entity.name, entity.value) for entity in hits.entities]
    assert not hits.doubt


FIGURES = [
    ("How many products does Tokyo Traders supply?", 2),
    ("How many different countries do suppliers come from?", 2),
    ("What is the average stock of the products supplied by Tokyo Traders?", 33.0),
    ("What is the total stock of all products?", 66),
    ("What is the highest rating of the suppliers?", 4),
    ("How many products are there in the category Sweets?", None),
]


@pytest.mark.parametrize(("question", "value"), FIGURES)
def test_a_question_for_a_number_gets_the_number_or_a_doubt(shop, server, embedder, question, value):
    """The category Sweets does not exist, so nothing is counted."""
    with opened(server, embedder) as gear:
        hits = gear.search(question, retriever=Paths())

    assert value == (hits.figure.value if hits.figure else None)
    assert bool(hits.doubt) == (value is None)


LAND = """
CREATE (aarau:Town {name: 'Aarau', population: 22000, mayor: 'Ida Frei', founded: 1240}),
  (rosendal:Town {name: 'Rosendal', population: 1200}), (other:Town {name: 'Rosendal', population: 350}),
  (argau:Canton {name: 'Aargau', population: 700000, area: 1404}), (zug:Canton {name: 'Zug', area: 239}),
  (titlis:Mountain {name: 'Titlis', elevation: 3238}),
  (aarau)-[:LIES_IN]->(argau), (rosendal)-[:LIES_IN]->(argau), (other)-[:LIES_IN]->(zug), (titlis)-[:LIES_IN]->(zug),
  (argau)-[:HAS_HIGHEST_POINT]->(titlis)
"""
LAND_PROFILE = Profile(
    name="land", entities={label: Entities(names=("name",)) for label in ("Town", "Canton", "Mountain")}
)


@pytest.fixture
def land(shared, embedder):
    """An adopted graph of towns and mountains."""
    return shared.adopted(LAND, LAND_PROFILE, embedder)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the population of Aarau?", 22_000),
        ("Population of aarau?", 22_000),
        ("How many people live in Aarau?", 22_000),
        ("What is Aarau's population?", 22_000),
        ("Who is the mayor of Aarau?", None),
        ("What is the mayor of Aarau?", "Ida Frei"),
        ("How high is Titlis?", 3_238),
        ("How big is Aargau?", 1_404),
        ("What is the area of aargau?", 1_404),
        # Nothing to measure, or nobody whose value it would be.
        ("How high is Aarau?", None),
        ("What is the population of towns?", None),
    ],
)
def test_the_value_of_a_property_is_an_answer(land, server, embedder, question, value):
    """Of a node that the question names; its Cypher gives the value."""
    with opened(server, embedder) as gear:
        figure = gear.search(question, retriever=Paths()).figure

    assert value == (figure and figure.value)
    if figure:
        assert [{"value": value}] == land.run(
            Query("shown", figure.cypher.statement, frozenset(figure.cypher.parameters)), **figure.cypher.parameters
        )


def test_of_several_nodes_of_a_name_each_has_its_value(land, server, embedder):
    """None is chosen silently."""
    with opened(server, embedder) as gear:
        hits = gear.search("What is the population of Rosendal?", retriever=Paths())

    assert hits.figure is None
    assert [("Rosendal", 1_200), ("Rosendal", 350)] == [(entity.name, entity.value) for entity in hits.entities]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the largest town?", "Aarau"),
        ("What is the smallest canton?", "Zug"),
        ("What is the most populous town?", "Aarau"),
        # The superlative is part of the relationship's name.
        ("What is the highest point of Aargau?", "Titlis"),
    ],
)
def test_a_size_is_an_area_or_a_population(land, server, embedder, question, name):
    """Whichever the nodes have."""
    with opened(server, embedder) as gear:
        hits = gear.search(question, retriever=Paths())

    assert (name, "") == (hits.entities[0].name, hits.doubt)


def test_a_name_that_the_graph_lacks_is_said(shop, server, embedder):
    """Beside the nodes of a pattern that leaves it out, or in the doubt if there are none."""
    with opened(server, embedder) as gear:
        partly = gear.search("Which products are supplied by Osaka Trading?", retriever=Paths()).entities[0]
        nothing = gear.search("Did Osaka Trading sing?", retriever=Paths())
        lower = gear.search("Which products does tokyo traders supply?", retriever=Paths()).entities
        figure = gear.search(FIGURES[0][0], retriever=Paths()).figure

    assert (("Osaka Trading",), False) == (partly.unused, partly.understood)
    assert ((), "nothing in the graph is called 'Osaka Trading': check the spelling") == (
        nothing.entities,
        nothing.doubt,
    )
    assert {"Ikura", "Tofu"} == {entity.name for entity in lower if entity.pattern == lower[0].pattern}
    assert ("product", (), True) == (figure.counted, figure.unused, figure.understood)


def test_a_count_that_takes_too_long_is_said_so(shop, server, embedder, monkeypatch):
    """Then the question has no answer, rather than a partial one."""

    def too_slow(self, cypher):
        raise QueryTimeout("too slow")

    monkeypatch.setattr(PatternQueries, "run", too_slow)
    with opened(server, embedder) as gear:
        hits = gear.search("How many products does Tokyo Traders supply?", retriever=Paths())

    assert "too long" in hits.doubt
    assert not hits.exact
    assert hits.figure is None


def test_what_nodes_lack_is_asked_for(shop, server, embedder):
    """A negated relationship matches the nodes that have none."""
    shop.run(write("MERGE (:Product {name: 'Air'})"))
    Adoption(Graph(shop), PROFILE, embedder).run()
    with opened(server, embedder) as gear:
        hits = gear.search("Which products were never supplied?", retriever=Paths())

    assert ["Air"] == [entity.name for entity in hits.entities if entity.pattern == hits.entities[0].pattern]


def test_a_change_of_the_graph_is_seen_after_it_is_adopted_again(shop, server, embedder):
    """The schema and the values are read at adoption."""
    shop.run(write("MATCH (p:Product {name: 'Tofu'}) SET p.organic = true"))
    with opened(server, embedder) as gear:
        before = gear.search("Which products are organic?", retriever=Paths()).entities
        Adoption(Graph(shop), PROFILE, embedder).run()
    with opened(server, embedder) as gear:
        after = gear.search("Which products are organic?", retriever=Paths()).entities

    assert "Tofu" == after[0].name
    assert not before or "organic" not in before[0].pattern


def test_labels_and_values_that_look_like_cypher_change_nothing(empty, server, embedder):
    """They are read from the graph, and quoted or passed as parameters."""
    label, property, value = "Odd`) DETACH DELETE n //", "it's \"named`", "x' OR true //"
    empty.run(
        Query(
            "write", "CREATE (n:$($label)) SET n[$property] = $value", frozenset(["label", "property", "value"]), True
        ),
        label=label,
        property=property,
        value=value,
    )
    empty.run(write("MATCH (n) CREATE (n)-[:`REL``S-to`]->(m:Plain {name: 'Plainness'})"))
    profile = Profile(name="odd", entities={label: Entities(names=(property,)), "Plain": Entities(names=("name",))})
    before = dump(empty)
    Adoption(Graph(empty), profile, embedder).run()

    with opened(server, embedder) as gear:
        entities = gear.search("Which odd ones are related to Plainness?", retriever=Paths()).entities

    assert value in {entity.name for entity in entities}
    release(Graph(empty))
    assert before == dump(empty)
