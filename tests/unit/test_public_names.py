"""The public names of the package."""

import inspect
import tomllib
import typing
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pytest
from langchain_core.language_models import BaseChatModel

import gear_neo4j
from gear_neo4j import types
from tools.examples import without_example

ROOT = Path(__file__).parents[2]


def test_all_is_what_can_be_imported():
    """Every public name that is not a module is in ``__all__``, and nothing else; ruff keeps the order."""
    for module in (gear_neo4j, types):
        names = [name for name in dir(module) if not name.startswith("_")]
        expected = [name for name in names if not isinstance(getattr(module, name), ModuleType)]

        assert sorted(expected) == sorted(module.__all__)


def test_the_top_has_what_a_program_uses_and_no_more():
    """Types for annotations only are in ``gear_neo4j.types``; no name is in both."""
    assert set() == set(gear_neo4j.__all__) & set(types.__all__)
    assert 52 >= len(gear_neo4j.__all__)


def test_every_public_name_has_an_example():
    """A doctest or a block of the documentation; the tests run both."""
    assert [] == without_example()


def test_the_package_says_that_it_is_typed():
    """Type checkers look for ``py.typed`` next to the modules, and the wheel contains the whole package."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]

    assert files("gear_neo4j").joinpath("py.typed").is_file()
    assert ["gear_neo4j"] == wheel["packages"]
    assert not {"exclude", "only-include", "ignore-vcs"} & wheel.keys()


def public_functions(owner):
    """The public functions and properties of a class, and its constructor."""
    for name, member in inspect.getmembers(owner):
        function = getattr(member, "fget", member)
        if callable(function) and (name == "__init__" or not name.startswith("_")):
            yield function


def types_of(annotation):
    """Our own classes in an annotation."""
    if isinstance(annotation, type) and annotation.__module__.startswith("gear_neo4j"):
        yield annotation
    for part in annotation if isinstance(annotation, list | tuple) else typing.get_args(annotation):
        yield from types_of(part)


@pytest.mark.parametrize("owner", ["Gear", "AsyncGear", "Corpus", "Overlay", "Templates", "Communities"])
def test_every_type_of_a_public_signature_has_a_public_name(owner):
    """Callers must be able to name all arguments and results."""
    hidden = {
        kind.__name__
        for function in public_functions(getattr(gear_neo4j, owner, None) or getattr(types, owner))
        for annotation in typing.get_type_hints(
            function, vars(inspect.getmodule(function)) | {"BaseChatModel": BaseChatModel}
        ).values()
        for kind in types_of(annotation)
    }

    assert set() == hidden - {*gear_neo4j.__all__, *types.__all__}


def test_the_front_door_is_small():
    """Everything else is in its three parts."""
    assert 22 >= len([name for name in dir(gear_neo4j.Gear) if not name.startswith("_")])
