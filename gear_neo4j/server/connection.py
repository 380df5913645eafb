"""Connects to the database of the settings: the configured server, else the local one, started on demand."""

import time
from collections.abc import Callable, Iterable

from gear_neo4j.errors import ServerUnavailable
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.server import local, ports
from gear_neo4j.settings import Settings

# Seconds without a query after which the local server is checked before the next one; the check then costs little.
PAUSE = 15.0


def connect(
    settings: Settings,
    *,
    create: bool = True,
    impersonate: str | None = None,
    bookmarks: Iterable[str] = (),
    report: Callable[[str], None] = lambda _: None,
) -> Database:
    """Connect to the database of the settings; ``report`` is called with progress while a local server starts.

    Args:
        create: create the local server if it does not exist; otherwise only an existing one is started.
        impersonate: a user of the server under whose rights every query runs.
        bookmarks: those of another process; see :meth:`Database.catch_up`.

    Raises:
        ServerUnavailable, AuthenticationFailed, DatabaseNotFound, UnsupportedServer: for the configured server.
        SettingsError: the URI or the name of the server cannot be used.
        NoLocalServer: there is no local server of that name, and ``create`` is False.
        LocalServerError: the local server cannot be started.
    """
    if settings.uri is not None:
        return Database.connect(
            settings.uri,
            username=settings.username,
            password=settings.password,
            name=settings.database,
            impersonate=impersonate,
            bookmarks=bookmarks,
        )
    if not create:
        local.require(name=settings.name, home=settings.home)
    server = _started(settings, report=report)
    try:
        return _connected(server, settings, impersonate=impersonate, bookmarks=bookmarks)
    except ServerUnavailable:
        # It may have stopped in between, because it was idle.
        again = _started(settings, report=report)
        if again == server:
            raise
        return _connected(again, settings, impersonate=impersonate, bookmarks=bookmarks)


class Wake:
    """Restarts a local server that has stopped because it was idle, before the next query of a long process."""

    def __init__(self, start: Callable[[], object]) -> None:
        self._start = start
        self._used = time.monotonic()

    def __call__(self) -> None:
        """Check whether it still runs, unless it was used just now; a server stopped by a user stays stopped."""
        now = time.monotonic()
        if now - self._used > PAUSE:
            self._start()
        self._used = now


def _connected(
    server: local.LocalServer, settings: Settings, *, impersonate: str | None, bookmarks: Iterable[str]
) -> Database:
    return Database.connect(
        server.uri,
        username=server.username,
        password=server.password,
        impersonate=impersonate,
        bookmarks=bookmarks,
        before_query=Wake(lambda: _woken(settings, port=ports.port(server.uri))),
    )


def _woken(settings: Settings, *, port: int) -> None:
    if local.is_idle(name=settings.name, home=settings.home):
        _started(settings, port=port)


def _started(
    settings: Settings, *, port: int | None = None, report: Callable[[str], None] = lambda _: None
) -> local.LocalServer:
    return local.start(
        name=settings.name,
        home=settings.home,
        version=settings.neo4j_version,
        port=port,
        idle=settings.local_idle,
        report=report,
    )
