"""Connects to a Ray cluster or starts one, and sets the number of processes."""

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
# No usage statistics, and only errors on the log.
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """The numbers of parallel processes.

    ``workers`` processes extract, and as many embed, or one per GPU if there are any; the default is one per core of
    the cluster. ``writers`` processes write; more than the server has cores help little.
    """

    workers: int | None = None
    writers: int = WRITERS

    def on_cluster(self) -> "Processes":
        """The numbers on the cluster that this process is connected to."""
        import ray

        resources = ray.cluster_resources()
        workers = self.workers or max(1, int(resources.get("CPU", 1)))
        return Processes(workers=workers, gpus=min(workers, int(resources.get("GPU", 0))), writers=self.writers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Processes:
    """The numbers of extracting workers, of GPUs for embedding (0 if there are none), and of writers."""

    workers: int
    gpus: int
    writers: int


DEFAULT_CREW = Crew()


@contextmanager
def cluster(address: str = LOCAL, *, cores: int | None = None) -> Iterator[None]:
    """Connect to Ray at an address, or start it on this machine; an existing connection is used, and stays open.

    On this machine, Ray runs without a dashboard and usage statistics, and ends with the block. ``cores`` is the number
    of cores that it may use there; by default all.

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
    # Imported first, because the import sets the level.
    import ray.data

    logging.getLogger(ray.data.__name__).setLevel(logging.ERROR)
    try:
        ray.init(address=address, log_to_driver=False, logging_level="error", **own)
    # If one of its processes does not start in time, Ray raises a bare Exception.
    except Exception as error:
        reason = str(error).strip().partition("\n")[0]
        wanted = "started on this machine" if address == LOCAL else f"reached at {address!r}"
        raise SettingsError(f"Ray cannot be {wanted}: {reason}") from error
    try:
        yield
    finally:
        ray.shutdown()


def require_answer(address: str) -> None:
    """Refuse an address without a listener, which Ray itself would retry for many minutes.

    Raises:
        SettingsError: says why nothing answers.
    """
    try:
        parts = urlsplit(address if "://" in address else f"ray://{address}")
        if parts.hostname and parts.port:
            socket.create_connection((parts.hostname, parts.port), timeout=SECONDS).close()
    except (OSError, ValueError) as error:
        raise SettingsError(f"no Ray answers at {address!r}: {error}") from error
