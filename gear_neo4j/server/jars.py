"""The jars of a Neo4j version in the local Maven repository, each verified: ``python jars.py 5.26.31``.

A program of its own, which ``launcher.py`` runs before the JVM starts; like that, it imports nothing of gear_neo4j. It
prints lines of JSON: ``{"phase": "downloading"}``, and at the end ``{"jars": [...]}`` or ``{"problem": "..."}``.

The SHA-256 sums of the jars of tested versions are in ``sums/``, in the format of ``sha256sum``. Each jar of another
version must have the checksum that is published beside it; its sum is then stored in the repository for later starts.
``--write-sums`` adds a version to ``sums/``.
"""

import argparse
import hashlib
import json
import sys
import traceback
import zipfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import jgo
import requests
from filelock import FileLock
from jgo.config import GlobalSettings
from jgo.constants import MAVEN_CENTRAL_URL
from jgo.maven import Artifact, MavenContext

DOWNLOADS = 8
ATTEMPTS = 3
SUMS = Path(__file__).with_name("sums")
# The kinds of published checksums, the best first; many jars have only the last one.
ALGORITHMS = ("sha256", "sha1")
Sums = dict[str, str]


class JarError(Exception):
    """A jar must not be run; ``str(error)`` says what to do."""


def class_path(version: str) -> list[Path]:
    """The jars of a version, verified; missing or incomplete ones are downloaded."""
    repository = repository_folder()
    kept = repository / f"gear-neo4j-{version}.sha256"
    sums = read_sums(SUMS / kept.name.removeprefix("gear-neo4j-")) or read_sums(kept)
    if not sums or not all(is_whole(repository / name) for name in sums):
        # The jar of Neo4j itself is fetched last: if it is there, the others usually are.
        if not is_whole(repository / f"org/neo4j/neo4j/{version}/neo4j-{version}.jar"):
            report(phase="downloading")
        sums = download(version, sums, repository=repository)
        if not (SUMS / f"{version}.sha256").exists():
            write_sums(kept, sums)
    verify(sums, repository=repository)
    return [repository / name for name in sums]


def repository_folder() -> Path:
    """The local Maven repository, shared by the servers of every home."""
    return Path(GlobalSettings.load().repo_cache)


def download(version: str, sums: Sums, *, repository: Path) -> Sums:
    """Fetch the jars in ``sums``, or else those of the version; returns their sums, in the order of the class path."""
    repository.mkdir(parents=True, exist_ok=True)
    # jgo requests hundreds of small files, each over a new connection, which takes longer than the transfers.
    requests.request = requests.Session().request
    # Servers of every name and home share the repository: one downloads, the others wait.
    with FileLock(repository / "gear-neo4j.lock"), ThreadPoolExecutor(DOWNLOADS) as pool:
        if sums:
            # A tested version: exactly these jars, whatever its POM files say.
            list(pool.map(fetch, (artifact_of(name, repository=repository) for name in sums)))
            return sums
        # Some versions depend on lists of versions, which are not jars.
        artifacts = [file for file in resolve(version, repository=repository) if file.packaging == "jar"]
        jars = list(pool.map(fetch_published, reversed(artifacts)))
    return {jar.relative_to(repository).as_posix(): digest(jar, "sha256") for jar in jars}


def resolve(version: str, *, repository: Path) -> list[Artifact]:
    """The artifacts of a Neo4j server of this version, Neo4j itself first.

    Not ``jgo.build``: that downloads another Java to sort the jars, and accepts an incomplete folder as complete.
    """
    endpoint = f"org.neo4j:neo4j:{version}+org.neo4j:neo4j-bolt:{version}"
    mirrors = GlobalSettings.load().repositories
    for _ in range(ATTEMPTS - 1):
        try:
            return list(jgo.resolve(endpoint, repositories=mirrors))
        except requests.RequestException:
            traceback.print_exc()
        except ElementTree.ParseError:
            remove_broken_poms(repository)
    return list(jgo.resolve(endpoint, repositories=mirrors))


def remove_broken_poms(repository: Path) -> None:
    """Remove the POM files that a killed download truncated: jgo would trust them forever."""
    for pom in repository.rglob("*.pom"):
        try:
            ElementTree.parse(pom)
        except ElementTree.ParseError:
            pom.unlink(missing_ok=True)


def artifact_of(name: str, *, repository: Path) -> Artifact:
    """The artifact of a jar by its path in a repository: ``org/neo4j/neo4j/5.26.31/neo4j-5.26.31.jar``."""
    *group, artifact, version, file = name.split("/")
    classifier = file.removesuffix(".jar").removeprefix(f"{artifact}-{version}").removeprefix("-")
    mirrors = {"central": MAVEN_CENTRAL_URL, **GlobalSettings.load().repositories}
    context = MavenContext(repo_cache=repository, remote_repos=mirrors)
    return context.project(".".join(group), artifact).at_version(version).artifact(classifier)


def fetch(artifact: Artifact) -> Path:
    """The artifact's jar in the local repository, downloaded if missing or incomplete."""
    problem: Exception = RuntimeError(f"the download of {artifact.filename} is incomplete")
    for _ in range(ATTEMPTS):
        try:
            jar = Path(artifact.resolve())
            if is_whole(jar):
                return jar
            jar.unlink()
        except requests.RequestException as error:
            problem = error
    raise problem


def fetch_published(artifact: Artifact) -> Path:
    """The artifact's jar, checked against the checksum that is published beside it.

    Raises:
        JarError: it has another checksum, or none is published.
    """
    jar = fetch(artifact)
    algorithm, expected = published(artifact)
    if digest(jar, algorithm) != expected:
        raise JarError(refusal(jar))
    return jar


def published(artifact: Artifact) -> tuple[str, str]:
    """The algorithm and the checksum that a repository publishes for an artifact."""
    folder = artifact.component.path_prefix.as_posix()
    for algorithm in ALGORITHMS:
        for url in artifact.context.remote_repos.values():
            response = requests.request(
                "GET", f"{url}/{folder}/{artifact.filename}.{algorithm}", timeout=artifact.context.timeout
            )
            # Some files have the name after the checksum.
            if response.status_code == requests.codes.ok and (words := response.text.split()):
                return algorithm, words[0].lower()
    raise JarError(f"no checksum is published for {artifact.filename}: use a tested version (GEAR_NEO4J_VERSION)")


def verify(sums: Sums, *, repository: Path) -> None:
    """Check the SHA-256 sum of every jar, which takes a fifth of a second for a version.

    Raises:
        JarError: a jar differs; the message names the first one.
    """
    jars = [repository / name for name in sums]
    with ThreadPoolExecutor(DOWNLOADS) as pool:
        for jar, expected, actual in zip(
            jars, sums.values(), pool.map(lambda jar: digest(jar, "sha256"), jars), strict=True
        ):
            if actual != expected:
                raise JarError(refusal(jar))


def refusal(jar: Path) -> str:
    """The message for a jar with a wrong checksum, with what to do."""
    return f"{jar} is not the jar that was published (its checksum differs): delete it, and start again to download it"


def digest(jar: Path, algorithm: str) -> str:
    """The checksum of a file, in hexadecimal digits."""
    with jar.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def is_whole(jar: Path) -> bool:
    """Whether the jar is complete; the directory of a zip file is at its end."""
    try:
        with zipfile.ZipFile(jar):
            return True
    except (OSError, zipfile.BadZipFile):
        return False


def read_sums(file: Path) -> Sums:
    """The jars and their sums in a file of ``sha256sum``; empty if there is none."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return {name: expected for expected, name in (line.split("  ", 1) for line in lines)}


def write_sums(file: Path, sums: Sums) -> None:
    """Write a file that :func:`read_sums` and ``sha256sum --check`` read; readers see all of it or none."""
    draft = file.with_name(f".{file.name}-draft")
    draft.write_text("".join(f"{expected}  {name}\n" for name, expected in sums.items()), "utf-8")
    draft.replace(file)


def reason(error: Exception, *, version: str) -> str:
    """One line that says why there are no jars."""
    if isinstance(error, requests.RequestException):
        return f"Neo4j {version} is not on this machine yet and cannot be downloaded ({type(error).__name__})"
    text = " ".join(str(error).split())
    if "not found in remote repositories" in text:
        return f"there is no Neo4j {version} to download: see GEAR_NEO4J_VERSION"
    return text if isinstance(error, JarError) else f"{type(error).__name__}: {text}"


def report(**fields: str | list[str]) -> None:
    """Print a line for the launcher."""
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


def main(arguments: Iterable[str] | None = None) -> None:
    """Print the class path of a version, or add its sums to those of the tested versions."""
    parser = argparse.ArgumentParser(description="Fetch and verify the jars of a Neo4j version.")
    parser.add_argument("version")
    parser.add_argument("--write-sums", action="store_true", help="add the version to the tested ones, in sums/")
    options = parser.parse_args(None if arguments is None else list(arguments))
    try:
        if options.write_sums:
            write_sums(
                SUMS / f"{options.version}.sha256", download(options.version, {}, repository=repository_folder())
            )
        report(jars=[str(jar) for jar in class_path(options.version)])
    except Exception as error:
        if not isinstance(error, JarError):
            traceback.print_exc()
        report(problem=reason(error, version=options.version))
        sys.exit(1)


if __name__ == "__main__":
    main()
