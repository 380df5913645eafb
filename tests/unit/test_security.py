"""SECURITY.md and the page for security officers name only tests, files, commands and settings that exist."""

import re
import shlex
from pathlib import Path

import click
import pytest

from gear_neo4j.cli.main import cli
from gear_neo4j.settings import VARIABLES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
THREAT = re.compile(r"^\| [^|]+ \| [^|]+ \| `(tests/[\w/]+\.py)::(test_\w+)` \|$", re.MULTILINE)
# Inline code that begins with a name of the repository's root.
FILES = re.compile(r"`((?:gear_neo4j|tests|\.github|docs|deploy)/[\w./-]*|\w+\.toml)(?:::(test_\w+))?`")
CODE = re.findall(r"`([^`\n]+)`", PAGE) + re.findall(r"(?m)^gear .*$", PAGE)
COMMANDS = sorted({code.partition("  ")[0] for code in CODE if code.startswith("gear ")})
CHAPTERS = range(1, 18)
# Read by another part of the package than the settings.
OTHERS = {"GEAR_QUERY_LOG"}


def table(text, heading):
    """The lines of the first table below a heading, as cells."""
    _, _, rest = text.partition(f"\n## {heading}")
    lines = [line for line in rest.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def test_every_threat_has_its_test():
    """Each line of the table has the right format, and its test exists."""
    _, _, rest = (ROOT / "SECURITY.md").read_text("utf-8").partition("## Threats")
    threats, _, _ = rest.partition("\n## ")
    lines = [line for line in threats.splitlines() if line.startswith("| ")][1:]
    named = THREAT.findall(threats)

    assert len(lines) == len(named) > 0
    assert [] == [name for file, name in named if f"def {name}(" not in (ROOT / file).read_text("utf-8")]


def test_files_and_tests_of_the_page_exist():
    """Also in its tables."""
    named = FILES.findall(PAGE)

    assert len(named) > 40
    assert [] == [file for file, _ in named if not (ROOT / file).exists()]
    assert [] == [name for file, name in named if name and f"def {name}(" not in (ROOT / file).read_text("utf-8")]
    # None escapes the check above.
    assert PAGE.count("::test_") == len([name for _, name in named if name])


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_of_the_page_exist(line):
    """With their subcommands and options."""
    _, name, *words = shlex.split(line)
    command = cli.load(name)
    if isinstance(command, click.Group):
        command = command.commands[words.pop(0)]
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}

    assert set() == {word for word in words if word.startswith("-")} - known


def test_make_targets_and_settings_of_the_page_exist():
    """A setting is a variable of the environment."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    settings = set(re.findall(r"`((?:GEAR|NEO4J|OPENAI)_[A-Z0-9_]+)", PAGE))

    assert {"audit", "sbom"} == set(re.findall(r"`make (\w+)`", PAGE))
    assert all(f"\n{target}:" in makefile for target in ("audit", "sbom"))
    assert set() == settings - {variable for variables in VARIABLES.values() for variable in variables} - OTHERS


@pytest.mark.parametrize(
    ("heading", "labels"),
    [
        ("OWASP ASVS 5.0", [f"V{number}" for number in CHAPTERS]),
        ("OWASP Top 10", [f"LLM{number:02}" for number in range(1, 11)]),
    ],
)
def test_a_standard_is_judged_line_by_line(heading, labels):
    """A line without a verdict, or one that is met in part and does not say why, is a mistake."""
    lines = table(PAGE, heading)

    assert labels == [label.split()[0] for label, *_ in lines]
    assert {verdict for _, verdict, *_ in lines} <= {"met", "partly", "not met", "none here"}
    assert [] == [label for label, verdict, why, _ in lines if verdict != "none here" and not why]
