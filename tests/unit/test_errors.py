"""The tree of errors in the docstring of their module."""

import re

from gear_neo4j import errors
from gear_neo4j.errors import GearError


def parents(lines):
    """The name of each class in a drawn tree, with its parent."""
    above, tree = {}, {}
    for line in lines:
        drawn = re.match(r"([│ ]*(?:[├└]── )?)([A-Z]\w+)", line)
        depth = len(drawn[1]) // 4
        above[depth] = drawn[2]
        tree[drawn[2]] = above.get(depth - 1)
    return tree


def descendants(kind):
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield child
            yield from descendants(child)


def test_the_tree_names_every_error_under_its_parent():
    """Readers look there for the class to catch."""
    drawn = parents(errors.__doc__.split("\n\n", 1)[1].strip().splitlines())

    assert {"GearError": None} | {kind.__name__: kind.__base__.__name__ for kind in descendants(GearError)} == drawn
