"""Ingestion into a real database: stored, skipped and reported items."""

import json
from concurrent import futures
from concurrent.futures import ThreadPoolExecutor

import neo4j
import pytest

from gear_neo4j.domain import Passage
from gear_neo4j.errors import InputError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.ingestion.pipeline import Ingest
from gear_neo4j.ingestion.reading import TRIPLES_A_BATCH
from gear_neo4j.ingestion.synonyms import write_synonyms
from gear_neo4j.ingestion.writing import write_passages

GRAPH = Query(
    "graph",
    "MATCH (n) WHERE n:Passage OR n:Triple OR n:Entity "
    "OPTIONAL MATCH (n)-[r]->(m) WITH n, r, m ORDER BY type(r), coalesce(m.id, m.key) "
    "RETURN labels(n) AS labels, coalesce(n.id, n.key) AS id, n.embedding IS NOT NULL AS embedded, "
    "n.extractedAt IS NOT NULL AS extracted, n.name AS name, "
    "collect([type(r), coalesce(m.id, m.key)]) AS edges ORDER BY labels, id",
)


@pytest.fixture
def folder(tmp_path):
    """A data set of two passages that share an entity."""
    return written(
        tmp_path,
        corpus=[
            {"id": "p1", "title": "Curie", "text": "Marie Curie was born in Warsaw."},
            {"id": "p2", "title": "Warsaw", "text": "Warsaw lies on the Vistula."},
        ],
        triples=[
            {"id": "p1", "triples": [["Marie Curie", "was born in", "Warsaw"]]},
            {"id": "p2", "triples": [["WARSAW", "lies on", "Vistula"]]},
        ],
    )


def written(folder, **files):
    """Write JSONL files into a folder; an item that is a string is written unchanged."""
    for name, rows in files.items():
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogatepass")
    return folder


def ingested(database, embedder, folder, *, synonyms=False):
    """Ingest a data set's folder; returns the report and the problems as text."""
    problems = []
    run = Ingest(Graph(database), embedder, on_problem=lambda one: problems.append(str(one)))
    triples = [folder / "triples.jsonl"] if (folder / "triples.jsonl").exists() else []
    report = run.run([folder / "corpus.jsonl"], triples)
    if synonyms:
        run.link_synonyms()
    return report, problems


def test_passages_triples_and_entities_are_linked(database, embedder, folder):
    """One entity for two spellings, and each triple with subject, object and passage."""
    report, problems = ingested(database, embedder, folder)

    assert ([], 2, 2) == (problems, report.passages_written, report.triples_written)
    graph = {row["id"]: row for row in database.run(GRAPH)}
    assert {"marie curie", "warsaw", "vistula"} == {id for id, row in graph.items() if row["labels"] == ["Entity"]}
    assert "Warsaw" == graph["warsaw"]["name"]
    first = next(row for row in graph.values() if ["FROM", "p1"] in row["edges"])
    assert [["FROM", "p1"], ["OBJECT", "warsaw"], ["SUBJECT", "marie curie"]] == first["edges"]
    assert all(row["extracted"] for row in graph.values() if row["labels"] == ["Passage"])


def test_embeddings_are_stored_as_float32(database, embedder, folder):
    """A list of doubles would take twice as many reads."""
    ingested(database, embedder, folder)

    types = Query("types", "MATCH (n) WHERE n.embedding IS NOT NULL RETURN DISTINCT valueType(n.embedding) AS t")
    stored = Query("stored", "MATCH (p:Passage {id: 'p1'}) RETURN p.embedding AS e")
    assert 1 == len(database.run(types))
    vector = embedder.embed(["Curie\nMarie Curie was born in Warsaw."])[0]
    assert vector.tolist() == pytest.approx(database.run(stored)[0]["e"], abs=1e-6)


def test_ingesting_twice_changes_nothing(database, embedder, folder):
    """The second run embeds nothing, and only writes when the source was last read."""
    ingested(database, embedder, folder, synonyms=True)
    everything = Query(
        "everything",
        "MATCH (n) WHERE NOT n:__GearOrigin OPTIONAL MATCH (n)-[r]->() RETURN elementId(n) AS n, properties(n) AS p, "
        "collect([elementId(r), properties(r)]) AS r ORDER BY n",
    )
    before = database.run(everything)

    report, _ = ingested(database, Refusing(), folder, synonyms=True)

    assert (0, 0, 0) == (report.passages_written, report.triples_written, report.synonyms_written)
    assert before == database.run(everything)


class Refusing:
    """An embedding model that must not be called."""

    name = "fake"
    dimension = 384

    def embed(self, texts):
        raise AssertionError(f"asked to embed {texts}")


def test_unusable_lines_are_reported_and_the_rest_is_ingested(database, embedder, tmp_path):
    """Each problem names file, line and reason."""
    folder = written(
        tmp_path,
        corpus=['{"id": "p1", "text": "one"}', "{broken", '{"id": "p2"}', "", '{"id": "p3", "text": "three"}'],
        triples=[
            {"id": "p1", "triples": [["a", "b", "c"], ["a", "b"], ["a", " ", "c"]]},
            {"id": "p9", "triples": [["x", "y", "z"]]},
            '{"id": "p3", "triples": [["d", "e", "\\ud800"]]}',
        ],
    )

    report, problems = ingested(database, embedder, folder)

    assert (2, 1) == (report.passages_written, report.triples_written)
    assert 6 == report.problems == len(problems)
    corpus, triples = folder / "corpus.jsonl", folder / "triples.jsonl"
    assert problems[0].startswith(f"{corpus}:2: not JSON")
    assert problems[1] == f'{corpus}:3: "text" is missing or not a text'
    assert [f"{triples}:1", f"{triples}:1", f"{triples}:3"] == [one.rsplit(": ", 1)[0] for one in problems[2:5]]
    assert f"{triples}:2: names the passage 'p9', which does not exist" in problems[5]


def test_an_unknown_passage_comes_with_its_triples_once_it_is_there(database, embedder, tmp_path):
    """Nothing is lost: the same file again, after the passage, completes the graph."""
    folder = written(
        tmp_path, corpus=[{"id": "p1", "text": "one"}], triples=[{"id": "p2", "triples": [["a", "b", "c"]]}]
    )
    ingested(database, embedder, folder)
    written(tmp_path, corpus=[{"id": "p2", "text": "two"}])

    report, problems = ingested(database, embedder, folder)

    assert ([], 1) == (problems, report.triples_written)


@pytest.mark.parametrize("again", ["same run", "next run"])
def test_another_text_under_a_used_id_is_reported_and_nothing_is_overwritten(database, embedder, tmp_path, again):
    """The first text stays."""
    first, second = {"id": "p1", "text": "first"}, {"id": "p1", "text": "second"}
    if again == "next run":
        ingested(database, embedder, written(tmp_path, corpus=[first]))
        folder = written(tmp_path, corpus=[second])
    else:
        folder = written(tmp_path, corpus=[first, second])

    _, problems = ingested(database, embedder, folder)

    assert 1 == len(problems)
    assert "'p1' already" in problems[0]
    assert [{"t": "first"}] == database.run(Query("t", "MATCH (p:Passage) RETURN p.text AS t"))


def test_names_of_every_script_stay_apart(database, embedder, tmp_path):
    """No name is reduced to ASCII, and none is lost."""
    names = ["鲁迅", "Лев Толстой", "محمود درويش", "प्रेमचंद", "Gabriel García Márquez", "🙂"]
    folder = written(
        tmp_path,
        corpus=[{"id": "p", "text": "x"}],
        triples=[{"id": "p", "triples": [[n, "wrote", "a book"] for n in names]}],
    )

    ingested(database, embedder, folder)

    found = database.run(Query("names", "MATCH (e:Entity)<-[:SUBJECT]-() RETURN e.name AS name"))
    assert set(names) == {row["name"] for row in found}


def test_names_and_texts_longer_than_an_index_entry_are_stored(database, embedder, tmp_path):
    """A key of 10,000 characters would be refused by the index."""
    long = "word " * 5_000
    folder = written(
        tmp_path,
        corpus=[{"id": "p", "title": long, "text": long}],
        triples=[{"id": "p", "triples": [[long, "is", "long"], [long + "too", "is", "long"], ["same", "is", "same"]]}],
    )

    _, problems = ingested(database, embedder, folder)

    assert [] == problems
    assert [{"n": 4}] == database.run(Query("n", "MATCH (e:Entity) RETURN count(e) AS n"))


def test_a_passage_of_more_triples_than_a_batch_is_complete(database, embedder, tmp_path):
    """Its status is written with the last of its batches."""
    many = [[f"s{i}", "p", f"o{i}"] for i in range(2 * TRIPLES_A_BATCH + 1)]
    folder = written(tmp_path, corpus=[{"id": "p", "text": "x"}], triples=[{"id": "p", "triples": many}])

    report, _ = ingested(database, embedder, folder)

    assert len(many) == report.triples_written
    state = Query("s", "MATCH (p:Passage)<-[:FROM]-(t) RETURN count(t) AS n, p.extractedAt IS NOT NULL AS done")
    assert [{"n": len(many), "done": True}] == database.run(state)


def test_a_passage_without_triples_gets_its_status(database, embedder, tmp_path):
    """Stating no facts is a result, too."""
    folder = written(tmp_path, corpus=[{"id": "p", "text": "x"}], triples=[{"id": "p", "triples": []}])

    ingested(database, embedder, folder)

    assert [{"done": True}] == database.run(Query("s", "MATCH (p:Passage) RETURN p.extractedAt IS NOT NULL AS done"))


def test_a_passage_deleted_between_reading_and_writing_leaves_no_entity(database, embedder, folder):
    """While it is embedded, another process may forget the passage; then its triples must not be written."""

    class Deleting:
        name, dimension = embedder.name, embedder.dimension

        def embed(self, texts):
            if "Marie Curie was born in Warsaw" in texts:
                Graph(database).corpus.delete_passages(["p1"])
            return embedder.embed(texts)

    ingested(database, Deleting(), folder)

    graph = {row["id"] for row in database.run(GRAPH) if row["labels"] != ["Triple"]}
    assert {"p2", "warsaw", "vistula"} == graph
    assert 1 == Graph(database).store.counts().triples


def test_synonyms_link_near_names_and_rewrite_none(database, embedder, tmp_path):
    """Edges at cosine 0.8 and above, one per pair, between names of three letters or more."""
    names = ["city of new york", "the city of new york", "warsaw", "ab", "AB."]
    folder = written(
        tmp_path, corpus=[{"id": "p", "text": "x"}], triples=[{"id": "p", "triples": [[n, "is", "p"] for n in names]}]
    )

    report, _ = ingested(database, embedder, folder, synonyms=True)

    edges = database.run(
        Query("e", "MATCH (a)-[s:SYNONYM]->(b) RETURN a.name AS a, b.name AS b, s.score >= 0.8 AS near ORDER BY a")
    )
    assert [{"a": "city of new york", "b": "the city of new york", "near": True}] == edges
    assert 1 == report.synonyms_written


def test_synonyms_are_the_same_by_products_of_matrices_and_by_the_index(database, embedder, tmp_path):
    """Compared at once or one by one; the second run has nothing to compare."""
    sizes, colours = ("big", "small", "old", "tall"), ("red", "blue", "green", "")
    names = [f"the {size} {colour} house" for size in sizes for colour in colours]
    folder = written(
        tmp_path, corpus=[{"id": "p", "text": "x"}], triples=[{"id": "p", "triples": [[n, "is", "p"] for n in names]}]
    )
    ingested(database, embedder, folder)
    edges = Query("e", "MATCH (a)-[s:SYNONYM]->(b) RETURN a.key AS a, b.key AS b, round(s.score, 5) AS s ORDER BY a, b")
    unlink = Query(
        "u", "MATCH (e:Entity) REMOVE e.synonymsLinked WITH e MATCH (e)-[s:SYNONYM]->() DELETE s", writes=True
    )

    *_, (_, _, exact) = write_synonyms(Graph(database), embedder=embedder)
    by_products = database.run(edges)
    *_, (_, _, again) = write_synonyms(Graph(database), embedder=Refusing())
    database.run(unlink)
    *_, (_, _, by_index) = write_synonyms(Graph(database), embedder=embedder, most_in_memory=0)

    assert exact == by_index == len(by_products) > 10
    assert 0 == again
    assert by_products == database.run(edges)


def test_only_new_entities_are_compared_by_the_next_ingest(database, embedder, tmp_path):
    """With all others, whose edges stay."""
    first = [{"id": "p", "triples": [["city of new york", "is", "p"], ["warsaw", "is", "p"]]}]
    more = [{"id": "q", "triples": [["the city of new york", "is", "p"]]}]
    for name, triples in (("first", first), ("more", more)):
        (tmp_path / name).mkdir()
        folder = written(tmp_path / name, corpus=[{"id": triples[0]["id"], "text": "x"}], triples=triples)
        ingested(database, embedder, folder)
        *_, (done, total, new) = write_synonyms(Graph(database), embedder=embedder)

    assert (done, 1) == (total, new)


def test_no_writer_waits_for_the_stamp_of_another(database, server, embedder, folder):
    """A transaction that has stamped the store but not committed blocks nobody; each leaves a stamp."""
    graph = Graph(database)
    before = graph.pagerank.version().changed
    with (
        neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver,
        driver.session(database=server.database) as session,
        session.begin_transaction() as other,
    ):
        other.run("MATCH (s:__GearStore {id: 'store'}) SET s.changed = 'later'").consume()
        with ThreadPoolExecutor(1) as pool:
            written = pool.submit(write_passages, graph, [Passage("p", "title", "text")], embedder=embedder)
            finished = futures.wait([written], timeout=10).done
            between = graph.pagerank.version().changed
            other.commit()

    assert {written} == finished
    assert 3 == len({before, between, graph.pagerank.version().changed})


@pytest.mark.parametrize("content", [None, "", "\n \n"])
def test_a_missing_or_empty_file_is_refused_before_anything_is_written(empty, embedder, tmp_path, content):
    """Not even the schema is created."""
    path = tmp_path / "corpus.jsonl"
    if content is not None:
        path.write_text(content)

    with pytest.raises(InputError, match="is not a file" if content is None else "is empty"):
        Ingest(Graph(empty), embedder).run([path], [])

    assert [] == empty.run(Query("c", "SHOW CONSTRAINTS YIELD name"))
