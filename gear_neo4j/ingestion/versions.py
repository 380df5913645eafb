"""What tells whether a document has changed: the version and the digest of its file, and the options of its reading."""

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.limits import Limits
from gear_neo4j.ingestion.scans import choice_for

# A file written within these seconds may change again without a new modification time.
UNSETTLED_SECONDS = 2.0


def file_version(path: Path, *, now: float) -> str:
    """The size and the modification time of a file; empty if it may still change without a new one."""
    try:
        status = path.stat()
    except OSError:
        return ""
    return "" if now - status.st_mtime < UNSETTLED_SECONDS else f"{status.st_size} {status.st_mtime_ns}"


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


def read_options(name: str, *, chunk_size: int, readers: Sequence[str] | None, limits: Limits) -> str:
    """The options that the passages of a document depend on, by its name.

    Example:
        >>> read_options("a.md", chunk_size=1_000, readers=["group:hr"], limits=Limits())
        '1000 group:hr'
        >>> read_options("a.pdf", chunk_size=1_000, readers=None, limits=Limits(ocr="off"))
        '1000'
    """
    ocr = choice_for(name, limits)
    made = f"{chunk_size}+{ocr}" if ocr else str(chunk_size)
    return made if readers is None else f"{made} {' '.join(readers)}"


def are_read_alike(former: str, options: str) -> bool:
    """Whether a document that was read with some options need not be read again for others.

    Example:
        >>> are_read_alike("1000 group:hr", "1000"), are_read_alike("1000", "1000 group:hr")
        (True, False)
    """
    says_nothing_of_readers = " " not in options
    return former == options or (says_nothing_of_readers and former.partition(" ")[0] == options)
