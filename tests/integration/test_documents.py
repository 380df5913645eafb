"""Documents in a real database: ingested, changed, ingested again and forgotten, without touching anything else."""

import json
import os
import random
import threading
import time
from contextlib import contextmanager

import neo4j
import pytest

from gear_neo4j import Base, Gear
from gear_neo4j.domain import make_triple
from gear_neo4j.errors import InputError, MigrationError, SettingsError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query, named
from gear_neo4j.graph.schema import migrations
from gear_neo4j.graph.schema.record import RecordedDataset
from gear_neo4j.graph.write.corpus_writes import Deletion, entity_rows, triple_rows
from gear_neo4j.ingestion import forgetting
from gear_neo4j.ingestion.forgetting import forget
from gear_neo4j.ingestion.lines import LONGEST_SOURCE
from gear_neo4j.ingestion.pipeline import Ingest
from gear_neo4j.ingestion.reading import PASSAGES_A_BATCH
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.ingestion.writing import write_triples
from gear_neo4j.models.triple_vectors import encode

pytestmark = pytest.mark.one_server_line

NODES = Query(
    "nodes",
    "MATCH (n) WHERE NOT (n:__GearTests OR n:__GearOrigin OR n:__GearSource) "
    "RETURN elementId(n) AS id, labels(n) AS l, properties(n) AS p",
)
EDGES = Query(
    "edges",
    "MATCH (a)-[r]->(b) RETURN elementId(r) AS id, type(r) AS t, properties(r) AS p, elementId(a) AS a, "
    "elementId(b) AS b",
)
TEXTS = Query(
    "texts", "MATCH (p:Passage) RETURN p.text AS text, p.source AS source, p.position AS position, p.id AS id"
)
ENTITIES = Query("entities", "MATCH (e:Entity) RETURN collect(e.key) AS keys")
DANGLING = Query(
    "dangling",
    "MATCH (t:Triple) WHERE COUNT { (t)-[:SUBJECT]->() } <> 1 OR COUNT { (t)-[:OBJECT]->() } <> 1 "
    "OR COUNT { (t)-[:FROM]->() } <> 1 RETURN count(t) AS n",
)
GUIDE = "# Guide\n\nCurie was born in Warsaw.\n\n## Prize\n\nCurie won a prize.\n\n## Later\n\nShe went to Paris.\n"


class Refusing:
    """An embedding model that must not be called."""

    name = "fake"
    dimension = 384

    def embed(self, texts):
        raise AssertionError(f"asked to embed {texts}")


class Dying:
    """A database whose process is killed just before its nth query."""

    def __init__(self, database, query, *, call=1):
        self._database, self._query, self._left = database, query, call

    def __getattr__(self, name):
        return getattr(self._database, name)

    def call(self, name, /, **parameters):
        self._left -= name == self._query
        if name == self._query and not self._left:
            raise KeyboardInterrupt
        return self._database.call(name, **parameters)


@pytest.fixture
def gear(server, database, embedder):
    """The front door to the tests' database."""
    with Gear.connect(server, embedder=embedder) as gear:
        yield gear


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """A folder of two documents with three passages and one, inside the current folder."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "guide.md").write_text(GUIDE)
    (folder / "other.txt").write_text("Warsaw lies on the Vistula.")
    return folder


def ingested(gear, *sources, **options):
    """The report of an ingest, and its problems as text."""
    problems = []
    report = gear.ingest(
        sources, on_problem=lambda problem: problems.append(str(problem)), **{"extract": False} | options
    )
    return report, problems


def stated(gear, fragment, *triples):
    """Write the triples of the passage that contains the fragment, like an extraction."""
    (id,) = [row["id"] for row in gear.graph.database.run(TEXTS) if fragment in row["text"]]
    facts = [make_triple(id, *triple) for triple in triples]
    write_triples(gear.graph, facts, completed=[id], embedder=gear.embedder)


def dump(gear):
    """Everything in the database except the stamp of each write: nodes and edges by internal id."""
    nodes, edges = gear.graph.database.run(NODES), gear.graph.database.run(EDGES)
    for row in nodes:
        row["p"].pop("changed", None)
    return {row["id"]: row for row in nodes}, {row["id"]: row for row in edges}


def rest(gear, *ids):
    """The dump without the nodes of these ids or keys and their edges."""
    nodes, edges = dump(gear)
    gone = {id for id, row in nodes.items() if row["p"].get("id", row["p"].get("key")) in ids}
    return (
        {id: row for id, row in nodes.items() if id not in gone},
        {id: row for id, row in edges.items() if not {row["a"], row["b"]} & gone},
    )


def texts(gear):
    return {row["text"].split("\n")[-1]: (row["source"], row["position"]) for row in gear.graph.database.run(TEXTS)}


def entities(gear):
    return set(gear.graph.database.run(ENTITIES)[0]["keys"])


# Ingesting


def test_a_folder_of_documents_becomes_passages_with_source_and_position(gear, docs):
    """Hits and the store return both."""
    report, problems = ingested(gear, "docs")

    assert ([], 2, 4, 4) == (problems, report.documents_read, report.passages_read, report.passages_written)
    assert {
        "Curie was born in Warsaw.": ("docs/guide.md", "line 1"),
        "Curie won a prize.": ("docs/guide.md", "line 5"),
        "She went to Paris.": ("docs/guide.md", "line 9"),
        "Warsaw lies on the Vistula.": ("docs/other.txt", "line 1"),
    } == texts(gear)
    hit = gear.search("Curie won a prize", retriever=Base(base="sbert"))[0].passage
    assert ("Guide > Prize", "docs/guide.md", "line 5") == (hit.title, hit.source, hit.position)
    assert hit in list(gear.graph.store.all_passages())


def test_the_same_folder_again_changes_nothing(gear, docs, database):
    """No node, no edge, no property, and nothing is embedded."""
    ingested(gear, "docs")
    before = dump(gear)

    report = Ingest(Graph(database), Refusing()).run(files_to_ingest(["docs"]).passages, [])

    assert (4, 0, 0) == (report.passages_read, report.passages_written, report.passages_removed)
    assert before == dump(gear)


def test_unusable_documents_are_reported_and_the_rest_is_ingested(gear, docs):
    """In one line each, with the reason; other kinds are counted."""
    (docs / "broken.pdf").write_bytes(b"%PDF-1.4 and no more")
    (docs / "empty.md").touch()
    (docs / "latin.txt").write_bytes("Café".encode("latin-1"))
    (docs / "photo.gif").touch()

    report, problems = ingested(gear, "docs")

    assert 4 == report.passages_written
    assert {".gif": 1} == report.skipped
    assert 3 == report.problems
    assert problems[0].startswith("docs/broken.pdf: cannot be read as PDF: ")
    assert ["docs/empty.md: is empty", "docs/latin.txt: is not UTF-8 (byte 4): save it as UTF-8"] == problems[1:]


def test_documents_lines_and_data_sets_are_ingested_together(gear, docs):
    """A line of JSONL is a passage in any folder."""
    (docs / "more.jsonl").write_text('{"id": "p1", "text": "one"}\n')
    (docs / "set").mkdir()
    (docs / "set" / "corpus.jsonl").write_text('{"id": "p2", "text": "two"}\n')
    (docs / "set" / "triples.jsonl").write_text('{"id": "p2", "triples": [["a", "b", "c"]]}\n')

    report, problems = ingested(gear, "docs")

    assert ([], 6, 1) == (problems, report.passages_written, report.triples_written)
    assert ("docs/set/corpus.jsonl", None) == texts(gear)["two"]


def test_passages_are_as_long_as_asked_for(gear, docs):
    """With another length, the passages of the old length are removed."""
    (docs / "long.txt").write_text("A sentence of words. " * 40)
    ingested(gear, "docs/long.txt")

    report, _ = ingested(gear, "docs/long.txt", chunk_size=200)

    assert (1, True) == (report.passages_removed, max(map(len, texts(gear))) <= 200)
    with pytest.raises(SettingsError, match="chunk_size is 99"):
        ingested(gear, "docs/long.txt", chunk_size=99)


def test_many_small_documents_share_a_batch_and_a_large_one_takes_several(gear, docs):
    """In any batches, each document ends with exactly its own passages."""
    for number in range(40):
        (docs / f"{number:02}.txt").write_text("\n\n".join(f"Paragraph {number} {i} {'x' * 80}" for i in range(10)))
    ingested(gear, "docs", chunk_size=100)
    (docs / "07.txt").write_text("Only this.")
    (docs / "39.txt").write_text("\n\n".join(f"Paragraph 39 {i} {'x' * 80}" for i in range(5, PASSAGES_A_BATCH * 2)))

    report, _ = ingested(gear, "docs", chunk_size=100)

    assert (1 + PASSAGES_A_BATCH * 2 - 10, 10 + 5) == (report.passages_written, report.passages_removed)
    assert 4 + 38 * 10 + 1 + PASSAGES_A_BATCH * 2 - 5 == gear.corpus.counts().passages


# Changed documents


@pytest.fixture
def changed(gear, docs):
    """A graph over the documents, then one paragraph rewritten and one moved; returns the ids that must be removed."""
    ingested(gear, "docs")
    stated(gear, "born", ("Curie", "was born in", "Warsaw"))
    stated(gear, "won", ("Curie", "won", "prize"), ("prize", "was for", "radium"), ("radium salt", "is", "radium"))
    stated(gear, "Vistula", ("Warsaw", "lies on", "Vistula"))
    stated(gear, "Paris", ("Curie", "went to", "Paris"))
    gear.ingest(["docs/other.txt"], synonyms=True, extract=False)
    gear.graph.database.run(
        Query("s", "MATCH (a:Entity {key: 'radium'}), (b:Entity {key: 'paris'}) MERGE (a)-[:SYNONYM]->(b)", writes=True)
    )
    (old,) = [row["id"] for row in gear.graph.database.run(TEXTS) if "won" in row["text"]]
    triples = Query("triples", "MATCH (t:Triple)-[:FROM]->({id: $id}) RETURN t.id AS id", frozenset({"id"}))
    gone = {old, "prize", "radium", "radium salt"} | {row["id"] for row in gear.graph.database.run(triples, id=old)}
    guide = docs / "guide.md"
    status = guide.stat()
    guide.write_text(GUIDE.replace("won a prize.", "won two prizes.\nTwo."))
    # Another test checks the modification time, which all its passages have.
    os.utime(guide, ns=(status.st_atime_ns, status.st_mtime_ns))
    return gone


def test_a_document_that_was_touched_gets_its_new_time_and_keeps_its_triples(gear, docs):
    """Only the metadata is written: no text, no vector, no triple."""
    ingested(gear, "docs")
    stated(gear, "born", ("Curie", "was born in", "Warsaw"))
    os.utime(docs / "guide.md", (86_400, 86_400))

    report, problems = ingested(gear, "docs")

    assert ([], 0, 0, 0) == (problems, report.passages_written, report.passages_removed, report.triples_removed)
    passages = [hit.passage for hit in gear.search("Curie", retriever=Base(base="bm25"), k=10)]
    modified = {passage.metadata["modified"] for passage in passages if passage.metadata["file"] == "guide.md"}
    assert {"1970-01-02T00:00:00Z"} == modified
    assert {"curie", "warsaw"} <= entities(gear)


def test_a_changed_document_replaces_what_changed_and_nothing_else(gear, changed):
    """Stale passages are removed with their triples, orphaned entities and synonym edges; the others keep theirs."""
    before = rest(gear, *changed)

    report, problems = ingested(gear, "docs")

    assert ([], 1, 1, 3, 3) == (
        problems,
        report.passages_written,
        report.passages_removed,
        report.triples_removed,
        report.entities_removed,
    )
    (new,) = [row["id"] for row in gear.graph.database.run(TEXTS) if "two prizes" in row["text"]]
    nodes, edges = rest(gear, new)
    moved = next(row for row in nodes.values() if "Paris" in row["p"].get("text", "") and row["l"] == ["Passage"])
    assert "line 10" == moved["p"]["position"]
    moved["p"]["position"] = "line 9"
    assert before == (nodes, edges)
    assert {"curie", "warsaw", "vistula", "paris"} == entities(gear)


@pytest.mark.parametrize("query", ["delete_passages", "move_passages", "passages_of_documents"])
def test_a_run_killed_before_the_stale_passages_went_is_completed_by_the_next(gear, database, changed, query):
    """In between, the document has both versions, afterwards only the new one."""
    files = files_to_ingest(["docs"]).passages
    with pytest.raises(KeyboardInterrupt):
        Ingest(Graph(Dying(database, query)), gear.embedder).run(files, [])
    assert 5 == gear.corpus.counts().passages
    assert "radium" in entities(gear)

    report, _ = ingested(gear, "docs")

    assert (0, 1, 3) == (report.passages_written, report.passages_removed, report.triples_removed)
    assert {"line 1", "line 5", "line 10"} == {row["position"] for row in gear.graph.database.run(TEXTS)}
    assert {"curie", "warsaw", "vistula", "paris"} == entities(gear)


def test_a_document_that_can_no_longer_be_read_keeps_its_passages(gear, docs):
    """A broken file does not mean that its content is gone."""
    ingested(gear, "docs")
    (docs / "guide.md").write_bytes(b"\xff\xfe")
    before = dump(gear)

    _, problems = ingested(gear, "docs")

    assert 1 == len(problems)
    assert before == dump(gear)


def test_a_line_that_gives_the_source_of_a_document_stays(gear, docs):
    """It is a separate passage, with an id that no document produces."""
    docs.joinpath("x.jsonl").write_text('{"id": "mine", "text": "noted", "source": "docs/guide.md"}\n')
    ingested(gear, "docs")
    (docs / "guide.md").write_text("All new.")

    report, _ = ingested(gear, "docs/guide.md")

    assert 3 == report.passages_removed
    assert {"noted", "All new.", "Warsaw lies on the Vistula."} == set(texts(gear))


# Changed lines


def lines(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_changed_line_replaces_the_old_one_on_request(gear, tmp_path):
    """Its old triples are removed, with entities that only they named; new ones come from their file."""
    keep = {"id": "p2", "text": "stays"}
    corpus = lines(tmp_path / "a.jsonl", {"id": "p1", "title": "T", "text": "old"}, keep)
    facts = lines(
        tmp_path / "t.jsonl",
        {"id": "p1", "triples": [["shared", "is", "old"]]},
        {"id": "p2", "triples": [["shared", "is", "kept"]]},
    )
    ingested(gear, corpus, triples=[facts])
    (old,) = [row["p"]["id"] for row in dump(gear)[0].values() if row["p"].get("object") == "old"]
    before = rest(gear, "p1", "old", old)
    lines(corpus, {"id": "p1", "title": "T", "text": "new"}, keep)

    _, problems = ingested(gear, corpus)
    assert "another text has the id 'p1' already" in problems[0]
    report, problems = ingested(gear, corpus, replace=True)

    assert ([], 1, 1, 1, 0) == (
        problems,
        report.passages_replaced,
        report.triples_removed,
        report.entities_removed,
        report.passages_written,
    )
    assert before == rest(gear, "p1")
    (passage,) = [row["p"] for row in dump(gear)[0].values() if row["p"].get("id") == "p1"]
    assert ("new", False) == (passage["text"], "extractedAt" in passage)
    assert gear.embedder.embed(["T\nnew"])[0].tolist() == pytest.approx(passage["embedding"], abs=1e-6)
    lines(facts, {"id": "p1", "triples": [["shared", "is", "new"]]})
    ingested(gear, corpus, triples=[facts], replace=True)
    assert {"shared", "kept", "new"} == entities(gear)


@pytest.mark.parametrize("between", [0, PASSAGES_A_BATCH])
def test_two_lines_of_one_id_do_not_replace_each_other(gear, tmp_path, between):
    """The first one wins in every run, however far apart they are."""
    filler = [{"id": f"f{number}", "text": f"filler {number}"} for number in range(between)]
    corpus = lines(tmp_path / "a.jsonl", {"id": "p", "text": "first"}, *filler, {"id": "p", "text": "second"})

    for _ in range(2):
        report, problems = ingested(gear, corpus, replace=True)

        assert [
            f"{corpus}:{between + 2}: another text has the id 'p' already: give this one an id of its own"
        ] == problems
        assert 0 == report.passages_replaced
    assert "first" in texts(gear)


def test_the_longest_source_fits_into_the_index(gear, tmp_path):
    """It has 2,000 characters of four bytes each; a longer one is refused."""
    corpus = lines(
        tmp_path / "a.jsonl",
        {"id": "p", "text": "x", "source": LONGEST_SOURCE * "😀"},
        {"id": "q", "text": "y", "source": LONGEST_SOURCE * "y" + "y"},
    )

    _, problems = ingested(gear, corpus)

    assert [f'{corpus}:2: "source" is longer than 2,000 characters'] == problems
    assert Deletion(1, 0, 0) == gear.corpus.forget(LONGEST_SOURCE * "😀")


# Forgetting


def test_forgetting_a_source_takes_what_hangs_on_it_and_nothing_else(gear, changed):
    """A dry run reports the same and changes nothing."""
    gone = {row["id"] for row in gear.graph.database.run(TEXTS) if row["source"] == "docs/guide.md"}
    gone |= {"curie", "prize", "radium", "radium salt", "paris"}
    gone |= {row["p"]["id"] for row in dump(gear)[0].values() if row["p"].get("predicate", "lies on") != "lies on"}
    before, kept = dump(gear), rest(gear, *gone)

    assert Deletion(3, 5, 5) == gear.corpus.forget("./docs/guide.md", dry_run=True)
    assert before == dump(gear)
    assert Deletion(3, 5, 5) == gear.corpus.forget("docs/guide.md")

    assert kept == dump(gear)
    assert {"warsaw", "vistula"} == entities(gear)


def test_a_users_own_node_stays_whatever_our_triples_said_of_it(gear, docs):
    """It only loses the edge of the triple. An entity that a user's triple names stays, too."""
    ingested(gear, "docs")
    stated(gear, "Vistula", ("Warsaw", "lies on", "Vistula"))
    gear.graph.database.run(
        Query(
            "theirs",
            "MATCH (t:Triple)-[:FROM]->(p:Passage {source: 'docs/other.txt'}), (e:Entity {key: 'vistula'}) "
            "CREATE (c:City {name: 'Warsaw'})-[:IN]->(:Country {source: 'docs/other.txt'}) CREATE (t)-[:SUBJECT]->(c) "
            "CREATE (x:Triple {id: 'x'})-[:SUBJECT]->(:City {name: 'Kraków'}) CREATE (x)-[:OBJECT]->(e) "
            "CREATE (x)-[:FROM]->(:Chunk {source: 'docs/other.txt'})",
            writes=True,
        )
    )
    theirs = Query("t", "MATCH (c:City)-[r:IN]->(o) RETURN properties(c) AS c, properties(o) AS o, labels(c) AS l")
    before = gear.graph.database.run(theirs)

    assert Deletion(1, 1, 1) == gear.corpus.forget("docs/other.txt", dry_run=True)
    assert Deletion(1, 1, 1) == gear.corpus.forget("docs/other.txt")

    assert before == gear.graph.database.run(theirs)
    assert {"vistula"} == entities(gear)
    own = Query(
        "x", "MATCH (c)<-[:SUBJECT]-(t:Triple)-[:OBJECT]->(e:Entity) RETURN labels(c) AS c, e.key AS e, t.id AS t"
    )
    assert [{"c": ["City"], "e": "vistula", "t": "x"}] == gear.graph.database.run(own)


def test_a_dry_run_says_what_goes_whatever_the_graph(gear, tmp_path):
    """Over random graphs, source after source until nothing is left."""
    for seed in range(8):
        chance = random.Random(seed)
        sources = ["a", "b", "c"]
        rows = [{"id": f"{seed}-{i}", "text": f"text {i}", "source": chance.choice(sources)} for i in range(20)]
        names = [f"e{i}" for i in range(12)]
        facts = [
            {"id": row["id"], "triples": [[chance.choice(names), "r", chance.choice(names)] for _ in range(3)]}
            for row in rows
        ]
        ingested(gear, lines(tmp_path / "a.jsonl", *rows), triples=[lines(tmp_path / "t.jsonl", *facts)])

        for source in sorted({row["source"] for row in rows}):
            before = gear.corpus.counts()
            expected = gear.corpus.forget(source, dry_run=True)
            assert expected == gear.corpus.forget(source)
            after = gear.corpus.counts()
            assert expected == Deletion(
                before.passages - after.passages, before.triples - after.triples, before.entities - after.entities
            )
            assert [{"n": 0}] == gear.graph.database.run(DANGLING)
        assert (0, 0, 0) == (gear.corpus.counts().passages, gear.corpus.counts().triples, gear.corpus.counts().entities)


def test_a_large_source_goes_in_batches_and_a_killed_run_is_completed(gear, database, tmp_path, monkeypatch):
    """Each batch is consistent: no triple without its passage, no entity without a triple."""
    monkeypatch.setattr(forgetting, "PASSAGES_A_BATCH", 40)
    rows = [{"id": f"p{i}", "text": f"text {i}"} for i in range(100)]
    facts = [{"id": f"p{i}", "triples": [[f"e{i}", "is", "one"], ["one", "has", f"f{i % 7}"]]} for i in range(100)]
    ingested(gear, lines(tmp_path / "a.jsonl", *rows), triples=[lines(tmp_path / "t.jsonl", *facts)])

    with pytest.raises(KeyboardInterrupt):
        forget(Graph(Dying(database, "delete_passages", call=2)), tmp_path / "a.jsonl")
    assert (60, 120, 60 + 8) == (
        gear.corpus.counts().passages,
        gear.corpus.counts().triples,
        gear.corpus.counts().entities,
    )
    done = []
    gone = gear.corpus.forget(tmp_path / "a.jsonl", on_progress=lambda one: done.append((one.done, one.total)))

    assert Deletion(60, 120, 68) == gone
    assert [(40, 60), (60, 60)] == done
    assert [] == [row for row in dump(gear)[0].values() if row["l"][0] in ("Passage", "Triple", "Entity")]


def test_an_unknown_source_is_refused_with_some_that_exist(gear, docs):
    """Sources in the same folder come first."""
    for name in "abcdefgh":
        (docs / f"{name}.txt").write_text(name)
    (docs / "deep").mkdir()
    (docs / "deep" / "x.txt").write_text("x")
    ingested(gear, "docs")

    def existing(source):
        with pytest.raises(InputError) as caught:
            gear.corpus.forget(source)
        first, names = str(caught.value).split(": there are ")
        assert f"no passage has the source {source!r}" == first
        return names.split(", ")

    assert "docs/deep/x.txt" == existing("docs/deep/y.txt")[0]
    assert [f"docs/{name}.txt" for name in "abcd"] == existing("docs/z.txt")[:4]
    assert 5 == len(existing("nowhere/else"))


def test_a_database_without_passages_has_nothing_to_forget(gear):
    """Nor does one that was emptied."""
    with pytest.raises(InputError, match="none of the passages has a source"):
        gear.corpus.forget("docs")


def test_a_database_of_an_older_gear_is_migrated_first_but_not_by_a_dry_run(gear, docs, empty):
    """The look-up by source needs its index; without data, no migration is needed."""
    with pytest.raises(InputError, match="holds no passages yet"):
        gear.corpus.forget("docs/other.txt")
    assert migrations.load() == migrations.pending(empty)
    ingested(gear, "docs")
    empty.run(Query("c", "MATCH (m:__Neo4jMigration) WHERE m.version >= '003' DETACH DELETE m", writes=True))
    empty.execute("DROP INDEX gear_passage_source")

    with pytest.raises(MigrationError, match="gear migrate"):
        gear.corpus.forget("docs/other.txt", dry_run=True)
    assert Deletion(1, 0, 0) == gear.corpus.forget("docs/other.txt")


def test_a_search_after_forgetting_does_not_find_what_went(gear, docs):
    """Nor does an index in memory; and an evaluation checks its data set again."""
    ingested(gear, "docs")
    gear.graph.store.record_dataset("set", fingerprint="whole")
    assert gear.search("Vistula", retriever=Base(base="bm25"))

    gear.corpus.forget("docs/other.txt")

    found = gear.search("Vistula Warsaw", retriever=Base(base="bm25"))
    assert ["docs/guide.md"] == [hit.passage.source for hit in found]
    assert RecordedDataset("set") == gear.graph.store.dataset()


@contextmanager
def open_transaction(server, query, parameters):
    """A transaction of another process that has run a query but commits later."""
    with (
        neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver,
        driver.session() as session,
        session.begin_transaction() as transaction,
    ):
        transaction.run(named(query).text, parameters).consume()
        yield
        transaction.commit()


@pytest.mark.parametrize("degree", [1, 100])
@pytest.mark.parametrize("query", ["delete_passages", "replace_passages"])
def test_of_two_that_remove_the_last_triples_of_an_entity_one_removes_it(gear, server, tmp_path, degree, query):
    """Each still sees the triples that the other is removing."""
    halves = [[{"id": f"{source}{i}", "text": "x", "source": source} for i in range(degree)] for source in "ab"]
    facts = [{"id": row["id"], "triples": [["shared", "is", "one"]]} for half in halves for row in half]
    ingested(gear, lines(tmp_path / "a.jsonl", *halves[0], *halves[1]), triples=[lines(tmp_path / "t.jsonl", *facts)])
    both = {"embedding": [1.0] * 384, "title": "", "position": None, "metadata": {}, "readers": None}
    parameters = [
        {"rows": [row | both for row in half], "widen": False}
        if query == "replace_passages"
        else {"ids": [row["id"] for row in half]}
        for half in halves
    ]

    with open_transaction(server, query, parameters[0]):
        thread = threading.Thread(target=gear.graph.database.call, args=(query,), kwargs=parameters[1])
        thread.start()
        time.sleep(0.5)
    thread.join()

    assert set() == entities(gear)


@pytest.mark.parametrize("degree", [1, 100])
def test_a_triple_finds_its_entity_removed_and_makes_it_anew(gear, server, tmp_path, degree):
    """Neo4j refuses a query whose node is deleted between look-up and use; the query is run again."""
    rows = [{"id": f"p{i}", "text": f"text {i}", "source": "gone"} for i in range(degree)]
    facts = [{"id": row["id"], "triples": [["shared", "is", "one"]]} for row in rows]
    keep = {"id": "keep", "text": "kept", "source": "kept"}
    ingested(gear, lines(tmp_path / "a.jsonl", *rows, keep), triples=[lines(tmp_path / "t.jsonl", *facts)])
    more = lines(tmp_path / "m.jsonl", {"id": "keep", "triples": [["shared", "is", "two"]]})

    with open_transaction(server, "delete_passages", {"ids": [row["id"] for row in rows]}):
        thread = threading.Thread(target=ingested, args=(gear,), kwargs={"triples": [more]})
        thread.start()
        time.sleep(0.5)
    thread.join()

    assert {"shared", "two"} == entities(gear)
    assert [{"n": 0}] == gear.graph.database.run(DANGLING)


@pytest.mark.parametrize("side", ["SUBJECT", "OBJECT"])
@pytest.mark.parametrize("degree", [1, 100])
@pytest.mark.parametrize("query", ["delete_passages", "replace_passages"])
def test_a_triple_that_is_being_written_keeps_its_entity(gear, server, tmp_path, degree, query, side):
    """The entity is checked again after the other transaction ends; Neo4j locks nodes with many edges differently."""
    rows = [{"id": f"p{i}", "text": f"text {i}", "source": "gone"} for i in range(degree)]
    facts = [{"id": row["id"], "triples": [["shared", "is", "one"]]} for row in rows]
    keep = {"id": "keep", "text": "kept", "source": "kept"}
    ingested(gear, lines(tmp_path / "a.jsonl", *rows, keep), triples=[lines(tmp_path / "t.jsonl", *facts)])
    triple = make_triple("keep", *(("shared", "is", "two") if side == "SUBJECT" else ("two", "is", "shared")))
    parameters = {
        "entities": entity_rows([triple]),
        "triples": triple_rows([triple], encode([triple], gear.embedder).tolist()),
        "passages": ["keep"],
        "extractor": "given",
        "read": [],
    }
    new = {"title": "", "position": None, "embedding": [1.0] * 384, "metadata": {}, "readers": None}
    removing = {
        "delete_passages": {"ids": [row["id"] for row in rows]},
        "replace_passages": {"rows": [row | new for row in rows], "widen": False},
    }

    with open_transaction(server, "write_triples", parameters):
        thread = threading.Thread(target=gear.graph.database.call, args=(query,), kwargs=removing[query])
        thread.start()
        time.sleep(0.5)
    thread.join()

    assert {"shared", "two"} == entities(gear)
    assert [{"n": 0}] == gear.graph.database.run(DANGLING)


def test_forgetting_while_others_ingest_leaves_no_triple_without_its_ends(gear, server, embedder, tmp_path):
    """Entities that one process deletes while the other names them stay or are created again."""

    def rows(source):
        return [{"id": f"{source}{i}", "text": f"{source} {i}", "source": source} for i in range(60)]

    def facts(source):
        return [{"id": f"{source}{i}", "triples": [[f"e{i % 15}", source, f"e{i % 4}"]]} for i in range(60)]

    def again(source, failures):
        try:
            with Gear.connect(server, embedder=embedder) as own:
                corpus = lines(tmp_path / f"{source}.jsonl", *rows(source))
                triples = lines(tmp_path / f"{source}-t.jsonl", *facts(source))
                for _ in range(6):
                    own.ingest([corpus], triples=[triples], extract=False)
                    own.corpus.forget(source)
                own.ingest([corpus], triples=[triples], extract=False)
        except Exception as error:
            failures.append(error)

    failures = []
    threads = [threading.Thread(target=again, args=(source, failures)) for source in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [] == failures
    assert (180, 180, 15) == (
        gear.corpus.counts().passages,
        gear.corpus.counts().triples,
        gear.corpus.counts().entities,
    )
    assert [{"n": 0}] == gear.graph.database.run(DANGLING)
