"""The front of the package."""

from types import ModuleType

import gear_neo4j


def test_all_is_what_can_be_imported_in_order():
    """Every public name that is not a module is in ``__all__``, and nothing else, sorted."""
    names = [name for name in dir(gear_neo4j) if not name.startswith("_")]
    expected = [name for name in names if not isinstance(getattr(gear_neo4j, name), ModuleType)]

    assert sorted(expected, key=str.casefold) == gear_neo4j.__all__
