"""What a system needs before it can be asked."""

import pytest

from gear_neo4j.evaluate.systems import System


@pytest.mark.parametrize(("retriever", "expected"), [("naive", False), ("hipporag", True), ("hipporag2", True)])
def test_only_what_walks_over_synonyms_needs_them(retriever, expected):
    """Linking them takes minutes."""
    assert expected == System(retriever=retriever).needs_synonyms


def test_an_agent_does_not_walk_over_synonyms():
    """Whatever retriever stands beside it."""
    assert not System(agent="gear", retriever="hipporag2").needs_synonyms
