"""A ``gear`` command in a separate process, which can be killed, interrupted and kept from writing files.

It uses the tests' embedding model, small batches, so that little data makes many transactions, and short retries.
"""

import ctypes
import itertools
import os
import resource
import time
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection

import neo4j

from gear_neo4j.adoption import batches, importing, overlay
from gear_neo4j.cli.main import main
from gear_neo4j.communities import store
from gear_neo4j.gear import connecting
from gear_neo4j.graph.schema import migration_lock
from gear_neo4j.ingestion import forgetting, reading
from gear_neo4j.models import openai
from gear_neo4j.models.chat import Chat
from tests.fake_embedder import FakeEmbedder
from tests.processes import FORKS, Fork

MINUTE, DAY = 60.0, 86_400.0
# The Linux capability with which root may write although a file's mode forbids it.
VERSION_3, DAC_OVERRIDE = 0x20080522, 1 << 1


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, its output, and its duration in seconds."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def lines(self) -> list[str]:
        """The lines that say how the command ended."""
        return [line for line in self.err.splitlines() if line.startswith("gear: ")]


class Running(Fork):
    """A running command."""

    def __init__(
        self, arguments: list[str], environment: dict[str, str], *, largest: int | None = None, jumps: bool = False
    ) -> None:
        self._out, out = FORKS.Pipe(duplex=False)
        self._err, err = FORKS.Pipe(duplex=False)
        self._started = time.monotonic()
        super().__init__(run, arguments, environment, largest, jumps, out, err)
        out.close()
        err.close()

    def end(self, seconds: float = MINUTE) -> Ended:
        """Wait until it ends, and read its output."""
        code = self.wait(seconds)
        return Ended(code, _text(self._out), _text(self._err), time.monotonic() - self._started)


def run(
    arguments: list[str],
    environment: dict[str, str],
    largest: int | None,
    jumps: bool,
    out: Connection,
    err: Connection,
) -> None:
    """Run a command in this process, in which no file may exceed ``largest`` bytes and the clock may jump."""
    for number, end in ((1, out), (2, err)):
        os.dup2(end.fileno(), number)
        end.close()
    os.environ.update(environment)
    obey_modes()
    if largest is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    if jumps:
        let_clock_jump()
    make_quick()
    main(arguments)


def make_quick() -> None:
    """A fast embedding model, small batches, and short retries for failing servers."""
    connecting.open_embedder = lambda _settings: FakeEmbedder()
    openai.Chat = partial(Chat, patience=0.2)
    connect = neo4j.GraphDatabase.driver
    hurry = {"max_transaction_retry_time": 0.5, "connection_acquisition_timeout": 1.0}
    neo4j.GraphDatabase.driver = lambda *args, **options: connect(*args, **options | hurry)
    # The lock of a killed process expires sooner, too.
    migration_lock.LOCK_BEAT, migration_lock.LOCK_EXPIRES = 1, 3
    reading.PASSAGES_A_BATCH = reading.TRIPLES_A_BATCH = batches.PASSAGES_A_BATCH = overlay.TRIPLES_A_BATCH = 4
    forgetting.PASSAGES_A_BATCH = importing.ROWS_A_BATCH = importing.FINISHED_A_BATCH = store.WRITTEN_A_BATCH = 4


def let_clock_jump() -> None:
    """Let ``time.time`` alternate between a day ahead and a day behind."""
    read, days = time.time, itertools.cycle((DAY, -DAY))
    time.time = lambda: read() + next(days)


def obey_modes() -> None:
    """Make a folder's mode forbid writing for root, too."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = (ctypes.c_uint32 * 2)(VERSION_3, 0), (ctypes.c_uint32 * 6)()
    assert 0 == libc.capget(header, sets)
    sets[0] &= ~DAC_OVERRIDE
    assert 0 == libc.capset(header, sets), "root must be able to give up a capability"


def _text(end: Connection) -> str:
    parts = []
    while part := os.read(end.fileno(), 65_536):
        parts.append(part)
    end.close()
    return b"".join(parts).decode("utf-8", "replace")
