"""The Ray that an ingest runs on: how to reach it or start it, and how many processes may work there."""

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from gear_neo4j.errors import SettingsError

NO_EXTRA = "Ray needs the extra: pip install 'gear-neo4j[ray]'"
LOCAL = "local"
WRITERS = 4
SECONDS = 10
# It sends nothing anywhere, and says nothing that is not an error.
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """How many processes work side by side.

    ``workers`` extract, and as many embed, or one on each GPU where there are any; by default one for each core of the
    cluster. ``writers`` write; more than the server has cores gain little.
    """

    workers: int | None = None
    writers: int = WRITERS

    def on_cluster(self) -> "Processes":
        """How many processes that is on the cluster that this process is connected to."""
        import ray

        resources = ray.cluster_resources()
        workers = self.workers or max(1, int(resources.get("CPU", 1)))
        return Processes(workers=workers, gpus=min(workers, int(resources.get("GPU", 0))), writers=self.writers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Processes:
    """The numbers of processes: workers that extract, GPUs for those that embed (0 if there are none), and writers."""

    workers: int
    gpus: int
    writers: int


DEFAULT_CREW = Crew()


@contextmanager
def cluster(address: str = LOCAL, *, cores: int | None = None) -> Iterator[None]:
    """Ray at an address, or on this machine alone; one that this process is connected to already is used, and goes on.

    On this machine it comes without a dashboard and without usage statistics, and ends with the block. ``cores`` are
    those that it takes itself to have there; by default all.

    Raises:
        SettingsError: the extra ``[ray]`` is not installed, or nothing answers at the address.
    """
    try:
        import ray
    except ImportError as error:
        raise SettingsError(NO_EXTRA) from error
    if ray.is_initialized():
        yield
        return
    require_answer(address)
    own: dict[str, Any] = {"include_dashboard": False, "num_cpus": cores} if address == LOCAL else {}
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    # Imported first, because it sets its own level then.
    import ray.data

    logging.getLogger(ray.data.__name__).setLevel(logging.ERROR)
    try:
        ray.init(address=address, log_to_driver=False, logging_level="error", **own)
    # Where a process of its own does not start in time, it raises the bare class.
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        wanted = "started on this machine" if address == LOCAL else f"reached at {address!r}"
        raise SettingsError(f"Ray cannot be {wanted}: {reason}") from error
    try:
        yield
    finally:
        ray.shutdown()


def require_answer(address: str) -> None:
    """Refuse an address at which nothing listens: Ray itself would try it for many minutes.

    Raises:
        SettingsError: says why nothing answers.
    """
    try:
        parts = urlsplit(address if "://" in address else f"ray://{address}")
        if parts.hostname and parts.port:
            socket.create_connection((parts.hostname, parts.port), timeout=SECONDS).close()
    except (OSError, ValueError) as error:
        raise SettingsError(f"no Ray answers at {address!r}: {error}") from error
