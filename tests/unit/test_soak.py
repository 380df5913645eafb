"""Which log lines of a soak test count as errors."""

from contextlib import suppress

from benchmarks.soak_record import Record, plot, slopes
from gear_neo4j.errors import InputError, ServerUnavailable


def fail(record, error):
    with record.count("search"):
        raise error


def test_an_unavailable_server_is_no_error_while_it_is_restarted():
    record = Record()

    with record.restart():
        fail(record, ServerUnavailable("away"))
        fail(record, InputError("wrong"))

    assert dict(record.at_restarts) == {"search: ServerUnavailable: away": 1}
    assert dict(record.errors) == {"search: InputError: wrong": 1}


def test_a_call_that_began_before_a_restart_may_fail_after_it():
    record = Record()

    with record.count("search"):
        with record.restart():
            pass
        raise ServerUnavailable("away")

    assert dict(record.errors) == {}


def test_an_unavailable_server_is_an_error_at_any_other_time():
    record = Record()

    with record.restart():
        pass
    fail(record, ServerUnavailable("away"))

    assert dict(record.errors) == {"search: ServerUnavailable: away": 1}


def test_a_restart_that_fails_is_still_noted_as_under_way():
    record = Record()

    with suppress(RuntimeError), record.restart():
        raise RuntimeError
    fail(record, ServerUnavailable("away"))

    assert dict(record.errors) == {}


def test_memory_that_grows_in_the_first_quarter_alone_is_flat():
    samples = [{"seconds": 10.0 * n, "client_mb": 100.0 + min(n, 2)} for n in range(12)]

    assert slopes(samples) == {"client_mb": 0.0}


def test_the_plot_is_written(tmp_path):
    samples = [{"seconds": 60.0 * n, "client_mb": 1, "server_mb": 2, "server_live_mb": 1} for n in range(3)]

    plot({"memory": samples, "restarts": [{"at": 60, "seconds": 5}]}, tmp_path / "soak.png")

    assert (tmp_path / "soak.png").read_bytes().startswith(b"\x89PNG")
