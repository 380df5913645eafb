"""Known advisories for the installed packages: ``make audit``.

``advisories.toml`` lists those of our dependencies as of its date, and the tests check it as well. If pip-audit can
reach its source, its result is used, because it also knows later ones.
"""

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from importlib.metadata import distributions
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

LIST = Path(__file__).parents[1] / "advisories.toml"
TIMEOUT = 15


@dataclass(frozen=True, slots=True)
class Advisory:
    """A published vulnerability of a package: its identifier, the affected versions, and a description."""

    package: str
    id: str
    affected: tuple[SpecifierSet, ...]
    reason: str

    def affects(self, version: str) -> bool:
        """Whether it affects a version of the package."""
        return any(versions.contains(version, prereleases=True) for versions in self.affected)


def read(file: Path = LIST) -> tuple[date, tuple[Advisory, ...]]:
    """The date of a list, and its advisories."""
    content = tomllib.loads(file.read_text("utf-8"))
    return content["date"], tuple(_advisory(entry) for entry in content["advisory"])


def hits(installed: Mapping[str, str], advisories: tuple[Advisory, ...]) -> Iterator[str]:
    """A line for each advisory that affects an installed version, given by the canonical names of packages."""
    for advisory in advisories:
        version = installed.get(advisory.package)
        if version is not None and advisory.affects(version):
            yield f"{advisory.package} {version}: {advisory.id}, {advisory.reason}"


def installed_versions() -> dict[str, str]:
    """The versions of the packages in this environment."""
    return {canonicalize_name(found.metadata["Name"]): found.version for found in distributions()}


def main() -> None:
    """Print what is affected; the exit code is 1 if anything is."""
    found = weaknesses(ask_pip_audit())
    if found is None:
        day, advisories = read()
        print(f"pip-audit cannot reach its source: checked against advisories.toml of {day}")
        found = list(hits(installed_versions(), advisories))
    else:
        print("checked by pip-audit")
    print("\n".join(found) or "nothing installed is affected")
    sys.exit(bool(found))


def ask_pip_audit() -> str:
    """The output of pip-audit for the packages in this environment."""
    command = [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off", "--skip-editable"]
    return subprocess.run([*command, "--timeout", str(TIMEOUT)], capture_output=True, text=True, check=False).stdout


def weaknesses(output: str) -> list[str] | None:
    """A line for each advisory in what pip-audit prints; None if it could not reach its source.

    Example:
        >>> weaknesses('{"dependencies": [{"name": "jinja2", "skip_reason": "not found"}]}') is None
        True
    """
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError):
        return None
    # Without its source it skips every package, and ends as if it had found nothing.
    if not any("vulns" in package for package in packages):
        return None
    return [
        f"{package['name']} {package['version']}: {weakness['id']}, fixed in {', '.join(weakness['fix_versions'])}"
        for package in packages
        for weakness in package.get("vulns", ())
    ]


def _advisory(entry: Mapping[str, object]) -> Advisory:
    affected = entry["affected"]
    assert isinstance(affected, list)
    return Advisory(
        canonicalize_name(str(entry["package"])),
        str(entry["id"]),
        tuple(map(SpecifierSet, affected)),
        str(entry["reason"]),
    )


if __name__ == "__main__":
    main()
