"""A full disk: the system itself refuses to let a file grow."""

import resource
from contextlib import contextmanager

import pytest

from gear_neo4j.errors import InputError


@contextmanager
def full_disk(*, after):
    """No file may grow beyond this number of bytes: the system refuses the write, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (after, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def refused(folder, write, *, after=1_000):
    """The error line of a write on a full disk, after which the folder's files are unchanged."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with full_disk(after=after), pytest.raises(InputError, match="cannot be written: ") as raised:
        write()
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert 1 == len(str(raised.value).splitlines())
