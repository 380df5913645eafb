"""The survey that questions share."""

import pytest

from gear_neo4j.adoption.survey import RecentSurvey
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from tests.clock import Clock
from tests.graphs import ingest

CREATE = Query("create", "CREATE (:Film {title: 'Metropolis'})-[:SHOT_IN]->(:City {name: 'Berlin'})", writes=True)


@pytest.fixture
def clock():
    return Clock()


def surveyed(spans):
    """How often nodes were sampled; only once where the first sample has all of them."""
    return sum("survey_nodes" in span.name for span in spans.kind("QUERY"))


def test_questions_of_a_minute_share_it(database, clock, spans):
    """A node of the user's is seen a minute later."""
    recent = RecentSurvey(Graph(database), clock=clock)
    before = recent.current()
    database.run(CREATE)

    clock.now = 59.9
    assert before is recent.current()
    assert 1 == surveyed(spans)
    clock.now = 60.0
    assert {"Film", "City"} == recent.current().labels.keys()


def test_it_is_made_again_after_an_ingest(database, clock, embedder, tmp_path):
    """What the user changed meanwhile is in it, too."""
    recent = RecentSurvey(Graph(database), clock=clock)
    before = recent.current()
    database.run(CREATE)

    ingest(database, embedder, tmp_path, {"p1": "Fritz Lang shot Metropolis in Berlin."})

    assert {} == before.labels
    assert {"Film", "City"} == recent.current().labels.keys()


def test_a_graph_without_our_data_is_surveyed_too(empty, clock):
    """The cypher agent asks such a graph."""
    empty.run(CREATE)

    assert {"SHOT_IN"} == RecentSurvey(Graph(empty), clock=clock).current().types.keys()
