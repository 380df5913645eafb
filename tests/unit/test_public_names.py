"""The front of the package."""

import tomllib
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import gear_neo4j

ROOT = Path(__file__).parents[2]


def test_all_is_what_can_be_imported():
    """Every public name that is not a module is in ``__all__``, and nothing else; ruff keeps the order."""
    names = [name for name in dir(gear_neo4j) if not name.startswith("_")]
    expected = [name for name in names if not isinstance(getattr(gear_neo4j, name), ModuleType)]

    assert sorted(expected) == sorted(gear_neo4j.__all__)


def test_the_package_says_that_it_is_typed():
    """Type checkers look for ``py.typed`` beside the modules, and the wheel holds the whole package."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]

    assert files("gear_neo4j").joinpath("py.typed").is_file()
    assert ["gear_neo4j"] == wheel["packages"]
    assert not {"exclude", "only-include", "ignore-vcs"} & wheel.keys()
