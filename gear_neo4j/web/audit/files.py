"""The files of an audit folder: those of each chain in order, its anchor, and the end of its last file.

``CHAIN.000001.jsonl`` is the first file of a chain, and ``CHAIN.anchor`` has the hash of its last entry.
"""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from gear_neo4j.errors import InputError
from gear_neo4j.text.files import write_private_file
from gear_neo4j.text.printable import json_text
from gear_neo4j.web.audit.chain import Link, link_in

_NAME = re.compile(r"(?P<chain>[A-Za-z0-9-]+)\.(?P<number>\d{6,12})\.jsonl")


@dataclass(frozen=True, slots=True)
class Anchor:
    """The last entry of a chain, and the number of its file, as the service last wrote them."""

    file: int = 0
    number: int = 0
    hash: str = Link().hash

    @property
    def link(self) -> Link:
        """Its entry."""
        return Link(self.number, self.hash)


@dataclass(frozen=True, slots=True)
class Tail:
    """The end of a chain: its last entry, if any, and the torn line after it."""

    link: Link | None = None
    torn: bytes = b""

    @property
    def document(self) -> dict[str, object]:
        """The torn line for the head of the next file; empty without one."""
        return {"bytes": len(self.torn), "sha256": sha256(self.torn).hexdigest()} if self.torn else {}


def file_of(folder: Path, chain: str, number: int) -> Path:
    """The path of a file of a chain.

    Example:
        >>> file_of(Path("audit"), "host-1", 7).name
        'host-1.000007.jsonl'
    """
    return folder / f"{chain}.{number:06d}.jsonl"


def number_of(file: Path) -> int:
    """The number of a file in its chain."""
    found = _NAME.fullmatch(file.name)
    assert found is not None
    return int(found["number"])


def chains_in(folder: Path) -> Mapping[str, Sequence[Path]]:
    """The files of each chain, in order; none for a chain of which only the anchor is left.

    Raises:
        InputError: the folder cannot be read.
    """
    chains: defaultdict[str, list[Path]] = defaultdict(list)
    try:
        for path in folder.iterdir():
            if found := _NAME.fullmatch(path.name):
                chains[found["chain"]].append(path)
            elif path.suffix == ".anchor":
                chains[path.stem] += []
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror or error}") from error
    return {chain: sorted(files, key=number_of) for chain, files in sorted(chains.items())}


def anchor_of(folder: Path, chain: str) -> Anchor | None:
    """The anchor of a chain; None if there is none, or it is none."""
    try:
        return Anchor(**json.loads((folder / f"{chain}.anchor").read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def set_anchor(folder: Path, chain: str, anchor: Anchor) -> None:
    """Replace the anchor of a chain.

    Raises:
        InputError: it cannot be written.
    """
    write_private_file(folder / f"{chain}.anchor", json_text(asdict(anchor)) + "\n")


def last_of(files: Sequence[Path]) -> Tail:
    """The end of the files of a chain: a crash may have left several without a whole line.

    Raises:
        OSError: one cannot be read.
    """
    torn = b""
    for file in reversed(files):
        *lines, rest = file.read_bytes().split(b"\n")
        torn = rest + torn
        if lines:
            return Tail(link_in(lines[-1]), torn)
    return Tail(torn=torn)
