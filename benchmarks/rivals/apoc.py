"""A local server with APOC, which the other writers need; ours is measured on it, too."""

import os
import shutil
import zipfile
from pathlib import Path

import jgo
from jgo.config import GlobalSettings

from gear_neo4j import Settings
from gear_neo4j.server import local
from gear_neo4j.server.local import LocalServer

APOC = "org.neo4j.procedure:apoc-core:5.26.12+org.neo4j.procedure:apoc-common:5.26.12"


def start(settings: Settings) -> LocalServer:
    """Start a server, stop it, add APOC to it, and start it again."""
    version = settings.neo4j_version
    os.environ["GEAR_LOCAL_SETTINGS"] = "dbms.security.procedures.unrestricted=apoc.*\n"
    first = local.start(name=settings.name, home=settings.home, version=version)
    local.stop(name=settings.name, home=settings.home)
    plugin = _merge_jars(first.home / "neo4j" / "plugins")
    # On the class path, too, because its classes refer to each other through it.
    os.environ["GEAR_LOCAL_JARS"] = str(plugin)
    return local.start(name=settings.name, home=settings.home, version=version)


def _merge_jars(folder: Path) -> Path:
    """The two jars of APOC as one: each by itself counts as a plugin without procedures."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "apoc.jar"
    repositories = GlobalSettings.load().repositories
    jars = [
        artifact.resolve()
        for artifact in jgo.resolve(APOC, repositories=repositories)
        if artifact.artifactId.startswith("apoc-")
    ]
    shutil.copy(jars[0], target)
    with zipfile.ZipFile(target, "a") as merged:
        names = set(merged.namelist())
        for other in jars[1:]:
            with zipfile.ZipFile(other) as jar:
                for name in jar.namelist():
                    if name not in names:
                        merged.writestr(name, jar.read(name))
                        names.add(name)
    return target
