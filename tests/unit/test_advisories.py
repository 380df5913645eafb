"""Known advisories: neither the installed packages nor our lowest allowed versions are affected by any on the list."""

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
    """The lowest version of each dependency that pip may choose, by the name of the package."""
    project = tomllib.loads(LIST.with_name("pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    for text in (*project["dependencies"], *(text for extra in extras for text in extra)):
        requirement = Requirement(text)
        (floor,) = (one.version for one in requirement.specifier if one.operator in (">=", "=="))
        yield canonicalize_name(requirement.name), floor


def test_nothing_installed_is_affected():
    """Also packages that we do not depend on ourselves."""
    assert [] == list(hits(installed_versions(), ADVISORIES))


def test_no_version_that_we_allow_is_affected():
    """Each dependency has a floor, and it is above the last weak version."""
    assert [] == list(hits(dict(floors()), ADVISORIES))


@pytest.mark.parametrize(
    ("package", "weak", "sound"),
    [("langchain-core", "1.2.4", "1.8.3"), ("pypdf", "5.0.0", "7.1.1"), ("jinja2", "3.1.5", "3.1.6")],
)
def test_a_weak_version_is_named_with_its_advisory(package, weak, sound):
    """One line an advisory."""
    lines = list(hits({package: weak}, ADVISORIES))

    assert lines
    assert all(line.startswith(f"{package} {weak}: ") for line in lines)
    assert [] == list(hits({package: sound}, ADVISORIES))


@pytest.mark.parametrize(
    "output", ["", "ERROR: no connection", "{}", '{"dependencies": [{"name": "jinja2", "skip_reason": "not found"}]}']
)
def test_an_audit_that_reached_no_source_says_nothing(output):
    """Where pip-audit has to skip every package, it ends as if all were well."""
    assert weaknesses(output) is None


@pytest.mark.parametrize(
    ("vulns", "lines"),
    [([], []), ([{"id": "CVE-1", "fix_versions": ["3.1.6", "4.0"]}], ["jinja2 3.1.5: CVE-1, fixed in 3.1.6, 4.0"])],
)
def test_what_pip_audit_knows_is_a_line_each(vulns, lines):
    """Packages that it skips, such as our own, are none of them."""
    packages = [{"name": "jinja2", "version": "3.1.5", "vulns": vulns}, {"name": "ours", "skip_reason": "not found"}]

    assert lines == weaknesses(json.dumps({"dependencies": packages, "fixes": []}))


def test_the_list_says_of_when_it_is():
    """And names its entries by the identifiers under which they were published."""
    assert date(2026, 11, 1) <= DAY <= date.today()
    assert all(advisory.id.startswith(("CVE-", "GHSA-", "PYSEC-")) for advisory in ADVISORIES)
    assert len(ADVISORIES) == len({(advisory.package, advisory.id) for advisory in ADVISORIES})
    assert Path("advisories.toml").name == LIST.name
