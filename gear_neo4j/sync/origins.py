"""Where documents come from: a folder or a file of this machine, or whatever fsspec reads by an address."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.lines import LONGEST_SOURCE
from gear_neo4j.ingestion.loaders import is_document
from gear_neo4j.ingestion.sources import WITHOUT_SUFFIX, files_to_ingest

# A file that was written to in these seconds may be written to again without a later time.
UNSETTLED_SECONDS = 2.0
# What file systems call the version of a file, or else the moment at which it was written.
VERSIONS = ("ETag", "etag", "generation", "md5Hash", "mtime", "LastModified", "last_modified", "updated", "created")


@dataclass(frozen=True, slots=True)
class Listed:
    """A document as its origin lists it: its name, and its version, which is empty if it cannot be told."""

    name: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The documents of an origin by name, and how many files of other kinds were left out, by suffix."""

    documents: tuple[Listed, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)


class Origin(Protocol):
    """A place that holds documents."""

    @property
    def name(self) -> str:
        """Its name, as records have it."""

    @property
    def known_as(self) -> bool:
        """Whether a document goes by its name here, and not by the path under which it is read."""

    def list(self) -> Listing:
        """What it holds now.

        Raises:
            InputError: it is not there or cannot be read.
        """

    def file(self, name: str) -> AbstractContextManager[Path]:
        """A context in which a document is a file of this machine.

        Raises:
            InputError: it cannot be read.
        """


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of this machine with all that is in it, or a single file."""

    path: Path
    follow_links: bool = False
    known_as = False

    @property
    def name(self) -> str:
        """The path as it was given."""
        return self.path.as_posix()

    def list(self) -> Listing:
        """Every document, by the path that an ingest would give it as its source."""
        files = files_to_ingest([self.path], follow_links=self.follow_links, may_be_empty=True)
        skipped = Counter(files.skipped)
        skipped.update(path.suffix.lower() for path in files.passages if not is_document(path))
        skipped.update(path.suffix.lower() for path in files.triples)
        now = time.time()
        paths = [path for path in files.passages if is_document(path)]
        documents = {path.as_posix(): Listed(path.as_posix(), _version(path, now)) for path in paths}
        return Listing(tuple(documents[name] for name in sorted(documents)), dict(skipped))

    @contextmanager
    def file(self, name: str) -> Iterator[Path]:
        """The file itself."""
        yield Path(name)


@dataclass(frozen=True, slots=True)
class Remote:
    """What is below an address such as ``s3://bucket/folder``, read by fsspec."""

    address: str
    most_bytes: int
    known_as = True

    @property
    def name(self) -> str:
        """The address as it was given."""
        return self.address

    def list(self) -> Listing:
        """Every document, by its whole address; what begins with a dot is left out."""
        skipped: Counter[str] = Counter()
        documents = []
        with _explained(self.address):
            system, root = _file_system(self.address)
            if not system.exists(root):
                raise InputError(f"{self.address} does not exist")
            for path, details in sorted(system.find(root, detail=True).items()):
                below = PurePosixPath(path.removeprefix(root))
                if any(part.startswith(".") for part in below.parts):
                    continue
                if not is_document(Path(path)):
                    skipped[below.suffix.lower() or WITHOUT_SUFFIX] += 1
                    continue
                documents.append(Listed(system.unstrip_protocol(path), _version_of(details)))
        return Listing(tuple(documents), dict(skipped))

    @contextmanager
    def file(self, name: str) -> Iterator[Path]:
        """A copy that lasts as long as the context."""
        if len(name) > LONGEST_SOURCE:
            raise InputError(f"has an address longer than {LONGEST_SOURCE:,} characters")
        with TemporaryDirectory(prefix="gear-sync-") as folder:
            copy = Path(folder) / f"document{PurePosixPath(name).suffix}"
            with _explained("cannot be read"):
                system, path = _file_system(name)
                if (system.size(path) or 0) > self.most_bytes:
                    raise InputError(f"is larger than {self.most_bytes // 2**20:,} MiB: split it")
                system.get_file(path, str(copy))
            yield copy


def origin_of(source: str | Path, *, follow_links: bool = False, most_bytes: int) -> Origin:
    """The origin that a user names: an address with a scheme, or a path.

    Example:
        >>> [type(origin_of(name, most_bytes=1)).__name__ for name in ("docs", "s3://bucket/docs")]
        ['Folder', 'Remote']
    """
    if "://" in str(source):
        return Remote(str(source), most_bytes)
    return Folder(Path(source), follow_links)


def digest(path: Path) -> str:
    """A digest of the content of a file.

    Raises:
        InputError: it cannot be read.
    """
    hashed = blake2b(digest_size=16)
    try:
        with path.open("rb") as file:
            while block := file.read(2**20):
                hashed.update(block)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}") from error
    return hashed.hexdigest()


def _version(path: Path, now: float) -> str:
    try:
        status = path.stat()
    except OSError:
        return ""
    return "" if now - status.st_mtime < UNSETTLED_SECONDS else f"{status.st_size} {status.st_mtime_ns}"


def _version_of(details: Mapping[str, Any]) -> str:
    marks = [str(details[key]) for key in VERSIONS if details.get(key) is not None]
    return " ".join([str(details.get("size")), *marks]) if marks else ""


def _file_system(address: str) -> tuple[Any, str]:
    # A second to import, and most syncs are of folders.
    from fsspec.core import url_to_fs

    system, path = url_to_fs(address)
    return system, path


@contextmanager
def _explained(what: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        # Each file system has exceptions of its own.
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{what}: {reason}") from error
