"""Public questions on two public graphs: the shown Cypher is the Cypher that ran."""

import json
import os
import re

import neo4j
import pytest

from gear_neo4j import Gear, Paths
from gear_neo4j.evaluate import knowledge
from gear_neo4j.graph.guard import guard
from tests.quick_embedder import QuickEmbedder

GRAPHS = ["movies", "northwind"]


@pytest.fixture(params=GRAPHS)
def folder(request, data):
    """The folder of a graph with its questions."""
    if not (data / request.param).is_dir():
        tell = pytest.fail if "GEAR_DATA" in os.environ else pytest.skip
        tell(f"{data / request.param} is not there: set GEAR_DATA to the folder of the evaluation data")
    return data / request.param


def rows_of(folder, name):
    """The questions in a file."""
    return [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]


def test_every_query_that_is_shown_gives_the_same_nodes_by_the_plain_driver(checked, folder, server, empty):
    """Pasted into another client with its parameters: the same nodes in the same order, or the same figure.

    For every second aggregate and every fourth question for nodes: all of them take minutes.
    """
    rows = [*rows_of(folder, "questions.jsonl")[::4], *rows_of(folder, "aggregates.jsonl")[::2]]
    questions = [row["question"] for row in rows]
    figures = listed = 0
    with plain_driver(server) as driver:
        gear = Gear(driver, database=server.database, embedder=QuickEmbedder(checked))
        knowledge.provide(gear, knowledge.load(folder))
        for question in questions:
            hits = gear.search(question, retriever=Paths(answers=100))
            if hits.figure:
                figures += 1
                assert hits.figure.value == run(driver, hits.figure.cypher)[0]["value"], question
            best = [entity for entity in hits.entities if entity.cypher == hits.entities[0].cypher]
            if best:
                listed += 1
                nodes = [row[0].element_id for row in run(driver, best[0].cypher)]
                assert [entity.id for entity in best] == nodes, question
    assert listed > len(questions) / 2
    assert figures


def plain_driver(server):
    """A driver of the reader."""
    return neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password))


def run(driver, cypher):
    """The records of a printed text: lines with parameters, then the query."""
    printed = str(cypher)
    parameters = {
        name: json.loads(value) for name, value in re.findall(r"^:param (\w+) => (.*);$", printed, re.MULTILINE)
    }
    query = re.sub(r"^:param .*;\n", "", printed, flags=re.MULTILINE)
    return driver.execute_query(query, parameters, routing_=neo4j.RoutingControl.READ).records


def test_the_guard_admits_all_queries_that_others_wrote_for_the_questions(folder):
    """The guard never refuses a model that answers like the authors of the questions."""
    for name in ("questions.jsonl", "aggregates.jsonl"):
        for row in rows_of(folder, name):
            guard.check(row["cypher"])
