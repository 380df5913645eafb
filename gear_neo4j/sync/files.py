"""Origins of files: a folder on this machine, or an address that fsspec reads."""

import os
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from gear_neo4j.errors import GearError, InputError, TemporaryFailure
from gear_neo4j.ingestion.loaders import is_document
from gear_neo4j.ingestion.naming import NOT_UTF8, Root, SourceNames
from gear_neo4j.ingestion.sources import HIDDEN, WITHOUT_SUFFIX, files_to_ingest
from gear_neo4j.ingestion.versions import digest, file_version
from gear_neo4j.sync.origins import Listed, Listing, ReadDocument
from gear_neo4j.sync.passages import PassageMaker
from gear_neo4j.text.paths import composed, public_address
from gear_neo4j.text.printable import is_storable

# Keys of file systems for the version of a file, or for its modification time.
VERSIONS = ("ETag", "etag", "generation", "md5Hash", "mtime", "LastModified", "last_modified", "updated", "created")


class Files(ABC):
    """The base of origins of files."""

    __slots__ = ()

    @abstractmethod
    def file(self, key: str) -> AbstractContextManager[Path]:
        """A context in which a document is a file on this machine.

        Raises:
            InputError: it cannot be read.
        """

    @abstractmethod
    def shown(self, listed: Listed) -> str | None:
        """The name that a document has in titles and metadata; None if that is its file's."""

    def digest(self, listed: Listed) -> str | None:
        """The digest of a document's content; None if it cannot be read."""
        try:
            with self.file(listed.key) as path:
                return digest(path)
        except InputError:
            return None

    def read(self, wanted: Sequence[Listed], maker: PassageMaker) -> Iterator[ReadDocument]:
        """Read documents, one after the other."""
        for document in wanted:
            content = ""
            try:
                with self.file(document.key) as path:
                    content = digest(path)
                    converted = maker.of_file(path, source=document.name, name=self.shown(document))
            except TemporaryFailure as error:
                yield ReadDocument(document, problem=str(error))
            except InputError as error:
                yield ReadDocument(document, content, problem=str(error))
            else:
                yield ReadDocument(document, content, tuple(converted.passages), remarks=converted.remarks)


@dataclass(frozen=True, slots=True)
class Folder(Files):
    """A folder on this machine with everything in it, or a single file."""

    path: Path
    follow_links: bool = False

    @property
    def name(self) -> str:
        """The path as given."""
        return self.path.as_posix()

    @property
    def root(self) -> Path:
        """The folder itself, or that of the single file."""
        return self.path if self.path.is_dir() else self.path.parent

    def list(self) -> Listing:
        """All documents, by their paths below the folder."""
        files = files_to_ingest([self.path], follow_links=self.follow_links, may_be_empty=True)
        skipped = Counter(files.skipped)
        skipped.update(path.suffix.lower() for path in files.passages if not is_document(path))
        skipped.update(path.suffix.lower() for path in files.triples)
        now, root = time.time(), self.root
        documents, problems = [], []
        for path in filter(is_document, files.passages):
            key = path.relative_to(root).as_posix()
            if is_storable(key):
                documents.append(Listed(composed(key), file_version(path, now=now), key))
            else:
                problems.append((key, NOT_UTF8))
        return Listing(tuple(sorted(documents, key=attrgetter("name"))), dict(skipped), tuple(problems))

    def named(self, listing: Listing, sources: SourceNames) -> tuple[str, Listing]:
        """The documents as an ingest would name them."""
        prefix = sources.prefix(
            Root.of_folder(self.root, whole=self.path.is_dir()), [listed.name for listed in listing.documents]
        )
        whole = self.path.is_dir()
        record = prefix.text.rstrip("/") if whole else prefix.name(composed(self.path.name))
        below = prefix.all if whole else (record,)
        return record, replace(listing.named(lambda listed: prefix.name(listed.name)), below=below)

    @contextmanager
    def file(self, key: str) -> Iterator[Path]:
        """The file itself."""
        yield self.root / key

    def shown(self, listed: Listed) -> None:
        """That of its file."""


@dataclass(frozen=True, slots=True)
class Remote(Files):
    """The files below an address such as ``s3://bucket/folder``, read by fsspec."""

    address: str
    most_bytes: int

    @property
    def name(self) -> str:
        """The address, without what may be a secret, and the same with and without a slash at its end."""
        address = composed(public_address(self.address))
        return address if address.endswith("://") else address.rstrip("/")

    def list(self) -> Listing:
        """All documents, by their paths below the address; hidden files are left out."""
        skipped: Counter[str] = Counter()
        documents = []
        with explained(self.name):
            system, root = file_system(self.address)
            if not system.exists(root):
                raise InputError(f"{self.name} does not exist")
            for path, details in sorted(system.find(root, detail=True).items()):
                address = system.unstrip_protocol(path)
                below = PurePosixPath(public_address(path).removeprefix(public_address(root)).lstrip("/"))
                if any(part.startswith(HIDDEN) for part in below.parts) or _leads_out(system, path, root):
                    continue
                name = str(below) if below.parts else PurePosixPath(public_address(path)).name
                if is_document(Path(name)):
                    documents.append(Listed(composed(name), _version_of(details), address))
                else:
                    skipped[PurePosixPath(name).suffix.lower() or WITHOUT_SUFFIX] += 1
            is_file = system.isfile(root)
        folder = self.name if is_file else f"{self.name.rstrip('/')}/"
        return Listing(tuple(documents), dict(skipped), below=(folder,))

    def named(self, listing: Listing, sources: SourceNames) -> tuple[str, Listing]:
        """The documents by their addresses, or below the name that the source is given."""
        name, prefix = sources.address(self.name, [listed.name for listed in listing.documents])
        if prefix is not None:
            return name, replace(listing.named(lambda listed: prefix.name(listed.name)), below=prefix.all)
        folder = listing.below[0]
        names = {one.key: f"{folder}{one.name}" if folder.endswith("/") else folder for one in listing.documents}
        # Earlier versions named a document as its file system does: some keep the login, others leave out the host.
        sources.take_over(names)
        sources.take_over({composed(public_address(key)): document for key, document in names.items()})
        return name, listing.named(lambda listed: names[listed.key])

    @contextmanager
    def file(self, key: str) -> Iterator[Path]:
        """A copy that exists within the context."""
        with TemporaryDirectory(prefix="gear-sync-") as folder:
            copy = Path(folder) / f"document{PurePosixPath(public_address(key)).suffix}"
            with explained("cannot be read"):
                system, path = file_system(key)
                if (system.size(path) or 0) > self.most_bytes:
                    raise InputError(f"is larger than {self.most_bytes // 2**20:,} MiB: split it")
                system.get_file(path, str(copy))
            yield copy

    def shown(self, listed: Listed) -> str:
        """Its name, for it is read from a copy."""
        return listed.name


def _leads_out(system: Any, path: str, root: str) -> bool:
    """Whether a file is a link out of its folder, which the address of a folder does not follow, either."""
    local = isinstance(system.protocol, tuple) and "file" in system.protocol
    return local and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


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


def _version_of(details: Mapping[str, Any]) -> str:
    marks = [str(details[key]) for key in VERSIONS if details.get(key) is not None]
    return " ".join([str(details.get("size")), *marks]) if marks else ""
