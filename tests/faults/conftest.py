"""One world for all cells: a server of its own, because cells kill it."""

import pytest

from tests.faults.world import World


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    """A server with a proxy before it, and a model."""
    with World(tmp_path_factory.mktemp("faults")) as world:
        yield world
