"""The Bolt port of a local server."""

import socket
from contextlib import suppress

from gear_neo4j.errors import LocalServerError

HOST = "127.0.0.1"
DEFAULT_PORT = 7687


def uri(port: int) -> str:
    """The address of a server on this machine."""
    return f"bolt://{HOST}:{port}"


def port(address: str) -> int:
    """The port of an address of :func:`uri`."""
    return int(address.rpartition(":")[2])


def free_port(wanted: int | None, *, last: int | None = None) -> int:
    """The wanted port, or else the server's last one, 7687, or any free one.

    Raises:
        LocalServerError: the wanted port is in use.
    """
    # Processes that are still connected, or a URI in the environment, expect the last one.
    for port in filter(None, (wanted,) if wanted else (last, DEFAULT_PORT)):
        if is_free(port):
            return port
    if wanted is not None:
        raise LocalServerError(f"port {wanted} is in use: choose another --port, or none for any free port")
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def is_free(port: int) -> bool:
    """Whether no program listens on a port."""
    with socket.socket() as probe:
        # macOS lets us bind the port of a program that listens on all addresses: try to connect first.
        if probe.connect_ex((HOST, port)) == 0:
            return False
    with socket.socket() as probe:
        # Ignore the closing connections of a server that has just stopped.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):
            probe.bind((HOST, port))
            return True
    return False
