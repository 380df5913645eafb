"""The queue of jobs if the machine is short of threads."""

import threading

import pytest

from gear_neo4j.errors import NothingFound
from gear_neo4j.web.jobs.queue import JobQueue
from gear_neo4j.web.key_ring import KeyRing
from gear_neo4j.web.options import ServiceOptions
from gear_neo4j.web.ring import Ring


def test_a_queue_whose_worker_gets_no_thread_opens_at_the_next_request(tmp_path, monkeypatch):
    """Otherwise it would accept jobs that nobody runs."""
    queue = JobQueue(None, ServiceOptions(uploads_folder=tmp_path), ring=Ring(KeyRing(None)))
    with monkeypatch.context() as short:
        short.setattr(threading.Thread, "start", _no_thread)
        with pytest.raises(RuntimeError, match="new thread"):
            queue.get(None, "job")

    with pytest.raises(NothingFound):
        queue.get(None, "job")
    assert ["gear-jobs"] == [thread.name for thread in threading.enumerate() if thread.name == "gear-jobs"]
    queue.close(seconds=10)


def _no_thread(_thread):
    raise RuntimeError("can't start new thread")
