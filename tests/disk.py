"""A disk that is full: the system itself refuses to let a file grow."""

import resource
from contextlib import contextmanager

import pytest

from gear_neo4j.errors import InputError


@contextmanager
def full_disk(*, after):
    """No file may grow beyond so many bytes: the system refuses the write, as it does on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (after, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def refused(folder, write, *, after=1_000):
    """The one line that a write gives on a full disk, which leaves the files of the folder as they were."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with full_disk(after=after), pytest.raises(InputError, match="cannot be written: ") as raised:
        write()
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert 1 == len(str(raised.value).splitlines())
