"""Migrations on a real server: chain, checksums, lock, and verification afterwards."""

import threading
import time

import pytest

from gear_neo4j.domain import Passage
from gear_neo4j.errors import EmbeddingMismatch, ForeignGraph, MigrationError
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query
from gear_neo4j.graph.schema import indexes, migration_lock, migrations
from gear_neo4j.graph.schema.preparation import prepare
from gear_neo4j.graph.scope import scoped
from gear_neo4j.ingestion.writing import write_passages
from gear_neo4j.scope import Scope
from tests.fake_embedder import FakeEmbedder

CHAIN = Query(
    "chain",
    "MATCH p = (:__Neo4jMigration {version: 'BASELINE', migrationTarget: 'gear-neo4j'})-[:MIGRATED_TO*]->(m) "
    "RETURN m.version AS version, m.type AS type, m.checksum AS checksum, "
    "last(relationships(p)).in IS NOT NULL AS timed ORDER BY version",
)
EVERYTHING = Query("everything", "MATCH (n) WHERE NOT n:__GearTests RETURN labels(n) AS labels, properties(n) AS data")


def write(text):
    return Query("test", text, writes=True)


def test_migrating_records_the_chain_that_neo4j_migrations_keeps(empty):
    """Version, type and checksum are on a chain that starts at the baseline."""
    applied = migrations.migrate(empty, dimension=384)

    expected = [{"version": one.version, "type": "CYPHER", "checksum": one.checksum, "timed": True} for one in applied]
    assert expected == empty.run(CHAIN)
    assert [] == list(migrations.pending(empty))


def test_migrating_twice_changes_nothing(empty):
    """The second time nothing is pending."""
    migrations.migrate(empty, dimension=384)
    before = empty.run(EVERYTHING)

    assert () == migrations.migrate(empty, dimension=384)
    assert before == empty.run(EVERYTHING)


def test_a_file_that_changed_after_it_was_applied_is_refused(empty):
    """The message names the file, and what to do."""
    migrations.migrate(empty, dimension=384)
    empty.run(write("MATCH (m:__Neo4jMigration {version: '001'}) SET m.checksum = '1'"))

    with pytest.raises(MigrationError, match="V001__constraints.cypher changed"):
        migrations.migrate(empty, dimension=384)


def test_a_database_ahead_of_us_is_refused(empty):
    """An older gear-neo4j does not touch a database that a newer one migrated."""
    migrations.migrate(empty, dimension=384)
    empty.run(write("CREATE (:__Neo4jMigration {version: '999', migrationTarget: 'gear-neo4j', checksum: '1'})"))

    newest = migrations.load()[-1].version
    with pytest.raises(MigrationError, match=f"schema 999, newer than {newest}, .* upgrade gear-neo4j"):
        migrations.pending(empty)


def test_a_migration_whose_record_was_lost_is_applied_again(empty):
    """A process killed between a schema change and its record leaves a database that can be migrated."""
    migrations.migrate(empty, dimension=384)
    last = migrations.load()[-1].version
    lost = "MATCH (m:__Neo4jMigration {version: $last, migrationTarget: 'gear-neo4j'}) DETACH DELETE m"
    empty.run(Query("lost", lost, frozenset({"last"}), writes=True), last=last)

    assert [last] == [one.version for one in migrations.migrate(empty, dimension=384)]


def test_a_database_of_an_older_gear_gets_what_it_lacks_and_keeps_its_data(empty):
    """V003 was added when databases with V001 and V002 already held passages."""
    ours = migrations.load()
    for before, migration in zip(["BASELINE", "001"], ours[:2], strict=True):
        with migration_lock.locked(empty, wait=1) as lock:
            migrations._apply(empty, migration, lock, foreign=False, previous=before, dimension=384)
    empty.call("record_store", model="fake", dimension=384)
    empty.run(write("CREATE (:Passage {id: 'p', title: 'T', text: 'x', source: 'a.md'})"))

    prepare(empty, model="fake", dimension=384)

    assert [one.checksum for one in ours] == [row["checksum"] for row in empty.run(CHAIN)]
    graph = Graph(empty)
    assert [("p", "a.md")] == graph.sources.of_documents(["a.md"], collection="default")
    assert {"p": Passage("p", "T", "x", "a.md")} == Graph(empty).store.passages(["p"])


@pytest.mark.parametrize("label", ["Passage", "Triple", "Entity"])
def test_somebody_elses_data_under_our_labels_is_left_untouched(empty, label):
    """Nothing is written, not even a constraint."""
    empty.run(write(f"CREATE (:{label} {{mine: true}})"))
    before = empty.run(EVERYTHING)

    with pytest.raises(ForeignGraph, match=label):
        prepare(empty, model="fake", dimension=384)

    assert before == empty.run(EVERYTHING)
    assert [] == empty.run(Query("constraints", "SHOW CONSTRAINTS YIELD name"))


def test_a_chain_that_somebody_else_keeps_is_left_alone(empty):
    """Their migrations and ours are not mixed."""
    empty.run(
        write(
            "CREATE (:__Neo4jMigration {version: 'BASELINE'})-[:MIGRATED_TO]->"
            "(:__Neo4jMigration {version: '001', checksum: '7'})"
        )
    )

    assert len(migrations.load()) == len(migrations.migrate(empty, dimension=384))
    theirs = Query("t", "MATCH (m:__Neo4jMigration) WHERE m.migrationTarget IS NULL RETURN m.version AS v ORDER BY v")
    assert [{"v": "001"}, {"v": "BASELINE"}] == empty.run(theirs)


def test_an_index_of_the_same_name_on_something_else_is_noticed(empty):
    """IF NOT EXISTS only compares names and would silently keep the wrong index."""
    empty.execute("CREATE INDEX gear_triple_embedding FOR (n:Other) ON (n.x)")

    with pytest.raises(MigrationError, match="gear_triple_embedding"):
        migrations.migrate(empty, dimension=384)


def test_a_missing_index_is_noticed(database):
    """Somebody dropped it."""
    database.execute("DROP INDEX gear_passage_text")

    with pytest.raises(MigrationError, match="gear_passage_text is missing"):
        indexes.verify(database, dimension=384)


def test_a_constraint_replaced_by_a_plain_index_is_noticed(database):
    """A plain index would allow two nodes with one id."""
    database.execute("DROP CONSTRAINT gear_triple_id")
    database.execute("CREATE INDEX gear_triple_id FOR (n:Triple) ON (n.id)")
    database.call("await_indexes", seconds=60)

    with pytest.raises(MigrationError, match="gear_triple_id"):
        indexes.verify(database, dimension=384)


def test_another_dimension_than_that_of_the_indexes_is_refused_with_both_numbers(empty):
    """The indexes are for one model."""
    migrations.migrate(empty, dimension=384)

    with pytest.raises(MigrationError, match=r"384.*48"):
        migrations.migrate(empty, dimension=48)


@pytest.mark.parametrize("dimension", [0, -1, 4097])
def test_a_dimension_that_neo4j_cannot_index_is_refused(empty, dimension):
    """The placeholder accepts 1 to 4096 and nothing else."""
    with pytest.raises(MigrationError, match="4096"):
        migrations.migrate(empty, dimension=dimension)


def test_another_embedding_model_is_refused_with_both_names_and_the_fix(database):
    """Neither ingest nor search may mix two models."""
    with pytest.raises(EmbeddingMismatch, match=r"fake \(384 .*other \(48\).*GEAR_EMBEDDING_MODEL=fake"):
        prepare(database, model="other", dimension=48)


@pytest.mark.one_server_line
def test_two_processes_that_migrate_at_once_make_one_schema(server, empty):
    """One takes the lock, the other waits and finds nothing left to do."""
    results = []

    def run():
        with Database.connect(server.uri, username=server.username, password=server.password) as database:
            results.append(len(migrations.migrate(database, dimension=384)))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [0, 0, 0, len(migrations.load())] == sorted(results)
    assert len(migrations.load()) == len(empty.run(CHAIN))


def test_a_lock_that_is_held_makes_others_wait_and_then_say_so(empty):
    """The message says that another process is migrating."""
    empty.call("take_migration_lock", name=migration_lock.TARGET, id="somebody", seconds=300)

    with pytest.raises(MigrationError, match="another process"):
        migrations.migrate(empty, dimension=384, wait=0.5)


def test_a_lock_whose_heartbeat_gets_no_thread_is_given_back(empty, monkeypatch):
    """Otherwise the next process would wait until it expires."""
    with monkeypatch.context() as short:
        short.setattr(threading.Thread, "start", _no_thread)
        with pytest.raises(RuntimeError, match="new thread"), migration_lock.locked(empty, wait=1):
            pass

    with migration_lock.locked(empty, wait=0) as lock:
        assert lock


def _no_thread(_thread):
    raise RuntimeError("can't start new thread")


@pytest.mark.one_server_line
def test_a_lock_left_by_a_killed_process_expires(empty):
    """After a quarter of a minute without a heartbeat; the next process waits for that and continues."""
    empty.call("take_migration_lock", name=migration_lock.TARGET, id="dead", seconds=300)
    empty.run(write("MATCH (l:__Neo4jMigrationsLock) SET l.at = l.at - duration('PT13S')"))

    assert len(migrations.load()) == len(migrations.migrate(empty, dimension=384, wait=10))


@pytest.mark.one_server_line
def test_a_lock_is_kept_as_long_as_its_holder_lives(empty, monkeypatch):
    """A migration that takes longer than the lock's lifetime is not overtaken."""
    monkeypatch.setattr(migration_lock, "LOCK_BEAT", 0.2)
    monkeypatch.setattr(migration_lock, "LOCK_EXPIRES", 1)

    with migration_lock.locked(empty, wait=1):
        for _ in range(8):
            time.sleep(0.3)
            assert not migration_lock.Lock(empty, "somebody else").take()


STOLEN = "MATCH (l:__Neo4jMigrationsLock {name: 'gear-neo4j'}) SET l.id = 'somebody else'"
REMOVED = "MATCH (l:__Neo4jMigrationsLock {name: 'gear-neo4j'}) DELETE l"


@pytest.mark.one_server_line
@pytest.mark.parametrize("lost", [STOLEN, REMOVED])
@pytest.mark.parametrize("after", [1, 4, 5, 9])
def test_a_process_that_lost_its_lock_writes_nothing_more(empty, monkeypatch, lost, after):
    """It was suspended for so long that another process took the lock, or somebody removed the lock."""
    execute, created = Database.execute, []

    def losing(self, statement):
        execute(self, statement)
        if "gear_" in statement:
            created.append(statement)
            if len(created) == after:
                self.run(write(lost))

    monkeypatch.setattr(Database, "execute", losing)
    with pytest.raises(MigrationError, match="lost the lock .* run 'gear migrate' again"):
        migrations.migrate(empty, dimension=384)

    assert after == len(created)
    assert len(empty.run(CHAIN)) < len(migrations.load())
    empty.run(write(REMOVED))
    monkeypatch.undo()
    migrations.migrate(empty, dimension=384)
    assert [] == list(migrations.pending(empty))


def test_a_lock_that_was_lost_is_not_made_again_by_its_heartbeat(empty, monkeypatch):
    """Nor is another process's lock released at the end."""
    monkeypatch.setattr(migration_lock, "LOCK_BEAT", 0.05)
    held = Query("held", "MATCH (l:__Neo4jMigrationsLock) RETURN l.id AS id")

    with migration_lock.locked(empty, wait=1):
        empty.run(write(REMOVED))
        time.sleep(0.3)
        assert [] == empty.run(held)
        assert migration_lock.Lock(empty, "somebody else").take()

    assert [{"id": "somebody else"}] == empty.run(held)


def filtered(database):
    """Our vector indexes that contain the collection along with the vector."""
    rows = database.call("show_indexes")
    return {row["name"] for row in rows if row["type"] == "VECTOR" and "collection" in row["properties"]}


def test_vector_indexes_filter_by_collection_where_the_server_can(empty):
    """A database from an older server gets such indexes by a rebuild, and works as it is until then."""
    best = {indexes.PASSAGE_INDEX, indexes.TRIPLE_INDEX} if empty.has_index_filters else set()
    migrations.migrate(empty, dimension=384)
    assert best == filtered(empty)

    for name, label in ((indexes.PASSAGE_INDEX, "Passage"), (indexes.TRIPLE_INDEX, "Triple")):
        empty.execute(f"DROP INDEX {name}")
        empty.execute(
            f"CREATE VECTOR INDEX {name} FOR (n:{label}) ON n.embedding "
            "OPTIONS {indexConfig: {`vector.dimensions`: 384, `vector.similarity_function`: 'cosine'}}"
        )
    assert () == migrations.migrate(empty, dimension=384)
    assert (set(), bool(best)) == (filtered(empty), Graph(empty).could_filter)

    Graph(empty).rebuild_indexes(dimension=384)
    indexes.await_online(empty)
    indexes.verify(empty, dimension=384)
    assert (best, False) == (filtered(empty), Graph(empty).could_filter)


def test_a_scope_of_collections_is_filtered_by_the_index(empty, monkeypatch):
    """If the index can filter, fewer candidates are requested."""
    monkeypatch.setattr(scoped, "MOST_READ", -1)
    prepare(empty, model="fake", dimension=384)
    graph = Graph(empty)
    passages = [Passage(f"p{n}", "t", f"text {n}", collection="a" if n < 3 else "b") for n in range(30)]
    write_passages(graph, passages, embedder=FakeEmbedder())
    extent = scoped.scoped(empty, Scope().narrowed(collections=["a"])).scope_size
    whole = scoped.scoped(empty, Scope().narrowed(collections=["a"], where="source = 'x'")).scope_size

    assert (15.0, 5.0 if empty.has_index_filters else 15.0) == (extent.factor, extent.vector_factor)
    assert empty.has_index_filters == (whole.reach == (3, 0))
