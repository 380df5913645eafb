"""An ingest that is killed repeatedly ends in the same graph as an undisturbed one."""

import json
import random
import time
from hashlib import blake2b
from pathlib import Path

import pytest

from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema.preparation import prepare
from gear_neo4j.ingestion.pipeline import Ingest
from tests.forks import Connecting, ingesting

pytestmark = pytest.mark.one_server_line

PASSAGES = 1_500
KILLS = 10
SIZE = Query("size", "MATCH (n) WHERE n:Passage OR n:Triple OR n:Entity RETURN count(n) AS n")
FINGERPRINT = Query(
    "fingerprint",
    "MATCH (n) WHERE n:Passage OR n:Triple OR n:Entity CALL (n) { OPTIONAL MATCH (n)-[r]->(m) "
    "WITH type(r) + '>' + coalesce(m.id, m.key) AS edge ORDER BY edge RETURN collect(edge) AS edges } "
    "RETURN labels(n)[0] AS label, coalesce(n.id, n.key) AS id, coalesce(n.name, n.text) AS text, "
    "n.embedding IS NOT NULL AS embedded, n.extractedAt IS NOT NULL AS extracted, edges ORDER BY label, id, edges",
)


@pytest.fixture
def folder(tmp_path) -> Path:
    """A data set of 1,500 passages with ten triples each, over entities that many passages share."""
    chance = random.Random(7)
    with (tmp_path / "corpus.jsonl").open("w") as corpus, (tmp_path / "triples.jsonl").open("w") as triples:
        for i in range(PASSAGES):
            corpus.write(json.dumps({"id": f"p{i}", "title": f"title {i}", "text": f"text {i}"}) + "\n")
            facts = [[f"entity {chance.randrange(900)}", f"r{j}", f"entity {chance.randrange(900)}"] for j in range(10)]
            triples.write(json.dumps({"id": f"p{i}", "triples": facts}) + "\n")
    return tmp_path


def fingerprint(database) -> tuple[int, str]:
    """The number of nodes, and a hash of all ids, texts, states and edges."""
    rows = [json.dumps(row, sort_keys=True) for row in database.run(FINGERPRINT)]
    return len(rows), blake2b("\n".join(rows).encode()).hexdigest()


def started(server, folder) -> Connecting:
    """An ingest in a separate process, once it is connected."""
    process = Connecting(ingesting, server, folder)
    assert process.began.wait(60)
    return process


def test_ten_kills_leave_nothing_doubled_and_nothing_lost(server, database, embedder, folder, request):
    """SIGKILL at ten random moments, then a complete run, compared with an undisturbed run."""
    undisturbed = started(server, folder)
    assert 0 == undisturbed.wait()
    expected = fingerprint(database)
    fresh = request.getfixturevalue("empty")
    chance = random.Random(11)
    sizes = []

    for number in range(KILLS):
        process = started(server, folder)
        # At a random point of this tenth of the work, independent of the machine's speed.
        point = (number + chance.random()) * expected[0] / KILLS
        while fresh.run(SIZE)[0]["n"] < point and process.is_alive:
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.1))
        process.kill()
        # A kill may hit the migration: the next process waits until the dead one's lock expires.
        prepare(fresh, model=embedder.name, dimension=embedder.dimension)
        sizes.append(fresh.run(SIZE)[0]["n"])
    Ingest(Graph(fresh), embedder).run([folder / "corpus.jsonl"], [folder / "triples.jsonl"])

    assert sizes == sorted(sizes)
    partial = {size for size in sizes if 0 < size < expected[0]}
    assert len(partial) >= KILLS // 2, f"the kills must hit the ingest at work: {sizes}"
    assert expected == fingerprint(fresh)
