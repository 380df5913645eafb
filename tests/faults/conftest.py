"""One world for all cells, with its own server, because cells kill it."""

import pytest

from tests.faults.world import World


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    """A server behind a proxy, and a model."""
    with World(tmp_path_factory.mktemp("faults")) as world:
        yield world
