"""The connection to Neo4j: the one module that touches the driver."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import copy
from functools import partial
from importlib.metadata import version
from threading import Event
from typing import Any, Self, TypeVar

import neo4j
from neo4j.exceptions import AuthError, ClientError, ConfigurationError, DriverError, Neo4jError, ServiceUnavailable

from gear_neo4j.errors import AuthenticationFailed, DatabaseError, SettingsError
from gear_neo4j.graph.connection.bookmarks import checked
from gear_neo4j.graph.connection.deadline import within
from gear_neo4j.graph.connection.meter import Meter, NamedContext
from gear_neo4j.graph.connection.query_log import logged
from gear_neo4j.graph.connection.query_profiles import QueryProfile, profile_of
from gear_neo4j.graph.connection.refusals import failure, passes, refusal, unreached
from gear_neo4j.graph.connection.versions import FILTER_PROBE, SEARCH_PROBE, check_version, search_answer
from gear_neo4j.graph.guard.excerpt import MOST_BYTES, Excerpt, Reading
from gear_neo4j.graph.guard.values import quiet
from gear_neo4j.graph.queries import Query, ScopeUse, has_form, named
from gear_neo4j.graph.scope.scope_gate import ScopeGate, ScopeSize
from gear_neo4j.scope import EVERYTHING, Scope
from gear_neo4j.text.address import Address, check_neo4j_uri, login_for
from gear_neo4j.tracing import Span, span

# The server looks for expired transactions every two seconds.
GRACE = 3.0
# An explicit limit overrides that of the server (db.transaction.timeout); 0 means no limit.
UNLIMITED = 0
# Number of retries of temporary failures that the driver does not retry, and the seconds between them.
PASSING_TRIES = 5
PASSING_PAUSE = 0.05
Row = dict[str, Any]
_Outcome = tuple[list[Row], dict[str, Any] | None]
Driver = neo4j.Driver
Record = neo4j.Record
Value = TypeVar("Value")
_Auth = tuple[str, str] | None


class Database:
    """One database of one Neo4j server; runs named queries, with READ routing for reads, and always names the database.

    Pass your own driver (it is neither changed nor closed), or let :meth:`connect` create one. ``impersonate`` is a
    user of the server under whose rights every query runs; the login needs that privilege, but not the user's password.
    ``bookmarks`` are those of another process, see :meth:`catch_up`.

    Usage::

        with neo4j.GraphDatabase.driver(uri, auth=(username, password)) as driver:
            print(Database(driver, name="neo4j").version)
    """

    def __init__(
        self,
        driver: neo4j.Driver,
        *,
        name: str | None = None,
        impersonate: str | None = None,
        bookmarks: Iterable[str] = (),
    ) -> None:
        self._driver = driver
        self.impersonated = impersonate
        self._owned = False
        # Opens another driver to the same server; None for the caller's driver.
        self._reopen: Callable[[Meter], neo4j.Driver] | None = None
        self._probed: dict[str, bool] = {}
        self._on_profile: Callable[[QueryProfile], None] | None = None
        self._gate: ScopeGate | None = None
        self._before_query: Callable[[], None] = lambda: None
        # Shared with the copies over the same driver.
        self._closed = Event()
        row = self._server_info(name, bookmarks)
        # Without a name, the driver would ask the server for the home database on every call.
        self.name: str = row["database"]
        self.version: str = row["version"]
        check_version(self.version)

    @classmethod
    def connect(
        cls,
        uri: str,
        *,
        username: str,
        password: str | None,
        name: str | None = None,
        impersonate: str | None = None,
        bookmarks: Iterable[str] = (),
        before_query: Callable[[], None] = lambda: None,
    ) -> Self:
        """Connect to a server with a new driver; close it with :meth:`close` or ``with``.

        The URI may contain a user and a password: ``bolt://neo4j:secret@host``. ``before_query`` is called before each
        query, and may restart the server.

        Raises:
            ServerUnavailable, AuthenticationFailed, DatabaseNotFound, UnsupportedServer, SettingsError.
        """
        check_neo4j_uri(uri)
        # The driver refuses a URI with a login, and shows all of it.
        address = Address.of(uri, setting="NEO4J_URI")
        login = login_for(address, username=username, password=password)
        uri, auth = address.url, (login.user, login.password) if login.password else None
        driver = _open(uri, auth)
        try:
            with _explained(name):
                # Otherwise, a query would be retried for 15 seconds before it reports that no server answers.
                driver.verify_connectivity()
            database = cls(driver, name=name, impersonate=impersonate, bookmarks=bookmarks)
        except BaseException:
            driver.close()
            raise
        database._owned = True
        database._reopen = partial(_open, uri, auth)
        database._before_query = before_query
        return database

    @property
    def bookmarks(self) -> tuple[str, ...]:
        """Bookmarks of this driver's reads and writes: with them, another process reads no older state."""
        return tuple(sorted(self._driver.execute_query_bookmark_manager.get_bookmarks()))

    def catch_up(self, bookmarks: Iterable[str]) -> None:
        """Let every further query see the writes of another process, by its :attr:`bookmarks`.

        One round trip: the server answers as soon as it has these writes.

        Raises:
            SettingsError: they are not bookmarks.
            DatabaseError: the server gave up waiting (``db.transaction.bookmark_ready_timeout``).
        """
        self._server_info(self.name, bookmarks)

    def _begin(self) -> None:
        """Refuse a closed driver, which would restart a local server only to fail, and see to the server."""
        if self._closed.is_set():
            raise DatabaseError("this Gear is closed: make another with Gear.connect()")
        self._before_query()

    def _server_info(self, name: str | None, bookmarks: Iterable[str]) -> Row:
        self._begin()
        query, manager = named("server_info"), self._driver.execute_query_bookmark_manager
        awaited = {*manager.get_bookmarks(), *checked(bookmarks)}
        # The driver's own manager must only get bookmarks that a server accepted: a bad one would fail all queries.
        trial = neo4j.GraphDatabase.bookmark_manager(neo4j.Bookmarks.from_raw_values(awaited))
        with _explained(name, query):
            rows, _ = self._driver.execute_query(
                query.text,
                database_=name,
                routing_=neo4j.RoutingControl.READ,
                impersonated_user_=self.impersonated,
                bookmark_manager_=trial,
                result_transformer_=_rows_and_plan,
            )
        manager.update_bookmarks(awaited, trial.get_bookmarks())
        return rows[0]

    def run(self, query: Query, /, **parameters: object) -> list[Row]:
        """Run a query in one transaction, with the driver's own retries, and return its rows; one round trip."""
        query.check(parameters)
        if self._gate:
            query, parameters = self._gate.admit(query, parameters)
        with self._span(query.name) as active:
            rows = self._run_logged(query, parameters)
            active.describe(lambda: {"db.response.returned_rows": len(rows)})
            return rows

    def _run_logged(self, query: Query, parameters: dict[str, object]) -> list[Row]:
        self._begin()
        with _explained(self.name, query), logged(query.name, database=self.name) as entry:
            rows = self._run_with_retries(query, quiet(parameters))
            entry.rows = len(rows)
            return rows

    def _span(self, query: str, *, is_current: bool = True) -> Span:
        attributes = {"db.system.name": "neo4j", "db.namespace": self.name, "db.query.summary": query}
        return span(query, "QUERY", attributes, is_current=is_current)

    def _run_with_retries(self, query: Query, parameters: dict[str, object]) -> list[Row]:
        for _ in range(PASSING_TRIES):
            try:
                return self._execute(query, parameters)
            except Neo4jError as error:
                if not passes(error.code, error.message):
                    raise
            time.sleep(PASSING_PAUSE)
        return self._execute(query, parameters)

    def _execute(self, query: Query, parameters: dict[str, object]) -> list[Row]:
        started = time.perf_counter()
        rows, plan = self._send(query, parameters)
        if self._on_profile and plan:
            spent = 1_000 * (time.perf_counter() - started)
            self._on_profile(profile_of(query.name, plan, rows=len(rows), milliseconds=spent))
        return rows

    def _send(self, query: Query, parameters: dict[str, object]) -> _Outcome:
        text = f"PROFILE {query.text}" if self._on_profile else query.text
        statement = neo4j.Query(text, metadata=_metadata(query), timeout=query.timeout)
        if not query.writes:
            try:
                # An auto-commit transaction saves the round trip of a commit.
                with self._session(self._driver, fetch_size=1_000) as session:
                    return _rows_and_plan(session.run(statement, parameters))
            except (Neo4jError, DriverError) as error:
                if not error.is_retryable():
                    raise
        return self._driver.execute_query(
            statement,
            parameters,
            database_=self.name,
            routing_=neo4j.RoutingControl.WRITE if query.writes else neo4j.RoutingControl.READ,
            impersonated_user_=self.impersonated,
            result_transformer_=_rows_and_plan,
        )

    def call(self, name: str, /, **parameters: object) -> list[Row]:
        """Run the named query of ``cypher/``, in the form that this server and the scope need."""
        return self.run(self._named(name), **parameters)

    def _named(self, name: str) -> Query:
        if self._gate and has_form(name, "small_scope") and self._gate.is_small:
            return named(name, form="small_scope")
        return named(name, form="search_clause" if self.has_search_clause else "plain")

    def stream(self, name: str, /, **parameters: object) -> Iterator[Row]:
        """The rows of a reading query as they arrive, 1,000 at a time, so that memory stays bounded."""
        self._begin()
        query = self._named(name)
        query.check(parameters)
        if self._gate:
            query, parameters = self._gate.admit(query, parameters)
        with (
            self._span(query.name, is_current=False) as active,
            _explained(self.name, query),
            logged(query.name, database=self.name) as entry,
            self._session(self._driver, fetch_size=1_000) as session,
        ):
            # Without its own limit, a stream may take as long as its reader needs; the server's limit must not apply.
            limit = UNLIMITED if query.timeout is None else query.timeout
            statement = neo4j.Query(query.text, metadata=_metadata(query), timeout=limit)
            for record in session.run(statement, quiet(parameters)):
                entry.rows += 1
                yield dict(record)
            active.describe(lambda: {"db.response.returned_rows": entry.rows})

    def explain(self, text: str, *, timeout: float = 10.0) -> str:
        """The server's query type of a statement, which is not run: ``r`` reads; ``rw``, ``w`` and ``s`` do not."""
        self._refuse_text()
        return self._untrusted(timeout, lambda tx, _: tx.run(f"EXPLAIN {text}").consume().query_type or "")

    def read_text(
        self,
        text: str,
        *,
        parameters: Mapping[str, object] | None = None,
        timeout: float = 10.0,
        limit: int = 100,
        scope: ScopeUse = "refused",
    ) -> Excerpt:
        """The first rows of an untrusted statement, as plain data; the transaction cannot write.

        It has its own connection, which is broken at the timeout, or when the server sends more than the budget. With
        the caller's driver, it uses one of the driver's connections instead: then a single row is read whatever its
        size, and after the timeout a thread continues to read.

        Raises:
            QueryTimeout: it took longer than ``timeout`` seconds.
            DatabaseError: the server refused it, or a single row is too large.
            ScopeRefusal: the database is scoped, and an untrusted statement may read anything; with the scope
                ``graph``, only if some node of the adopted graph may be hidden.
        """
        self._refuse_text(scope)

        def read(transaction: neo4j.Transaction, meter: Meter) -> Excerpt:
            return _excerpt(transaction.run(text, dict(parameters or {})), limit=limit, meter=meter)

        return self._untrusted(timeout, read)

    def _refuse_text(self, scope: ScopeUse = "refused") -> None:
        if self._gate:
            self._gate.admit(Query("text", "", scope=scope), {})

    def _untrusted(self, timeout: float, work: Callable[[neo4j.Transaction, Meter], Value]) -> Value:
        self._begin()
        with self._span("text"), Meter(MOST_BYTES) as meter:
            return within(timeout + GRACE, lambda: self._transact(timeout, meter, work))

    def _transact(self, timeout: float, meter: Meter, work: Callable[[neo4j.Transaction, Meter], Value]) -> Value:
        with (
            _explained(self.name),
            logged("text", database=self.name) as entry,
            meter.reading(),
            self._apart(meter) as driver,
            # In small batches, so that little is in transit when the reader stops.
            self._session(driver, fetch_size=50) as session,
            # An explicit transaction rules out CALL { ... } IN TRANSACTIONS, and retries of an expensive query.
            session.begin_transaction(metadata={"app": "gear-neo4j", "query": "text"}, timeout=timeout) as transaction,
        ):
            value = work(transaction, meter)
            if meter.spent:
                # With a broken connection, a commit would fail; otherwise, it reports if the server ended the query.
                with suppress(DriverError):
                    transaction.close()
            entry.rows = len(value.rows) if isinstance(value, Excerpt) else 0
            return value

    @contextmanager
    def _apart(self, meter: Meter) -> Iterator[neo4j.Driver]:
        """A driver with metered connections for one untrusted statement, or the caller's own driver."""
        if self._reopen is None:
            yield self._driver
        else:
            with self._reopen(meter) as driver:
                yield driver

    def _session(self, driver: neo4j.Driver, *, fetch_size: int) -> neo4j.Session:
        """A read session that sees the writes of this driver's other queries, on any server of a cluster."""
        return driver.session(
            database=self.name,
            default_access_mode=neo4j.READ_ACCESS,
            impersonated_user=self.impersonated,
            fetch_size=fetch_size,
            bookmark_manager=self._driver.execute_query_bookmark_manager,
            # The caller's driver would log each name that the database does not know yet, which means nothing for ours.
            notifications_min_severity="OFF",
        )

    def execute(self, statement: str) -> None:
        """Run a schema statement in its own transaction, because schema and data cannot share one."""
        self.run(Query("schema", statement, writes=True, timeout=UNLIMITED))

    @property
    def has_search_clause(self) -> bool:
        """Whether the server plans the SEARCH clause of Cypher 25; probed once, because Aura's version does not tell.

        Raises:
            DatabaseError: the server did not answer; the next call probes again.
        """
        return self._knows(SEARCH_PROBE)

    @property
    def has_index_filters(self) -> bool:
        """Whether a vector index can store the collection beside the vector; probed once.

        Raises:
            DatabaseError: the server did not answer; the next call probes again.
        """
        return self._knows(FILTER_PROBE)

    def _knows(self, probe: str) -> bool:
        if probe not in self._probed:
            try:
                # Without a span, because it is not an error if an older server refuses it.
                self._run_logged(Query("probe", probe, scope="free"), {})
            except DatabaseError as error:
                answer = search_answer(getattr(error.__cause__, "code", None))
                if answer is None:
                    raise
                self._probed[probe] = answer
            else:
                self._probed[probe] = True
        return self._probed[probe]

    def profiling(self, listener: Callable[[QueryProfile], None]) -> "Database":
        """The same database over the same driver; the listener gets the profile of each query."""
        other = copy(self)
        other._owned, other._on_profile = False, listener
        return other

    def gated(self, gate: ScopeGate) -> "Database":
        """The same database over the same driver; every query passes the gate of a scope."""
        other = copy(self)
        other._owned, other._gate = False, gate
        return other

    @property
    def scope(self) -> Scope:
        """The scope that its queries run under."""
        return self._gate.scope if self._gate else EVERYTHING

    @property
    def scope_size(self) -> ScopeSize | None:
        """The size of the scope; None without a scope."""
        return self._gate.size() if self._gate else None

    def close(self) -> None:
        """Close the driver, unless it is the caller's."""
        if self._owned:
            self._closed.set()
            self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _open(uri: str, auth: _Auth, meter: Meter | None = None) -> neo4j.Driver:
    """Open a driver; with a meter, it connects through the meter."""
    metered: dict[str, Any] = {"resolver": meter.resolve} if meter else {}
    # The driver would check the certificate against the loopback address; schemes with +ssc check nothing.
    if meter and uri.partition("://")[0].endswith("+s"):
        uri, metered["ssl_context"] = uri.replace("+s://", "://", 1), NamedContext.of(meter)
    try:
        return neo4j.GraphDatabase.driver(
            uri,
            auth=auth,
            user_agent=f"gear-neo4j/{version('gear-neo4j')}",
            connection_acquisition_timeout=30,
            max_transaction_retry_time=15,
            notifications_min_severity="OFF",
            # Servers such as Aura would ask which functions of the driver are used.
            telemetry_disabled=True,
            **metered,
        )
    except (ConfigurationError, ValueError) as error:
        raise SettingsError(f"NEO4J_URI {uri!r} cannot be used: {error}") from error


def _metadata(query: Query) -> dict[str, str]:
    """The metadata of a query for the server's log and its list of transactions."""
    return {"app": "gear-neo4j", "query": query.name}


def _excerpt(result: neo4j.Result, *, limit: int, meter: Meter) -> Excerpt:
    reading = Reading(limit)
    try:
        for record in result:
            if not reading.take(record):
                break
    except DriverError:
        if not meter.spent:
            raise
        reading.stop()
    except RecursionError:
        raise DatabaseError("the answer has values nested too deep to read: return a flat list or map") from None
    return reading.excerpt()


def _rows_and_plan(result: neo4j.Result) -> _Outcome:
    return [dict(record) for record in result], result.consume().profile


@contextmanager
def _explained(name: str | None, query: Query | None = None) -> Iterator[None]:
    """Translate the driver's errors into ours, with advice and the file of the failed query."""
    where = f" ({query.file})" if query and query.file else ""
    try:
        yield
    except AuthError as error:
        raise AuthenticationFailed(
            "the server refused the user name or password: check NEO4J_USERNAME and NEO4J_PASSWORD"
        ) from error
    except ServiceUnavailable as error:
        raise unreached(_first_line(error)) from error
    except ClientError as error:
        raise refusal(error.code, _first_line(error), database=name, where=where) from error
    except (Neo4jError, DriverError) as error:
        raise failure(getattr(error, "code", None), _first_line(error), where=where) from error


def _first_line(error: Exception) -> str:
    text = error.message if isinstance(error, Neo4jError) and error.message else str(error)
    return text.strip().splitlines()[0] if text.strip() else type(error).__name__
