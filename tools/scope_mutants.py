"""Does a test notice each condition of a scope? ``python -m tools.scope_mutants [--only NAME] [--out FILE]``.

Each condition in ``cypher/`` is replaced by true in a copy of the repository, one at a time, and the tests of scopes
run there until one fails. A condition whose removal fails no test is a survivor, and the exit status is 1. This takes
hours; with NEO4J_URI at an empty server, no run has to start one. Conditions in queries for the other server line are
skipped.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIED = ("gear_neo4j", "cypher", "migrations", "tests", "benchmarks", "tools", "pyproject.toml")
CONDITION = re.compile(r"\b(?:IN_SCOPE_(?:PASSAGE|TRIPLE|ENTITY|COMMUNITY)|STATED_IN_SCOPE|IN_COLLECTION)\(\w+\)")
TESTS = [
    f"tests/integration/test_{name}.py"
    for name in (
        *("scope_attacks", "scopes", "collections", "community_access", "adopted_access", "web_scopes", "web_writes"),
        *("cli_scopes", "entities", "status", "explain", "export"),
    )
]
# Number of corpora for the non-interference property, of each kind: enough for a coarse fault.
RUNS = "21"
FORM = re.compile(r"^// form: (\w+)$", re.MULTILINE)
OTHER_LINE = "search_clause"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A condition in a file, and the test that notices its removal; empty for a survivor."""

    file: str
    line: int
    condition: str
    noticed_by: str = ""


def mutants(folder: Path) -> Iterator[tuple[Mutant, str]]:
    """Each condition in a folder, and the text of its file with that condition replaced by true."""
    for file in sorted(folder.rglob("*.cypher")):
        text = file.read_text("utf-8")
        for match in CONDITION.finditer(text):
            if FORM.findall(text, 0, match.start())[-1:] == [OTHER_LINE]:
                continue
            line = text.count("\n", 0, match.start()) + 1
            mutant = Mutant(file.relative_to(folder).as_posix(), line, match[0])
            yield mutant, text[: match.start()] + "true" + text[match.end() :]


def noticed_by(copy: Path) -> str:
    """The first test that fails in a copy of the repository; empty if none does."""
    environment = {**os.environ, "PYTHONPATH": str(copy), "GEAR_SCOPE_RUNS": RUNS, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--tb=no", "--no-header", *TESTS]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    if done.returncode and not failed:
        sys.exit(done.stdout + done.stderr)
    return failed[1] if failed else ""


def main() -> None:
    """Try all, print each result, and write them to a file."""
    parser = argparse.ArgumentParser(prog="python -m tools.scope_mutants", description=__doc__)
    parser.add_argument("--only", default="", help="files whose name contains this")
    parser.add_argument("--out", type=Path, help="where the result goes, as JSON")
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory(prefix="gear-mutants-") as folder:
        copy = Path(folder)
        for name in COPIED:
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, copy / name)
        if failing := noticed_by(copy):
            sys.exit(f"{failing} fails without any change: mend that first")
        for mutant, changed in mutants(ROOT / "cypher"):
            if options.only not in mutant.file:
                continue
            file = copy / "cypher" / mutant.file
            original = file.read_text("utf-8")
            file.write_text(changed, "utf-8")
            results.append(Mutant(mutant.file, mutant.line, mutant.condition, noticed_by(copy)))
            file.write_text(original, "utf-8")
            print(f"{mutant.file}:{mutant.line} {mutant.condition}: {results[-1].noticed_by or 'SURVIVES'}", flush=True)
            if options.out:
                options.out.write_text(json.dumps([asdict(result) for result in results], indent=1) + "\n", "utf-8")
    survivors = [result for result in results if not result.noticed_by]
    print(f"{len(results)} conditions, {len(survivors)} survivors")
    sys.exit(bool(survivors))


if __name__ == "__main__":
    main()
