"""Questions become patterns over a schema, and patterns become one MATCH with only the schema's names."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gear_neo4j.graph.guard.tokens import tokens
from gear_neo4j.graph.read.graph_schema import GraphSchema, Owner, PropertyRef, PropertySchema, can_be_written
from gear_neo4j.graph.read.typegraph import Tie
from gear_neo4j.models.embeddings import SentenceTransformerEmbedder
from gear_neo4j.retrieval.patterns import likeness
from gear_neo4j.retrieval.patterns.condition import Condition
from gear_neo4j.retrieval.patterns.confidence import SURE, confidence
from gear_neo4j.retrieval.patterns.cypher import Compiler
from gear_neo4j.retrieval.patterns.description import description
from gear_neo4j.retrieval.patterns.language import Stems, alike
from gear_neo4j.retrieval.patterns.likeness import Likenesses
from gear_neo4j.retrieval.patterns.pattern import Constraint, Edge, Parallel, Pattern
from gear_neo4j.retrieval.patterns.question_reader import QuestionReader
from gear_neo4j.retrieval.patterns.scoring import Evidence, Scorer
from gear_neo4j.retrieval.patterns.search import PatternSearch
from tests.fake_embedder import FakeEmbedder
from tests.pattern_search import ValuesInMemory

SCHEMA = GraphSchema(
    labels={
        "Film": {
            "title": PropertySchema("title", distinct=500),
            "released": PropertySchema("released", "number", least=1950, greatest=2020, distinct=60),
            "tagline": PropertySchema("tagline", distinct=400),
            "inStock": PropertySchema("inStock", "number", greatest=90, distinct=70),
            "discontinued": PropertySchema("discontinued", "flag", distinct=2),
        },
        "Person": {
            "name": PropertySchema("name", distinct=900),
            "born": PropertySchema("born", "number", least=1900, greatest=2000, distinct=80),
        },
        "Studio": {
            "name": PropertySchema("name", distinct=40),
            "founded": PropertySchema("founded", "date", stored_as_text=True, least=1910, greatest=1999, distinct=40),
        },
    },
    types={
        "ACTED_IN": {"roles": PropertySchema("roles", is_list=True, distinct=900)},
        "DIRECTED": {},
        "MADE_BY": {},
    },
    ties=(
        Tie("Person", "ACTED_IN", "Film", 900),
        Tie("Person", "DIRECTED", "Film", 300),
        Tie("Film", "MADE_BY", "Studio", 300),
    ),
    names={"Film": "title", "Person": "name", "Studio": "name"},
)
VALUES = [
    ("Person", "name", "Keanu Reeves"),
    ("Person", "name", "Lana Wachowski"),
    ("Film", "title", "The Matrix"),
    ("Film", "title", "Fall"),
    ("Film", "title", "The Most Wanted Man"),
    ("Film", "tagline", "Free your mind"),
    ("Studio", "name", "Warner"),
]


@pytest.fixture(scope="module")
def search():
    known = [(PropertyRef(Owner("label", label), property), value) for label, property, value in VALUES]
    values = ValuesInMemory([*known, (PropertyRef(Owner("type", "ACTED_IN"), "roles"), "Neo")])
    reader = QuestionReader(SCHEMA, values)
    return PatternSearch(reader, Likenesses(SCHEMA, SentenceTransformerEmbedder()))


@pytest.mark.parametrize(
    ("question", "body", "answer"),
    [
        (
            "Who directed the films that Keanu Reeves acted in?",
            "MATCH (person:Person)-[:ACTED_IN]->(film:Film), (film)<-[:DIRECTED]-(person_2:Person) "
            "WHERE person.name IN ['Keanu Reeves']",
            "person_2",
        ),
        (
            "Which films share directors with The Matrix?",
            "MATCH (film:Film)<-[:DIRECTED]-(person:Person), (person)-[:DIRECTED]->(film_2:Film) "
            "WHERE film.title IN ['The Matrix']",
            "film_2",
        ),
        (
            "The films that share actors with The Matrix were directed by whom?",
            "MATCH (film:Film)<-[:ACTED_IN]-(person:Person), (person)-[:ACTED_IN]->(film_2:Film), "
            "(film_2)<-[:DIRECTED]-(person_2:Person) WHERE film.title IN ['The Matrix']",
            "person_2",
        ),
        (
            "Who acted in films of the director Lana Wachowski?",
            "MATCH (person:Person)-[:DIRECTED]->(film:Film), (film)<-[:ACTED_IN]-(person_2:Person) "
            "WHERE person.name IN ['Lana Wachowski']",
            "person_2",
        ),
        (
            "Under which studios do the films of Keanu Reeves fall?",
            "MATCH (person:Person)-[:ACTED_IN]->(film:Film), (film)-[:MADE_BY]->(studio:Studio) "
            "WHERE person.name IN ['Keanu Reeves']",
            "studio",
        ),
        (
            "Who other than Keanu Reeves acted in The Matrix?",
            "MATCH (person:Person)-[:ACTED_IN]->(film:Film) "
            "WHERE NOT person.name IN ['Keanu Reeves'] AND film.title IN ['The Matrix']",
            "person",
        ),
        ("Which films were released after 2000?", "MATCH (film:Film) WHERE film.released > 2000", "film"),
        (
            "List the films of the 1990s",
            "MATCH (film:Film) WHERE film.released >= 1990 AND film.released < 2000",
            "film",
        ),
        (
            "Which films have between 10 and 20 copies in stock?",
            "MATCH (film:Film) WHERE film.inStock >= 10 AND film.inStock <= 20",
            "film",
        ),
        (
            "Which films are not discontinued?",
            "MATCH (film:Film) WHERE coalesce(film.discontinued, false) = False",
            "film",
        ),
        ("Films with a tagline containing 'your'", "MATCH (film:Film) WHERE film.tagline CONTAINS 'your'", "film"),
        (
            "Which people acted in and directed the same film?",
            "MATCH (person:Person)-[:ACTED_IN]->(film:Film), (person)-[:DIRECTED]->(film)",
            "person",
        ),
        (
            "Which studios made the film The Matrix?",
            "MATCH (film:Film)-[:MADE_BY]->(studio:Studio) WHERE film.title IN ['The Matrix']",
            "studio",
        ),
        (
            "Which studios were founded in 1923?",
            "MATCH (studio:Studio) WHERE toIntegerOrNull(left(toString(studio.founded), 4)) = 1923",
            "studio",
        ),
        (
            "Which people never directed a film?",
            "MATCH (person:Person) WHERE NOT EXISTS { (person)-[:DIRECTED]-() }",
            "person",
        ),
        (
            "Which people did not direct The Matrix?",
            "MATCH (person:Person) WHERE NOT EXISTS "
            "{ (person)-[:DIRECTED]-(denied:Film WHERE denied.title IN ['The Matrix']) }",
            "person",
        ),
        (
            "Who played 'Neo'?",
            "MATCH (person:Person)-[r0:ACTED_IN]->(film:Film) WHERE any(value IN r0.roles WHERE value IN ['Neo'])",
            "person",
        ),
    ],
)
def test_a_question_becomes_the_pattern_that_its_reader_would_write(search, question, body, answer):
    """The best pattern, with its parameters filled in."""
    best = search.find(question).ranked[0]

    cypher = Compiler(SCHEMA).shown(best.pattern, best.target, limit=10)
    text = with_parameters(cypher)
    assert [body, f"RETURN {answer}, count(*) AS ways"] == [
        " ".join(text.split("\nRETURN")[0].split()),
        *returned(text),
    ]


def returned(text):
    """The RETURN line of a query."""
    return [line for line in text.splitlines() if line.startswith("RETURN")]


@pytest.mark.parametrize(
    ("question", "query"),
    [
        (
            "Who directed the most films?",
            "MATCH (film:Film)<-[:DIRECTED]-(person:Person) WITH person, count(DISTINCT film) AS value "
            "WHERE value IS NOT NULL RETURN person, value ORDER BY value DESC, elementId(person) LIMIT 1",
        ),
        (
            "Name the top three people by number of films they acted in.",
            "MATCH (person:Person)-[r0:ACTED_IN]->(film:Film) WITH person, count(DISTINCT r0) AS value "
            "WHERE value IS NOT NULL RETURN person, value ORDER BY value DESC, elementId(person) LIMIT 3",
        ),
        (
            "Who directed more than two films?",
            "MATCH (film:Film)<-[:DIRECTED]-(person:Person) WITH person, count(DISTINCT film) AS value "
            "WHERE value > 2 RETURN person, value ORDER BY value DESC, elementId(person) LIMIT 9",
        ),
        (
            "Which are the 2 most recent films?",
            "MATCH (film:Film) WITH DISTINCT film, film.released AS value WHERE value IS NOT NULL "
            "RETURN film, value ORDER BY value DESC, elementId(film) LIMIT 2",
        ),
        (
            "Which 3 studios have the lowest average inStock of their films?",
            "MATCH (film:Film)-[:MADE_BY]->(studio:Studio) WITH DISTINCT studio, film "
            "WITH studio, avg(film.inStock) AS value WHERE value IS NOT NULL "
            "RETURN studio, value ORDER BY value, elementId(studio) LIMIT 3",
        ),
        (
            "How many films did Keanu Reeves act in?",
            "MATCH (person:Person)-[:ACTED_IN]->(film:Film) WHERE person.name IN ['Keanu Reeves'] "
            "RETURN count(DISTINCT film) AS value",
        ),
        (
            "What is the average inStock of the films made by Warner?",
            "MATCH (film:Film)-[:MADE_BY]->(studio:Studio) WHERE studio.name IN ['Warner'] "
            "WITH DISTINCT film RETURN avg(film.inStock) AS value",
        ),
    ],
)
def test_a_question_that_counts_or_orders_becomes_the_query_that_its_reader_would_write(search, question, query):
    """Counts of nodes, their own properties, averages over connected nodes, and figures."""
    found = search.find(question)
    best, wanted = next(candidate for candidate in found.ranked if candidate.measured), found.aggregation

    compiler = Compiler(SCHEMA)
    if wanted.figure:
        cypher = compiler.figure(best.pattern, best.target, wanted)
    else:
        limit = wanted.limit or (1 if wanted.order else 9)
        cypher = compiler.shown(best.pattern, best.target, limit=limit, aggregation=wanted)
    assert query == " ".join(with_parameters(cypher).split())


def with_parameters(cypher):
    """A query with its parameters filled in."""
    return re.sub(r"\$(\w+)", lambda match: repr(cypher.parameters[match[1]]), cypher.statement)


@pytest.mark.parametrize(
    "question",
    [
        "Which two people acted together most often?",
        "What percentage of the films is discontinued?",
        "Which films have the highest popularity?",
        "What is the average number of films per person?",
    ],
)
def test_what_cannot_be_counted_surely_is_not_counted(search, question):
    """Differences, shares, ambiguous counts, and values that no property has."""
    found = search.find(question)

    assert found.aggregation
    assert not any(candidate.measured for candidate in found.ranked)


FOLLOWERS = GraphSchema(
    labels={"Person": {"name": PropertySchema("name", distinct=900)}},
    types={"FOLLOWS": {}},
    ties=(Tie("Person", "FOLLOWS", "Person", 900),),
    names={"Person": "name"},
)


@pytest.mark.parametrize(
    ("question", "forward"),
    [("Who follows Ann Lee?", True), ("Whom does Ann Lee follow?", False), ("Who is followed by Ann Lee?", False)],
)
def test_between_nodes_of_one_label_the_question_says_who_does_it(question, forward):
    """By active or passive voice, and by the words before the verb."""
    ref = PropertyRef(Owner("label", "Person"), "name")
    values = ValuesInMemory([(ref, "Ann Lee")])
    reader = QuestionReader(FOLLOWERS, values)
    best = PatternSearch(reader, Likenesses(FOLLOWERS, SentenceTransformerEmbedder())).find(question).ranked[0]

    ((_, _, stored),) = best.pattern.ways[best.target]
    assert forward == stored


SHARE = st.floats(0, 1)


@given(SHARE, SHARE, st.floats(-10, 10), st.floats(0, 10))
def test_confidence_is_a_probability_that_grows_with_what_a_pattern_accounts_for(words, least, margin, more):
    """And with its lead over the next pattern."""
    evidence = Evidence(words=words, least=least, target=1.0)

    assert 0 <= confidence(evidence, margin) <= confidence(evidence, margin + more) <= 1
    assert confidence(replace(evidence, least=0.0), margin) <= confidence(evidence, margin)


@pytest.mark.parametrize(
    ("question", "denied"),
    [
        ("Which people don't know Keanu Reeves?", True),
        ("Which people did not direct The Matrix?", False),
        ("Which films are not discontinued?", False),
        ("Which films have no more than 20 in stock?", False),
        ("Which films not from Warner were released after 2000?", False),
        ("Which people never directed a film?", False),
    ],
)
def test_a_denial_that_no_condition_expresses_makes_an_answer_unsure(search, question, denied):
    """The answer may be the opposite of what is asked for."""
    best = search.find(question).ranked[0]

    assert denied == (0.0 == best.evidence.least)
    assert not (denied and best.confidence >= SURE)


@pytest.mark.parametrize(
    "question", ["How are you?", "What is the meaning of life?", "?", "why", "Summarise this for me"]
)
def test_a_question_about_nothing_in_the_graph_has_no_pattern(search, question):
    """Rather than all films."""
    assert () == search.find(question).ranked


def test_a_word_of_the_language_is_not_taken_for_a_title_where_something_else_is_named(search):
    """There is a film *Fall*."""
    best = search.find("Which films that Keanu Reeves acted in fall under drama?").ranked[0]

    assert ["Keanu Reeves"] == [text for constraint in best.pattern.constraints for text in constraint.condition.texts]


UNUSED = [
    ("Which films did Lana Wachowski direct?", (), True),
    ("Which films did lana wachowski direct?", (), True),
    ("Which films did Keanu Reevs direct?", ("Keanu Reevs",), False),
    ("Who directed the film 'zzyx'?", ("zzyx",), False),
    ("Who acted in the football film The Matrix?", ("football",), True),
    ("Recommend films that Lana Wachowski directed", ("Recommend",), True),
    ("Which films did Keanu Reeves make with version 1.2.3?", ("version 1.2.3",), True),
    ("Which films did Keanu Reeves act in between 1.2.3 and 2.0.1?", ("1.2.3", "2.0.1"), True),
    ("Name 3 films that Lana Wachowski directed after 1990", (), True),
]


@pytest.mark.parametrize(("question", "unused", "understood"), UNUSED)
def test_a_pattern_says_what_of_the_question_it_does_not_use(search, question, unused, understood):
    """With a name among it, the question is only partly understood."""
    best = search.find(question).ranked[0]

    assert (unused, understood) == (best.evidence.unused.phrases, best.understood)


def test_a_name_that_the_graph_lacks_is_known_even_without_a_pattern(search):
    """Nor does *Did*, as the first word, look like a name."""
    assert ("Keanu Reevs",) == search.find("Did Keanu Reevs sing?").unknown
    assert () == search.find("Did Keanu Reeves sing?").unknown


DESCRIBED = [
    (
        "Who directed the films that Keanu Reeves acted in?",
        "Person —directed→ Film ←acted in— Person (name is Keanu Reeves)",
    ),
    ("Which films released after 1990 are not discontinued?", "Film (released above 1990, not discontinued)"),
    ("Which studios were founded before May 1950?", "Studio (founded below 1950-05)"),
    ("Who acted in The Matrix as Neo?", "Person —acted in (roles is Neo)→ Film (title is The Matrix)"),
]


@pytest.mark.parametrize(("question", "described"), DESCRIBED)
def test_a_pattern_is_described_in_words(search, question, described):
    """From the answer outwards, with its conditions."""
    best = search.find(question).ranked[0]

    assert described == description(best.pattern, best.target, SCHEMA)


@pytest.mark.parametrize("title", ["The Most Wanted Man", "'the top 3 films on average'"])
def test_words_of_a_value_ask_for_no_order(search, title):
    """Neither words of a title, nor quoted text that no property has."""
    found = search.find(f"Who directed {title}?")

    assert found.aggregation is None
    assert found.ranked


def test_the_owners_synonyms_name_labels_and_types():
    """The profile says that a *flick* is a film and *megged* is *directed*."""
    schema = replace(SCHEMA, synonyms={"Film": ("flick",), "DIRECTED": ("megged",)})
    values = ValuesInMemory([(PropertyRef(Owner("label", "Person"), "name"), "Lana Wachowski")])
    reader = QuestionReader(schema, values)
    search = PatternSearch(reader, Likenesses(schema, SentenceTransformerEmbedder()))

    best = search.find("Which flicks has Lana Wachowski megged?").ranked[0]

    assert ("Film", {"DIRECTED": 1}) == (best.pattern.labels[best.target], best.pattern.types)
    assert schema == GraphSchema.from_json(schema.to_json())


def test_among_thousands_of_types_those_that_the_question_speaks_of_are_tried(monkeypatch):
    """In a graph extracted by a model, the number of scored types is limited, and the right one is found."""

    class CountingScorer(Scorer):
        scored = 0

        def score(self, pattern):
            type(self).scored += 1
            return super().score(pattern)

    monkeypatch.setattr("gear_neo4j.retrieval.patterns.search.Scorer", CountingScorer)
    counts = []
    for many in (100, 2_000):
        types = ["DIRECTED", *(f"T{number:04}_OF" for number in range(many))]
        ties = tuple(Tie("Entity", type, "Entity", 1 + ref) for ref, type in enumerate(types))
        names = {"name": PropertySchema("name", distinct=900)}
        schema = GraphSchema({"Entity": names}, {type: {} for type in types}, ties, {"Entity": "name"})
        values = ValuesInMemory([(PropertyRef(Owner("label", "Entity"), "name"), "Lana Wachowski")])
        reader = QuestionReader(schema, values)
        CountingScorer.scored = 0
        ranked = (
            PatternSearch(reader, Likenesses(schema, FakeEmbedder())).find("What has Lana Wachowski directed?").ranked
        )
        counts.append(CountingScorer.scored)
        assert {"DIRECTED": 1} == ranked[0].pattern.types

    assert counts[1] <= 1.2 * counts[0]


@given(st.text(max_size=80))
def test_any_text_is_a_question(search, text):
    """Any input gives patterns or none; each contains only names of the schema."""
    for candidate in search.find(f"films {text}").ranked:
        assert set(candidate.pattern.labels) <= SCHEMA.labels.keys()
        assert {edge.type for edge in candidate.pattern.edges} <= SCHEMA.types.keys()


NAMES = st.text(min_size=1, max_size=12) | st.sampled_from(["`", "a`) DETACH DELETE n //", "Kind of thing", "x'\""])


def compiled(label, type, property, value):
    """The query of a pattern of two nodes with one condition."""
    schema = GraphSchema({label: {property: PropertySchema(property)}}, {type: {}}, (), {label: property})
    condition = Condition(Owner("label", label), property, "is", (value,))
    pattern = Pattern((label, label), (Edge(0, 1, type, True),), (Constraint(0, condition, 0),))
    return Compiler(schema).shown(pattern, 1, limit=5)


@given(label=NAMES, type=NAMES, property=NAMES, value=st.text(max_size=20))
def test_hostile_names_stay_names(label, type, property, value):
    """Quoted identifiers are single tokens, values are never in the text: the rest of the query is our own."""
    assume(all(map(can_be_written, (label, type, property))))

    cypher = compiled(label, type, property, value)

    assert len(list(tokens(compiled("A", "B", "c", "").statement))) == len(list(tokens(cypher.statement)))
    assert {"p0": [value]} == cypher.parameters


@pytest.mark.parametrize("name", ["a\\u0060) DETACH DELETE n //", "", "line\nbreak", "nothing\0"])
def test_a_name_that_cannot_be_written_is_refused(name):
    """Cypher 5 resolves escapes inside backticks, too."""
    with pytest.raises(ValueError, match="cannot be written"):
        compiled(name, "B", "c", "")


def test_only_so_many_vectors_are_kept(monkeypatch):
    """A service reads questions for weeks; forgotten vectors are computed again, and are the same."""
    monkeypatch.setattr(likeness, "MOST_KEPT", 3)
    likenesses = Likenesses(SCHEMA, SentenceTransformerEmbedder())
    first = likenesses.vectors(["film", "person"])

    for text in ("one", "two", "three", "four"):
        likenesses.vectors(["film", text])

    assert len(likenesses._kept) <= 3
    assert np.allclose(first, likenesses.vectors(["film", "person"]), atol=1e-6)


@given(
    st.lists(
        st.sampled_from(["act", "actor", "actress", "direct", "director", "e", "mate", "price", "screen", "writ"])
    ),
    st.text("aceimorstw", max_size=8) | st.sampled_from(["acte", "directing", "teammate", "screenwrit", "e", "pric"]),
)
def test_forms_of_a_word_are_looked_up_as_if_all_were_compared(stems, word):
    """A schema can have thousands of words."""
    expected = {ref: likeness for ref, stem in enumerate(stems) if (likeness := alike(word, stem))}

    assert expected == Stems(stems).alike(word)


def test_a_name_without_words_is_like_nothing():
    """Neo4j allows a label of one space."""
    schema = replace(SCHEMA, labels={**SCHEMA.labels, " ": {}})

    reading = QuestionReader(schema, ValuesInMemory([])).read("Which film?")

    likeness = Likenesses(schema, FakeEmbedder()).of(reading)

    assert {"Film"} == {element.name for row in likeness.values() for element in row if element.kind == "label"}


def test_patterns_that_differ_in_the_order_of_their_nodes_have_one_form():
    """Otherwise the beam would fill with copies."""
    one = Pattern(("Film", "Person"), (Edge(0, 1, "DIRECTED", False),), parallels=(Parallel(0, "ACTED_IN", False),))
    two = Pattern(("Person", "Film"), (Edge(0, 1, "ACTED_IN", True),), parallels=(Parallel(0, "DIRECTED", True),))

    assert one.form == two.form
    assert one.form != Pattern(("Person", "Film"), (Edge(0, 1, "ACTED_IN", True),)).form


@st.composite
def grown(draw):
    """A pattern, and one grown from it by further relationships and conditions."""
    patterns = [Pattern((draw(st.sampled_from(sorted(SCHEMA.labels))),))]
    for _ in range(draw(st.integers(0, 4))):
        pattern = patterns[-1]
        node = draw(st.integers(0, len(pattern.labels) - 1))
        label = pattern.labels[node]
        if draw(st.booleans()):
            way = draw(st.sampled_from(SCHEMA.ways[label]))
            edge = Edge(node, len(pattern.labels), way.type, way.forward)
            pattern = replace(pattern, labels=(*pattern.labels, way.label), edges=(*pattern.edges, edge))
        else:
            condition = Condition(Owner("label", label), "name", "is", (draw(st.sampled_from("ab")),))
            pattern = replace(pattern, on_nodes=(*pattern.on_nodes, Constraint(node, condition, 0)))
        patterns.append(pattern)
    return draw(st.sampled_from(patterns)), patterns[-1]


@given(grown())
def test_a_pattern_is_part_of_whatever_grows_from_it(patterns):
    """So a pattern without nodes is not tried with more conditions; the reverse only holds for equal ones."""
    pattern, whole = patterns

    assert pattern.is_part_of(whole)
    assert not whole.is_part_of(pattern) or len(whole.edges) == len(pattern.edges)


def test_a_pattern_is_no_part_of_one_that_says_less_or_something_else():
    """Another direction, another type, another value, the same relationship twice."""
    directed = Pattern(("Person", "Film"), (Edge(0, 1, "DIRECTED", True),))
    acted = Pattern(("Person", "Film"), (Edge(0, 1, "ACTED_IN", True),))
    named = replace(acted, on_nodes=(Constraint(0, Condition(Owner("label", "Person"), "name", "is", ("Ann",)), 0),))
    twice = Pattern(("Film", "Person", "Person"), (Edge(0, 1, "ACTED_IN", False), Edge(0, 2, "ACTED_IN", False)))
    around = Pattern(("Film", "Person", "Film"), (Edge(0, 1, "ACTED_IN", False), Edge(1, 2, "DIRECTED", True)))

    assert acted.is_part_of(around)
    assert directed.is_part_of(around)
    assert not directed.is_part_of(acted)
    assert not named.is_part_of(around)
    assert not twice.is_part_of(around)
    assert not Pattern(("Film", "Film"), (Edge(0, 1, "ACTED_IN", True),)).is_part_of(acted)
