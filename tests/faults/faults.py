"""The faults of the table: each runs a command and makes something fail during its work."""

import itertools
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from gear_neo4j.cli.interrupts import KEPT
from gear_neo4j.errors import ExitCode
from tests.bad_bodies import BadBody
from tests.faults.commands import Command
from tests.faults.process import Ended, Running
from tests.faults.world import World

KILLED = -signal.SIGKILL
FAILED = (ExitCode.ERROR, ExitCode.NO_SERVER, ExitCode.PARTIAL)
# The first Ctrl-C ends a command within two seconds, a second one at once.
SOON, AT_ONCE = 2.0, 0.5
LONG = 20.0
LITTLE_SPACE = 24_000


@dataclass(frozen=True)
class Fault:
    """A fault: how a command runs under it, and the allowed exit codes.

    ``in_flight`` is the number of replies that may be lost on their way, or cannot be stored; ``only`` names the
    commands to which it happens, unless it happens to all. ``run`` gets the share of the command's work that is done
    before the fault. ``row`` is the row of the table in docs/operations.md, if there is one.
    """

    run: Callable[[World, Command, float], Ended]
    row: str = ""
    codes: tuple[int, ...] = (ExitCode.DONE, *FAILED)
    in_flight: int = 0
    only: frozenset[str] | None = None


def _at(world: World, command: Command, moment: float, direction: str, action: Callable[[], None]) -> None:
    world.proxy.at(direction, int(moment * world.undisturbed(command)[direction]), action)


def refused(world: World, command: Command, moment: float) -> Ended:
    """Nothing listens from the beginning."""
    world.proxy.refuse = True
    return world.start(command).end()


def cut(world: World, command: Command, moment: float, *, direction: str) -> Ended:
    """Every connection is reset; new ones are accepted."""
    _at(world, command, moment, direction, world.proxy.cut)
    return world.start(command).end()


def gone(world: World, command: Command, moment: float) -> Ended:
    """Every connection is reset, and new ones are refused."""
    _at(world, command, moment, "down", world.proxy.gone)
    return world.start(command).end()


def stalled(world: World, command: Command, moment: float) -> Ended:
    """No data passes any more, and no connection is closed."""
    _at(world, command, moment, "down", world.proxy.stalled.set)
    return world.start(command).end()


def slow(world: World, command: Command, moment: float) -> Ended:
    """All data is delayed."""
    world.proxy.delay = 0.003
    return world.start(command).end()


def clock_jumps(world: World, command: Command, moment: float) -> Ended:
    """The clock of the command's machine repeatedly jumps ahead and back."""
    return world.start(command, jumps=True).end()


def server_killed(world: World, command: Command, moment: float) -> Ended:
    """The server's process is killed, and started again afterwards."""
    _at(world, command, moment, "down", world.kill_server)
    ended = world.start(command).end()
    world.restart_server()
    return ended


def killed(world: World, command: Command, moment: float) -> Ended:
    """The command's process is killed."""
    running = []
    _at(world, command, moment, "up", lambda: running[0].send(signal.SIGKILL))
    running.append(world.start(command))
    return running[0].end()


def interrupted(world: World, command: Command, moment: float, *, times: int) -> Ended:
    """Ctrl-C while the server does not answer, once or twice."""
    _at(world, command, moment, "up", world.proxy.stalled.set)
    running = world.start(command)
    assert world.proxy.stalled.wait(LONG)
    return _interrupt(running, times)


def interrupted_call(world: World, command: Command, moment: float, *, times: int) -> Ended:
    """Ctrl-C while the model does not answer, once or twice."""
    silent = _answer_until(world, command, moment, BadBody.DRIPS)
    running = world.start(command, chat_timeout=60)
    assert silent.wait(LONG)
    return _interrupt(running, times)


def bad_reply(world: World, command: Command, moment: float, *, way: BadBody) -> Ended:
    """From some request on, the model's server sends invalid replies."""
    _answer_until(world, command, moment, way)
    return world.start(command).end(LONG)


def _answer_until(world: World, command: Command, moment: float, way: BadBody) -> threading.Event:
    """Answer a share of the requests properly, and the others badly; the event is set at the first of these."""
    good, called, bad = int(moment * len(world.undisturbed(command)["paid"])), itertools.count(), threading.Event()

    def answers(number: int, messages: list) -> BadBody | None:
        if next(called) < good:
            return None
        bad.set()
        return way

    world.answers = answers
    return bad


def _interrupt(running: Running, times: int) -> Ended:
    """Ctrl-C, which must end a command in time, with a message on what is kept."""
    for _ in range(times):
        time.sleep(0.1)
        running.send(signal.SIGINT)
    sent = time.monotonic()
    ended = running.end()
    assert time.monotonic() - sent < (SOON if times == 1 else AT_ONCE)
    assert [KEPT] == ended.lines
    return ended


def full(world: World, command: Command, moment: float, *, largest: int) -> Ended:
    """No file may grow beyond a few bytes, as on a full disk."""
    return world.start(command, largest=largest).end()


def read_only(world: World, command: Command, moment: float) -> Ended:
    """The folder of the cache is not writable."""
    world.cache.mkdir(exist_ok=True)
    world.cache.chmod(0o500)
    return world.start(command).end()


# Slow faults, and those that differ little between commands, are tested with a few commands only.
NO_ANSWER = "the model does not answer, drips or never ends"
FULL = "the disk is full, or the home folder read-only"
SOME = frozenset({"search", "ingest", "communities"})
READER_AND_WRITER = frozenset({"ask", "extract"})
EVERYWHERE = {
    "refused": Fault(refused, "no server at the address", codes=(ExitCode.NO_SERVER,)),
    "cut-down": Fault(partial(cut, direction="down"), "connections are reset"),
    "cut-up": Fault(partial(cut, direction="up"), "connections are reset", only=SOME),
    "gone": Fault(gone, "connections are reset", codes=FAILED),
    "stalled": Fault(stalled, "the server is silent", codes=FAILED),
    "slow": Fault(slow, codes=(0,), only=SOME),
    "clock-jumps": Fault(clock_jumps, codes=(0,)),
    "server-killed": Fault(server_killed, "the server is killed", only=frozenset({"ingest"})),
    "killed": Fault(killed, "the command is killed", codes=(KILLED,), in_flight=4),
    "interrupted": Fault(partial(interrupted, times=1), "Ctrl-C", codes=(ExitCode.INTERRUPTED,), in_flight=4),
    "interrupted-twice": Fault(
        partial(interrupted, times=2), "Ctrl-C twice", codes=(ExitCode.INTERRUPTED,), in_flight=4, only=SOME
    ),
}
WITH_MODEL = {
    "call-interrupted": Fault(partial(interrupted_call, times=1), "Ctrl-C", codes=(ExitCode.INTERRUPTED,), in_flight=4),
    "reply-drips": Fault(partial(bad_reply, way=BadBody.DRIPS), NO_ANSWER, codes=FAILED),
    "reply-closed": Fault(partial(bad_reply, way=BadBody.CLOSED), "the model's connection ends half way", codes=FAILED),
    "reply-error": Fault(partial(bad_reply, way=BadBody.ERROR), "the model answers with an error", codes=FAILED),
    "reply-headers-drip": Fault(
        partial(bad_reply, way=BadBody.HEADERS_DRIP), NO_ANSWER, codes=FAILED, only=READER_AND_WRITER
    ),
    "reply-endless": Fault(partial(bad_reply, way=BadBody.ENDLESS), NO_ANSWER, codes=FAILED, only=READER_AND_WRITER),
    "call-interrupted-twice": Fault(
        partial(interrupted_call, times=2),
        "Ctrl-C twice",
        codes=(ExitCode.INTERRUPTED,),
        in_flight=4,
        only=READER_AND_WRITER,
    ),
    "full": Fault(partial(full, largest=1), FULL, codes=FAILED, only=READER_AND_WRITER),
    "nearly-full": Fault(partial(full, largest=LITTLE_SPACE), FULL, in_flight=4, only=READER_AND_WRITER),
    "read-only": Fault(read_only, FULL, codes=FAILED, only=READER_AND_WRITER),
}
AT_RANDOM = ("cut-down", "cut-up", "gone", "stalled", "killed")
