"""The jars of the local server: every jar that runs in its JVM has the published checksum."""

import hashlib
import http.server
import io
import json
import os
import sys
import threading
import zipfile
from functools import partial
from pathlib import Path

import pytest
from jgo.maven import MavenContext

from gear_neo4j.server import jars
from gear_neo4j.server.jars import JarError
from gear_neo4j.settings import DEFAULT_NEO4J_VERSION
from tests.processes import run

NAME = "org/example/thing/1.0/thing-1.0.jar"
NEWEST = "2026.09.0"


def jar(text="class"):
    """The bytes of a jar with one file; texts of the same length give the same size."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("Thing.class", text)
    return out.getvalue()


def put(root, content, name=NAME):
    file = Path(root) / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


@pytest.fixture
def remote(tmp_path):
    """The folder of a Maven repository, and its URL."""
    folder = tmp_path / "remote"
    folder.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def artifact(tmp_path, url):
    context = MavenContext(repo_cache=tmp_path / "local", remote_repos={"test": url})
    return context.project("org.example", "thing").at_version("1.0").artifact()


# Known sums


def test_a_jar_of_the_right_size_with_other_bytes_is_refused(tmp_path):
    """It is a valid jar, which was the only check before."""
    good, bad = jar("class"), jar("virus")
    file = put(tmp_path, bad)
    sums = {NAME: hashlib.sha256(good).hexdigest()}

    assert (len(good), True) == (len(bad), jars.is_whole(file))
    with pytest.raises(JarError, match=f"{file} is not the jar that was published .*: delete it, and start again"):
        jars.verify(sums, repository=tmp_path)


def test_the_jars_that_were_published_pass(tmp_path):
    """Byte for byte."""
    put(tmp_path, jar())

    jars.verify({NAME: hashlib.sha256(jar()).hexdigest()}, repository=tmp_path)


def test_sums_are_kept_in_the_form_of_sha256sum(tmp_path):
    """So anybody can check them by hand."""
    file = put(tmp_path, jar())
    jars.write_sums(tmp_path / "sums", {NAME: jars.digest(file, "sha256")})

    check = run(["sha256sum", "--check", "sums"], cwd=tmp_path)

    assert f"{NAME}: OK\n" == check.stdout
    assert {NAME: hashlib.sha256(jar()).hexdigest()} == jars.read_sums(tmp_path / "sums")
    assert {} == jars.read_sums(tmp_path / "none")


@pytest.mark.parametrize("version", [DEFAULT_NEO4J_VERSION, NEWEST])
def test_the_sums_of_tested_versions_are_in_the_package(version):
    """For every jar, including Neo4j itself."""
    sums = jars.read_sums(jars.SUMS / f"{version}.sha256")

    assert len(sums) > 150
    assert {f"org/neo4j/{name}/{version}/{name}-{version}.jar" for name in ("neo4j", "neo4j-bolt")} <= set(sums)
    assert all(name.endswith(".jar") and ".." not in name and not name.startswith("/") for name in sums)
    assert {64} == {len(expected) for expected in sums.values()}


@pytest.mark.parametrize(
    "name",
    [
        NAME,
        "io/netty/netty-transport/4.1.137.Final/netty-transport-4.1.137.Final.jar",
        "io/netty/netty-epoll/4.1.137.Final/netty-epoll-4.1.137.Final-linux-x86_64.jar",
    ],
)
def test_a_jar_is_found_again_by_its_path(tmp_path, name):
    """Even one of several with the same version."""
    found = jars.artifact_of(name, repository=tmp_path)

    assert tmp_path / name == found.cached_path


# Published checksums


@pytest.mark.parametrize("algorithm", ["sha256", "sha1"])
@pytest.mark.parametrize("form", ["{}", "{}  thing-1.0.jar\n"])
def test_a_jar_of_another_version_needs_the_published_checksum(tmp_path, remote, algorithm, form):
    """A newer algorithm is preferred to SHA-1, which is all that many jars have."""
    folder, url = remote
    file = put(folder, jar())
    file.with_name(f"thing-1.0.jar.{algorithm}").write_text(form.format(jars.digest(file, algorithm)))

    assert tmp_path / "local" / NAME == jars.fetch_published(artifact(tmp_path, url))


@pytest.mark.parametrize("where", ["local", "remote"])
def test_a_jar_that_differs_from_the_published_checksum_is_refused(tmp_path, remote, where):
    """Whether it was changed on this machine or in transit."""
    folder, url = remote
    file = put(folder, jar())
    file.with_name("thing-1.0.jar.sha1").write_text(jars.digest(file, "sha1"))
    put(tmp_path / where, jar("virus"))

    with pytest.raises(JarError, match=r"local/org/example/.*thing-1\.0\.jar is not the jar that was published"):
        jars.fetch_published(artifact(tmp_path, url))


def test_a_jar_without_a_published_checksum_is_refused(tmp_path, remote):
    """There is nothing to verify it with."""
    folder, url = remote
    put(folder, jar())

    with pytest.raises(JarError, match=r"no checksum is published for thing-1\.0\.jar"):
        jars.fetch_published(artifact(tmp_path, url))


# The program


def test_the_program_says_in_one_line_which_jar_it_refuses(tmp_path):
    """The launcher passes the line on, and starts nothing."""
    put(tmp_path, jar("virus"))
    put(tmp_path, f"{hashlib.sha256(jar()).hexdigest()}  {NAME}\n".encode(), name="gear-neo4j-1.0.sha256")
    environment = {**os.environ, "M2_REPO": str(tmp_path)}

    done = run([sys.executable, "-P", jars.__file__, "1.0"], env=environment)

    assert 1 == done.returncode
    assert [{"problem": jars.refusal(tmp_path / NAME)}] == [json.loads(line) for line in done.stdout.splitlines()]
