"""The package as users install it: ``python -m tools.wheel [--python 3.13 ...] [--extras office,ray ...]``.

Builds the wheel and installs it in a new environment, once for each version of Python and each list of extras, always
with ``local``. Prints the contents of the wheel, the size of each environment, the time of imports, and whether the
demo runs there.
"""

import os
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
IMPORTS = ("import gear_neo4j", "from gear_neo4j import Gear")
RUNS = 5
DEMO_WORKS = "the graph found every needed passage"
DATABASE = "wheel-demo"


@click.command()
@click.option("--python", "versions", multiple=True, default=[sys.executable], help="A version, or a path.")
@click.option("--extras", "lists", multiple=True, default=[""], help="Beside 'local', separated by commas.")
def main(versions: Sequence[str], lists: Sequence[str]) -> None:
    """Print the figures of the package."""
    table = Table("Python", "extras", "packages", "size MB", *(f"{text}, ms" for text in IMPORTS), "demo")
    with TemporaryDirectory() as folder:
        wheel = build(Path(folder))
        print(contents(wheel))
        for version in versions:
            for extras in lists:
                table.add_row(*figures(wheel, Path(folder, "environment"), version=version, extras=extras))
    Console().print(table)


def build(folder: Path) -> Path:
    """Build the wheel in a folder."""
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT], check=True, capture_output=True
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def contents(wheel: Path) -> str:
    """The size of a wheel, and the number of files of each kind."""
    with zipfile.ZipFile(wheel) as archive:
        files = archive.infolist()
    kinds = Counter(Path(file.filename).suffix or "other" for file in files)
    shown = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    whole = sum(file.file_size for file in files)
    return f"{wheel.name}: {wheel.stat().st_size:,} bytes, {whole:,} unpacked; {len(files)} files: {shown}"


def figures(wheel: Path, environment: Path, *, version: str, extras: str) -> list[str]:
    """A row of the table: an environment with its packages, megabytes and import times, and whether the demo runs."""
    uv = [sys.executable, "-m", "uv"]
    wanted = ",".join(["local", *filter(None, extras.split(","))])
    python = environment / "bin" / "python"
    subprocess.run([*uv, "venv", "--quiet", "--clear", "--python", version, environment], check=True)
    subprocess.run([*uv, "pip", "install", "--quiet", "--python", python, f"{wheel}[{wanted}]"], check=True)
    packages = len(list(environment.glob("lib/*/site-packages/*.dist-info")))
    size = sum(file.lstat().st_size for file in environment.rglob("*") if file.is_file())
    times = [f"{import_time(python, text):.0f}" for text in IMPORTS]
    shown = subprocess.run([python, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    demo = "runs" if demo_runs(environment) else "FAILS"
    return [shown, extras or "none", str(packages), f"{size / 1e6:,.0f}", *times, demo]


def import_time(python: Path, text: str) -> float:
    """Milliseconds of an import in a separate process: the median of five after a first one."""
    timed = f"import time; begun = time.perf_counter(); {text}; print(1_000 * (time.perf_counter() - begun))"
    runs = [subprocess.run([python, "-c", timed], check=True, capture_output=True, text=True) for _ in range(RUNS + 1)]
    return median(float(run.stdout) for run in runs[1:])


def demo_runs(environment: Path) -> bool:
    """Whether the demo succeeds without any file of the repository."""
    with TemporaryDirectory() as folder:

        def gear(*arguments: str) -> subprocess.CompletedProcess[str]:
            settings = {**os.environ, "GEAR_HOME": folder, "COLUMNS": "200"}
            command = [str(environment / "bin" / "gear"), *arguments, "--name", DATABASE]
            return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)

        ended = gear("demo")
        gear("down")
    return ended.returncode == 0 and DEMO_WORKS in ended.stdout


if __name__ == "__main__":
    main()
