"""Damaged documents, made from good ones: ``python -m tools.fuzz_documents FOLDER [--minutes 20] [--seed N]``.

Each file of the folder that can be ingested is damaged at random, in its bytes or, in an archive, in the bytes of a
part of it, and converted in the process that an ingest uses. After each one that is refused, a good file is converted:
it must give the same passages as before. At the end, the memory of the process is compared with that at the beginning.
The exit status is 1 if a conversion exceeds its time limit by ten seconds, raises anything but the two errors of a
document, or changes what the next file gives.
"""

import argparse
import io
import random
import sys
import time
import zipfile
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from gear_neo4j.domain import Passage
from gear_neo4j.errors import InputError, TemporaryFailure
from gear_neo4j.ingestion.chunking import CHUNK_SIZE
from gear_neo4j.ingestion.conversion import Converter
from gear_neo4j.ingestion.limits import MIB, Limits
from gear_neo4j.ingestion.loaders import is_document

LIMITS = Limits(seconds=20, memory=1024 * MIB, expanded=64 * MIB, bytes=32 * MIB)
GRACE = 10
# What parsers branch on.
WORDS = (b"\0", b"\xff", b"<", b">", b"&", b'"', b"/", b"[", b"(", b"obj", b"stream", b"-1", b"4294967296", b"PK\3\4")


def damaged(content: bytes, dice: random.Random) -> bytes:
    """A copy of a file with some bytes changed, removed, repeated or added; of an archive, in one of its parts."""
    if content[:4] == b"PK\3\4" and dice.random() < 0.8:
        return _in_archive(content, dice)
    changed = bytearray(content)
    for _ in range(dice.randint(1, 8)):
        start = dice.randrange(len(changed) + 1)
        end = min(len(changed), start + dice.choice((1, 1, 4, 64, 1024)))
        match dice.randrange(5):
            case 0:
                changed[start:end] = dice.randbytes(end - start)
            case 1:
                del changed[start:end]
            case 2:
                changed[start:start] = changed[start:end] * dice.choice((1, 2, 100))
            case 3:
                changed[start:start] = dice.choice(WORDS) * dice.choice((1, 1, 50))
            case _:
                other = dice.randrange(len(changed) + 1)
                changed[start:start] = changed[other : other + 64]
    return bytes(changed[: LIMITS.bytes])


def _in_archive(content: bytes, dice: random.Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    chosen = dice.choice(sorted(parts))
    parts[chosen] = damaged(parts[chosen], dice)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return written.getvalue()


class Run:
    """A run over the files of a folder: counts by kind and outcome, the slowest conversions, and what is wrong."""

    def __init__(self, files: list[Path], folder: Path, seed: int) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self.slowest: dict[str, float] = {}
        self.wrong: list[str] = []
        self._files = files
        self._folder = folder
        self._seed = seed
        self._expected: dict[Path, list[Passage]] = {}

    def one(self, converter: Converter, number: int) -> None:
        """Convert one damaged file, and after a refusal a good one."""
        dice = random.Random(f"{self._seed} {number}")
        file = dice.choice(self._files)
        path = self._folder / f"damaged{file.suffix}"
        path.write_bytes(damaged(file.read_bytes(), dice))
        started = time.monotonic()
        try:
            converter.convert(path, size=CHUNK_SIZE)
            outcome = "read"
        except InputError:
            outcome = "refused"
        except TemporaryFailure as error:
            outcome = "too slow or large" if "too" in str(error) or "longer" in str(error) else "crashed"
        except Exception as error:
            outcome = "error"
            self.wrong.append(f"{file.name}, number {number}: {type(error).__name__}: {error}")
        seconds = time.monotonic() - started
        self.counts[file.suffix, outcome] += 1
        self.slowest[file.suffix] = max(seconds, self.slowest.get(file.suffix, 0))
        if seconds > LIMITS.seconds + GRACE:
            self.wrong.append(f"{file.name}, number {number}: took {seconds:.0f} s")
        if outcome != "read":
            self.neighbour(converter, dice.choice(self._files), number)

    def neighbour(self, converter: Converter, file: Path, number: int) -> None:
        """Convert a good file, whose passages must be the same each time."""
        passages = converter.convert(file, size=CHUNK_SIZE).passages
        if passages != self._expected.setdefault(file, passages):
            self.wrong.append(f"{file.name} has other passages after number {number}")

    def as_table(self) -> Table:
        """A row per kind of file."""
        outcomes = ("read", "refused", "too slow or large", "crashed", "error")
        table = Table("kind", *outcomes, "slowest, s")
        for kind in sorted(self.slowest):
            table.add_row(kind, *(f"{self.counts[kind, one]:,}" for one in outcomes), f"{self.slowest[kind]:.1f}")
        return table


def _memory(converter: Converter) -> float:
    status = Path(f"/proc/{converter.pid}/status")
    lines = status.read_text("ascii").splitlines() if converter.pid and status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


def main() -> None:
    """Damage, convert, count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="good documents")
    parser.add_argument("--minutes", type=float, default=20, help="how long (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the damage (default: %(default)s)")
    arguments = parser.parse_args()
    files = sorted(path for path in arguments.folder.rglob("*") if path.is_file() and is_document(path))
    if not files:
        sys.exit(f"{arguments.folder} has no documents")
    end, number, memory = time.monotonic() + 60 * arguments.minutes, 0, 0.0
    with TemporaryDirectory() as folder, Converter(LIMITS) as converter, Progress(transient=True) as progress:
        task = progress.add_task("converting", total=60 * arguments.minutes)
        run = Run(files, Path(folder), arguments.seed)
        for file in files:
            run.neighbour(converter, file, 0)
        memory = _memory(converter)
        while (left := end - time.monotonic()) > 0:
            run.one(converter, number)
            number += 1
            progress.update(task, completed=60 * arguments.minutes - left)
        after = _memory(converter)
    console = Console()
    console.print(run.as_table())
    console.print(
        f"{number:,} files; memory of the process {memory:.0f} MB at the beginning, {after:.0f} MB at the end"
    )
    for line in run.wrong:
        console.print(line, markup=False)
    sys.exit(bool(run.wrong))


if __name__ == "__main__":
    main()
