"""The tests' own processes: they receive signals, end in time, and leave nothing behind."""

import os
import signal
import time

import pytest

from tests.processes import PIPE, hear_signals, run, started
from tests.waiting import settle

SLEEP = ["sleep", "600"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_process_hears_what_the_tests_were_started_to_ignore(number):
    """As under nohup, or in the background of a script; the tests themselves still ignore it."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        hear_signals()
        os.kill(os.getpid(), number)
        with started(SLEEP) as process:
            process.send_signal(number)
            assert -number == process.wait()
    finally:
        signal.signal(number, before)


def test_a_process_ends_where_nobody_reads_its_output():
    """Python ignores that signal, and a process that inherited this would print an error."""
    with started(["yes"], stdout=PIPE) as process:
        process.stdout.close()

        assert -signal.SIGPIPE == process.wait()


def test_a_process_that_goes_on_for_too_long_fails_its_test():
    """Even while its output is read; the message says which."""
    with pytest.raises(AssertionError, match=r"longer than 0.2 s: \['sleep', '600'\]"):
        run(SLEEP, seconds=0.2)


def test_nothing_is_left_of_a_process():
    """Neither itself nor its children."""
    with started(["bash", "-c", "sleep 600 & echo $!; wait"], stdout=PIPE) as process:
        child = int(process.stdout.readline())
        assert is_running(child)

    assert process.returncode == -signal.SIGKILL
    assert settle(lambda: not is_running(child))


def test_input_and_output_are_text():
    """In UTF-8, whatever the locale; without a text there is no input to wait for."""
    began = time.monotonic()

    assert "Größe\n" == run(["cat"], text="Größe\n", check=True).stdout
    with started(["cat"], stdout=PIPE) as process:
        assert "" == process.communicate()[0]
    assert time.monotonic() - began < 60


def test_an_exit_code_that_must_be_0_is():
    """The failure shows its output."""
    with pytest.raises(AssertionError, match="no such luck"):
        run(["bash", "-c", "echo no such luck; exit 3"], check=True)


def is_running(pid):
    """Whether a process exists and is not a zombie."""
    ended = run(["ps", "-o", "stat=", "-p", str(pid)])
    return ended.stdout.strip() not in ("", "Z", "Z+", "Zs")
