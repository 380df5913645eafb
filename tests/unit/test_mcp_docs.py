"""The documentation of the MCP server is correct: the page, the settings, and the registry entry."""

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from starlette.applications import Starlette

from gear_neo4j.cli.mcp import mcp
from gear_neo4j.settings import VARIABLES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mcp.md").read_text("utf-8")
ENTRY = json.loads((ROOT / "server.json").read_text("utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
KNOWN = {variable for variables in VARIABLES.values() for variable in variables}


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


HOSTS = [
    *(
        server
        for block in map(json.loads, blocks("json"))
        for server in (block.get("mcpServers") or block["servers"]).values()
    ),
    *(server for block in map(tomllib.loads, blocks("toml")) for server in block["mcp_servers"].values()),
]


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: " ".join(host["args"]))
def test_the_configuration_of_each_host_is_one_that_the_command_takes(host):
    """Its arguments and its environment."""
    command, *options = host["args"]

    assert ("gear", "mcp") == (host["command"], command)
    assert mcp.make_context("mcp", options)
    assert set() == host["env"].keys() - KNOWN


def test_each_command_of_the_page_is_one_that_runs():
    """As far as its options are concerned."""
    lines = [line.partition("   #")[0] for line in PAGE.splitlines() if line.startswith("gear mcp --")]

    assert len(lines) >= 3
    for line in lines:
        if "--help" not in line:
            assert mcp.make_context("mcp", shlex.split(line)[2:])


def test_the_server_in_an_application_of_ones_own():
    """The Python block runs as it is."""
    names = {"views": {}}
    for block in blocks("python"):
        exec(compile(block, "mcp.md", "exec"), names)

    assert isinstance(names["app"], Starlette)


def test_every_option_that_a_host_can_set_is_in_the_page_on_settings():
    """With the name of its variable."""
    variables = {option.envvar for option in mcp.params if (option.envvar or "").startswith("GEAR_MCP_")}
    named = set(re.findall(r"`(GEAR_MCP_\w+)`", (ROOT / "docs" / "settings.md").read_text("utf-8")))

    assert variables == named
    assert 4 == len(variables)


def test_the_entry_for_the_registry_is_that_of_this_version():
    """The registry looks for its name in the README of the package."""
    (package,) = ENTRY["packages"]
    (extra,) = PROJECT["optional-dependencies"]["mcp"]

    assert PROJECT["version"] == ENTRY["version"] == package["version"]
    assert PROJECT["name"] == package["identifier"]
    assert PROJECT["name"] in PROJECT["scripts"]
    assert f"<!-- mcp-name: {ENTRY['name']} -->" in (ROOT / "README.md").read_text("utf-8")
    assert len(ENTRY["description"]) <= 100
    assert [extra] == [argument["value"] for argument in package["runtimeArguments"]]
    assert ["mcp"] == [argument["value"] for argument in package["packageArguments"]]
    assert set() == {variable["name"] for variable in package["environmentVariables"]} - KNOWN
