"""The queue on disk: its order, restarted jobs, what is kept, and for whom."""

import stat
from dataclasses import replace
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.job import Job, JobFile
from gear_neo4j.ingestion.membership import CollectionAccess
from gear_neo4j.scope import EVERYTHING
from gear_neo4j.web.jobs.store import MOST_ENDED, JobOptions, JobStore, NameWaits, StoredJob
from gear_neo4j.web.uploads import file_name

PLAIN = JobOptions()


@pytest.fixture
def store(tmp_path):
    store = JobStore(tmp_path)
    yield store
    store.close()


def add(store, id, *, owner="ada", size=0, state="waiting", options=PLAIN):
    """Put a job into the queue."""
    files = (JobFile("a.txt", "passages", size),)
    job = Job(id=id, task="ingest", state=state, collection="legal", files=files)
    store.add(StoredJob(job, owner, options))
    return job


def test_jobs_are_taken_in_their_order_and_again_if_they_did_not_end(store, tmp_path):
    """Also by the next process; one that waits again counts as never started."""
    add(store, "first")
    add(store, "second")
    taken = [(stored.job.id, stored.job.state, stored.starts) for stored in (store.take(), store.take())]
    other = JobStore(tmp_path)
    again = other.take()
    other.save(replace(again.job, state="waiting"))
    reset = other.take()
    other.save(replace(reset.job, state="done"))
    last = other.take()
    other.save(replace(last.job, state="failed"))
    nothing = other.take()
    other.close()

    assert [("first", "running", 1), ("first", "running", 2)] == taken
    assert ("first", 3, 1, "second", None) == (again.job.id, again.starts, reset.starts, last.job.id, nothing)


def test_a_job_comes_back_as_it_was(store):
    """With its options."""
    options = JobOptions(readers=("group:legal",), replace=True, extract="none")
    job = add(store, "first", options=options, size=7)

    assert StoredJob(job, "ada", options) == store.get("first")
    assert (None, 7, frozenset({"first"})) == (store.get("second"), store.bytes(), store.unfinished())


def test_a_name_is_that_of_the_first_owner_whose_job_has_not_ended(store):
    """In its collection, exactly; checked in the queue's own transaction, so that concurrent jobs cannot share it."""
    names = ("Plan.txt", 'pl"an\u00e9\u20ac.txt', "plan\u0000")
    files = tuple(JobFile(name, "passages", 1) for name in names)
    first = Job(id="first", task="ingest", state="waiting", collection="legal", files=files)
    store.add(StoredJob(first, "ada"))
    refused = []
    for number, name in enumerate((*names, "plan.txt", "pl\u0061ne\u0301.txt")):
        for owner, collection in (("ada", "legal"), ("bo", "sales"), ("bo", "legal")):
            job = replace(first, id=f"{number}{owner}{collection}", collection=collection, files=())
            try:
                store.add(StoredJob(job, owner), names=("free.txt", name))
            except NameWaits as waits:
                refused.append((owner, collection, waits.name))
    store.save(replace(first, state="done"))
    store.add(StoredJob(replace(first, id="last"), "bo"), names=names)

    assert [("bo", "legal", name) for name in names] == refused


def test_a_queue_of_an_earlier_version_goes_on(store, tmp_path):
    """It stores no scopes, so only the keys' current rights count."""
    add(store, "first")
    store._connection.execute("ALTER TABLE job DROP COLUMN scope")
    later = JobStore(tmp_path)
    stored = later.get("first")
    later.close()

    assert ("first", EVERYTHING) == (stored.job.id, stored.scope)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(
    names=st.lists(st.text(st.characters(blacklist_categories=["Cs"]), min_size=1), min_size=1, max_size=5),
    principals=st.none() | st.lists(st.text("ab/:'\"\u00e9e\u0301", min_size=1, max_size=5)),
)
def test_what_was_checked_is_what_is_used(store, names, principals):
    """Names, and the scope that was checked, are the same after a restart, byte for byte."""
    files = tuple(JobFile(name, "passages", 1) for name in names)
    job = Job(id=uuid4().hex, task="forget", state="waiting", collection="legal", source=names[0], files=files)
    scope = EVERYTHING.narrowed(collections=["legal"], principals=principals)
    store.add(StoredJob(job, "ada", scope=scope))

    assert StoredJob(job, "ada", scope=scope) == store.get(job.id)


def test_a_job_that_waits_is_cancelled_and_one_that_runs_is_marked(store):
    """Storing its progress returns the mark."""
    running = add(store, "running")
    add(store, "waiting")
    store.take()
    before = store.save(replace(running, state="running"))
    for id in ("running", "waiting"):
        store.cancel(id, finished="now")

    assert (False, True) == (before, store.save(replace(running, state="running")))
    assert ("cancelled", "now") == (store.get("waiting").job.state, store.get("waiting").job.finished)
    assert [1, 1, 0] == [store.count(state) for state in ("running", "cancelled", "waiting")]
    assert (True, 1) == (store.get("running").cancelled, store.waiting("ada"))


def test_the_newest_jobs_of_an_owner_are_kept(store):
    """Jobs of other owners, and waiting ones, are not dropped."""
    add(store, "bo", owner="bo", state="done")
    add(store, "old")
    for number in range(MOST_ENDED + 2):
        add(store, str(number), state="done")

    assert ["bo"] == [stored.job.id for stored in store.newest(owner="bo", limit=5)]
    assert MOST_ENDED + 1 == len(store.newest(owner="ada", limit=1_000))
    assert (["201", "200"], True) == (
        [stored.job.id for stored in store.newest(owner=None, limit=2)],
        store.get("old") is not None,
    )


def test_the_file_is_for_its_owner_alone(store, tmp_path):
    """So are SQLite's other files."""
    add(store, "first")

    assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}


def test_an_id_with_a_slash_is_refused_where_it_could_be_that_of_another_collection():
    """In the default collection of a confined ingest, and nowhere else."""
    confined = CollectionAccess.of("default", None, confined=True)

    assert "p1" == confined.own("p1")
    assert ["hr/p1", "hr/p1"] == [
        CollectionAccess.of("legal", None, confined=True).own("hr/p1"),
        CollectionAccess.of("default", None).own("hr/p1"),
    ]
    with pytest.raises(ValueError, match="slash"):
        confined.own("hr/p1")


@pytest.mark.parametrize("name", ["", "a/", "a\\", "a\x00.txt", "a\n.txt", " a.txt", "\ud800.txt", "x" * 201])
def test_a_name_that_cannot_be_a_source_is_refused(name):
    """In one line."""
    with pytest.raises(InputError, match="the name of a file cannot be used"):
        file_name(name)
