"""The cost of a command: ``python -m benchmarks.command search "Who wrote to Babbage?" --name mine``.

It runs ``gear`` with these arguments, each time in a new process, and prints for each run the wall time and the
processor time, user and system, of all its threads. The first run is left out, because it may read files from disk.
"""

import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

RUNS = 5


def run(command: Sequence[str]) -> tuple[float, float]:
    """The wall time and the processor time of a command, in seconds."""
    before, started = _processor(), time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        sys.exit(f"gear ended with {done.returncode}: run the command by itself")
    return time.perf_counter() - started, _processor() - before


def gear_program() -> str:
    """The path of ``gear``: the one beside this Python, or else the first one of the shell."""
    beside = Path(sys.executable).with_name("gear")
    found = str(beside) if beside.exists() else shutil.which("gear")
    return found or sys.exit("there is no gear beside this Python: make install")


def main() -> None:
    """Run, print."""
    if not sys.argv[1:]:
        sys.exit(__doc__)
    command = [gear_program(), *sys.argv[1:]]
    run(command)
    figures = [run(command) for _ in range(RUNS)]
    medians = median(wall for wall, _ in figures), median(processor for _, processor in figures)
    for name, (wall, processor) in (*enumerate(figures, start=1), ("median", medians)):
        print(f"{name:>6}  {wall:6.2f} s wall  {processor:6.2f} s processor")


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
