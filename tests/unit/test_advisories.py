"""Known advisories: none on the list affects the installed packages or our lowest allowed versions."""

import json
import tomllib
from datetime import date
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.audit import LIST, hits, installed_versions, read, weaknesses

DAY, ADVISORIES = read()


def floors():
    """The lowest version that pip may choose of each dependency, by package name."""
    project = tomllib.loads(LIST.with_name("pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    for text in (*project["dependencies"], *(text for extra in extras for text in extra)):
        requirement = Requirement(text)
        (floor,) = (one.version for one in requirement.specifier if one.operator in (">=", "=="))
        yield canonicalize_name(requirement.name), floor


def test_nothing_installed_is_affected():
    """Including indirect dependencies."""
    assert [] == list(hits(installed_versions(), ADVISORIES))


def test_no_version_that_we_allow_is_affected():
    """Each dependency has a lowest version, above the last affected one."""
    assert [] == list(hits(dict(floors()), ADVISORIES))


@pytest.mark.parametrize(
    ("package", "weak", "sound"),
    [("langchain-core", "1.2.4", "1.8.3"), ("pypdf", "5.0.0", "7.1.1"), ("jinja2", "3.1.5", "3.1.6")],
)
def test_a_weak_version_is_named_with_its_advisory(package, weak, sound):
    """One line per advisory."""
    lines = list(hits({package: weak}, ADVISORIES))

    assert lines
    assert all(line.startswith(f"{package} {weak}: ") for line in lines)
    assert [] == list(hits({package: sound}, ADVISORIES))


@pytest.mark.parametrize(
    "output", ["", "ERROR: no connection", "{}", '{"dependencies": [{"name": "jinja2", "skip_reason": "not found"}]}']
)
def test_an_audit_that_reached_no_source_says_nothing(output):
    """If pip-audit has to skip every package, it ends as if there were no advisories."""
    assert weaknesses(output) is None


@pytest.mark.parametrize(
    ("vulns", "lines"),
    [([], []), ([{"id": "CVE-1", "fix_versions": ["3.1.6", "4.0"]}], ["jinja2 3.1.5: CVE-1, fixed in 3.1.6, 4.0"])],
)
def test_what_pip_audit_knows_is_a_line_each(vulns, lines):
    """Packages that it skips, such as our own, have none."""
    packages = [{"name": "jinja2", "version": "3.1.5", "vulns": vulns}, {"name": "ours", "skip_reason": "not found"}]

    assert lines == weaknesses(json.dumps({"dependencies": packages, "fixes": []}))


def test_the_list_says_of_when_it_is():
    """Its entries have the identifiers under which they were published."""
    assert date(2026, 11, 1) <= DAY <= date.today()
    assert all(advisory.id.startswith(("CVE-", "GHSA-", "PYSEC-")) for advisory in ADVISORIES)
    assert len(ADVISORIES) == len({(advisory.package, advisory.id) for advisory in ADVISORIES})
    assert Path("advisories.toml").name == LIST.name
