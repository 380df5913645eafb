"""Origins of files: a folder on this machine, or an address that fsspec reads."""

import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from gear_neo4j.errors import GearError, InputError
from gear_neo4j.ingestion.lines import LONGEST_SOURCE
from gear_neo4j.ingestion.loaders import is_document
from gear_neo4j.ingestion.sources import HIDDEN, WITHOUT_SUFFIX, files_to_ingest
from gear_neo4j.sync.origins import Listed, Listing, ReadDocument
from gear_neo4j.sync.passages import PassageMaker

# A file written within these seconds may change again without a new modification time.
UNSETTLED_SECONDS = 2.0
# Keys of file systems for the version of a file, or for its modification time.
VERSIONS = ("ETag", "etag", "generation", "md5Hash", "mtime", "LastModified", "last_modified", "updated", "created")


class Files(ABC):
    """The base of origins of files."""

    __slots__ = ()

    @abstractmethod
    def file(self, name: str) -> AbstractContextManager[Path]:
        """A context in which a document is a file on this machine.

        Raises:
            InputError: it cannot be read.
        """

    @abstractmethod
    def known_as(self, name: str) -> str | None:
        """The name to read a document under; None if its path is its name."""

    def digest(self, listed: Listed) -> str | None:
        """The digest of a document's content; None if it cannot be read."""
        try:
            with self.file(listed.name) as path:
                return digest(path)
        except InputError:
            return None

    def read(self, wanted: Sequence[Listed], maker: PassageMaker) -> Iterator[ReadDocument]:
        """Read documents, one after the other."""
        for document in wanted:
            content = ""
            try:
                with self.file(document.name) as path:
                    content = digest(path)
                    passages = maker.of_file(path, name=self.known_as(document.name))
            except InputError as error:
                yield ReadDocument(document, content, problem=str(error))
            else:
                yield ReadDocument(document, content, passages)


@dataclass(frozen=True, slots=True)
class Folder(Files):
    """A folder on this machine with everything in it, or a single file."""

    path: Path
    follow_links: bool = False

    @property
    def name(self) -> str:
        """The path as given."""
        return self.path.as_posix()

    def list(self) -> Listing:
        """All documents, named by the paths that an ingest would use as sources."""
        files = files_to_ingest([self.path], follow_links=self.follow_links, may_be_empty=True)
        skipped = Counter(files.skipped)
        skipped.update(path.suffix.lower() for path in files.passages if not is_document(path))
        skipped.update(path.suffix.lower() for path in files.triples)
        now = time.time()
        paths = sorted({path.as_posix(): path for path in files.passages if is_document(path)}.items())
        return Listing(tuple(Listed(name, _version(path, now)) for name, path in paths), dict(skipped))

    @contextmanager
    def file(self, name: str) -> Iterator[Path]:
        """The file itself."""
        yield Path(name)

    def known_as(self, name: str) -> None:
        """Its path is its name."""


@dataclass(frozen=True, slots=True)
class Remote(Files):
    """The files below an address such as ``s3://bucket/folder``, read by fsspec."""

    address: str
    most_bytes: int

    @property
    def name(self) -> str:
        """The address as given."""
        return self.address

    def list(self) -> Listing:
        """All documents, named by their addresses; hidden files are left out."""
        skipped: Counter[str] = Counter()
        documents = []
        with explained(self.address):
            system, root = file_system(self.address)
            if not system.exists(root):
                raise InputError(f"{self.address} does not exist")
            for path, details in sorted(system.find(root, detail=True).items()):
                below = PurePosixPath(path.removeprefix(root))
                if any(part.startswith(HIDDEN) for part in below.parts):
                    continue
                if is_document(Path(path)):
                    documents.append(Listed(system.unstrip_protocol(path), _version_of(details)))
                else:
                    skipped[PurePosixPath(path).suffix.lower() or WITHOUT_SUFFIX] += 1
        return Listing(tuple(documents), dict(skipped))

    @contextmanager
    def file(self, name: str) -> Iterator[Path]:
        """A copy that exists within the context."""
        if len(name) > LONGEST_SOURCE:
            raise InputError(f"has an address longer than {LONGEST_SOURCE:,} characters")
        with TemporaryDirectory(prefix="gear-sync-") as folder:
            copy = Path(folder) / f"document{PurePosixPath(name).suffix}"
            with explained("cannot be read"):
                system, path = file_system(name)
                if (system.size(path) or 0) > self.most_bytes:
                    raise InputError(f"is larger than {self.most_bytes // 2**20:,} MiB: split it")
                system.get_file(path, str(copy))
            yield copy

    def known_as(self, name: str) -> str:
        """Its address."""
        return name


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


def file_system(address: str) -> tuple[Any, str]:
    """The file system of fsspec for an address, and the path in it."""
    # Takes a second to import, and most syncs are of folders.
    from fsspec.core import url_to_fs

    system, path = url_to_fs(address)
    return system, path


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Turn any exception into an InputError that begins with ``what``: each library has its own exceptions."""
    try:
        yield
    except GearError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{what}: {reason}") from error


def _version(path: Path, now: float) -> str:
    try:
        status = path.stat()
    except OSError:
        return ""
    return "" if now - status.st_mtime < UNSETTLED_SECONDS else f"{status.st_size} {status.st_mtime_ns}"


def _version_of(details: Mapping[str, Any]) -> str:
    marks = [str(details[key]) for key in VERSIONS if details.get(key) is not None]
    return " ".join([str(details.get("size")), *marks]) if marks else ""
