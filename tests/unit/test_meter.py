"""The relay between a driver and its server: traffic, budget, and closing of connections."""

import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.graph.connection.meter import Meter
from gear_neo4j.graph.guard.excerpt import Reading


@contextmanager
def server(answer):
    """A server that reads a line and replies ``answer(line)``; returns its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            client, _ = listener.accept()
            # The server does not care if a client disconnects early.
            with client, client.makefile("rb") as lines, suppress(OSError):
                client.sendall(answer(lines.readline()))

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()
        thread.join()


def everything(connection):
    """All bytes until a connection ends, even if it breaks."""
    parts = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
    except OSError:
        pass
    return b"".join(parts)


def ask(meter, address, line):
    (target,) = meter.resolve(address)
    with socket.create_connection(target) as connection:
        connection.sendall(line + b"\n")
        return everything(connection)


@given(st.binary(max_size=200_000))
def test_what_passes_is_the_same_on_both_sides(data):
    """For any size up to the budget."""
    with server(lambda line: line + data) as address, Meter(200_006) as meter:
        assert b"hello\n" + data == ask(meter, address, b"hello")
        assert not meter.spent


@given(st.integers(0, 100_000), st.integers(1, 2_000_000))
def test_past_the_budget_the_connection_is_broken(budget, more):
    """Never more arrives than allowed."""

    def answer(_):
        return b"x" * (budget + more)

    with server(answer) as address, Meter(budget) as meter:
        assert len(ask(meter, address, b"")) <= budget
        assert meter.spent


def test_the_budget_is_for_all_connections_together():
    """Two that are within it can exceed it together."""
    with Meter(150) as meter:
        for rest in (100, 0):
            with server(lambda _: b"x" * 100) as address:
                assert rest == len(ask(meter, address, b""))
    assert meter.spent


def test_at_its_end_all_that_wait_are_woken():
    """A reader whose server is silent, and the relay's threads; new connections are refused."""
    outcome = []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with Meter(1_000) as meter:
            (target,) = meter.resolve(silent.getsockname())
            connection = socket.create_connection(target)
            reader = threading.Thread(target=lambda: outcome.append(everything(connection)))
            reader.start()
            held, _ = silent.accept()
        reader.join(timeout=1)
        for end in (connection, held):
            end.close()

    assert [b""] == outcome
    assert ended("gear-relay")
    with pytest.raises(OSError, match=r"refused|reset"), socket.create_connection(target) as late:
        late.recv(1)


def ended(name):
    """Whether all threads of this name end within a second."""
    for _ in range(50):
        if not any(thread.name == name for thread in threading.enumerate()):
            return True
        time.sleep(0.02)
    return False


def test_a_server_that_is_not_there_closes_the_connection():
    """The driver sees almost the same as without the relay."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        nobody = listener.getsockname()
    with Meter(1_000) as meter:
        assert b"" == ask(meter, nobody, b"hello")


def test_a_value_nested_400_levels_deep_is_cut():
    """The depth that a server could send; it plans such a list for minutes."""
    value = 1
    for _ in range(400):
        value = [value]
    reading = Reading(1)
    reading.take({"a": value})

    assert "…" in str(reading.excerpt().rows)
