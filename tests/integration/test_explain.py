"""The Cypher that ``gear explain`` writes for a real search runs on the real server and shows the same triples."""

import json

import neo4j
import pytest

pytestmark = pytest.mark.one_server_line


def statements(text):
    """The statements of a Cypher file without their comments."""
    lines = [line for line in text.splitlines() if not line.startswith("//")]
    return [part.strip() for part in "\n".join(lines).split(";") if part.strip()]


def shown(database, statement):
    """The triples and the passages that a statement shows, by id."""
    graph = database.execute_query(statement, result_transformer_=neo4j.Result.graph)
    by_label = {label: {node["id"] for node in graph.nodes if label in node.labels} for label in ("Triple", "Passage")}
    return by_label["Triple"], by_label["Passage"]


def test_the_cypher_of_a_search_shows_its_triples(gear, folder, server, tmp_path):
    """One statement per path, and one for all: the triples of the file, and the passages that state them."""
    assert 0 == gear("ingest", folder / "corpus.jsonl", "--triples", folder / "triples.jsonl")[0]
    told = gear("search", "Where did the 2024 physics laureate write a thesis?", "--json")[1]
    (tmp_path / "run.json").write_text(told)

    code, out, err = gear("explain", tmp_path / "run.json")

    assert (0, "") == (code, err)
    paths = json.loads(told)["paths"]
    assert f"{len(paths)} path" in out
    found = statements((tmp_path / "run.cypher").read_text())
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        pictures = [shown(driver, statement) for statement in found]
    expected = [({triple["id"] for triple in path["triples"]}, set(path["passages"])) for path in paths]
    assert [*expected, tuple(set.union(*parts) for parts in zip(*expected, strict=True))] == pictures
    assert 2 == max(len(triples) for triples, _ in pictures)
    assert "Geoffrey Hinton" in (tmp_path / "run.html").read_text()
