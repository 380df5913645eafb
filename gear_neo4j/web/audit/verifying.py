"""Verifies the chains of a folder: every entry is there, unchanged and in its place."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gear_neo4j.web.audit.chain import Broken, Link, link_in
from gear_neo4j.web.audit.files import Anchor, Tail, anchor_of, chains_in, file_of, number_of


@dataclass(frozen=True, slots=True)
class ChainReport:
    """One chain: the number of its last sound entry, the first place where it is broken, and its torn lines.

    ``broken`` is empty for a sound chain; ``kept`` has those of the anchors kept elsewhere that the chain contains.
    """

    chain: str
    files: int
    last: Link
    broken: str = ""
    torn: Sequence[str] = ()
    kept: Collection[str] = ()


@dataclass(slots=True)
class _Reading:
    """How far a chain has been read: its last link, and the current file and line."""

    anchors: Collection[str]
    anchor: Anchor | None
    link: Link = field(default_factory=Link)
    at_anchor: Link | None = None
    reached: str = ""
    rest: bytes = b""
    torn: list[str] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)

    def read(self, file: Path) -> None:
        """Follow the lines of the next file.

        Raises:
            Broken: at ``reached``.
        """
        self.reached = file.name
        *lines, rest = _bytes(file).split(b"\n")
        for number, line in enumerate(lines, start=1):
            self.reached = f"{file.name}, line {number}"
            self.link = self.link.follow(line)
            if number == 1 and _what(line).get("torn") != Tail(torn=self.rest).document:
                raise Broken(f"the torn line before it was changed: it has {len(self.rest):,} bytes now")
            self._note()
        if rest:
            self.torn.append(f"{file.name}: torn line, {len(rest):,} bytes")
        # A file without a whole line has no head that names the torn line before it.
        self.rest = rest if lines else self.rest + rest

    def begin(self, file: Path) -> None:
        """Begin with the first file that is left; older ones may be gone if their anchor was kept.

        Raises:
            Broken: their anchor was not kept.
        """
        self.reached = file.name
        head, _, _ = _bytes(file).partition(b"\n")
        what, first = _what(head), link_in(head)
        previous = str(what.get("previous"))
        if first is None or previous not in self.anchors:
            raise Broken("the files before it are missing, and --anchor names none of them")
        self.link, self.rest = Link(first.number - 1, previous), b""
        self.kept.add(previous)

    def end(self, chain: str) -> None:
        """Compare the end with the anchor.

        Raises:
            Broken: entries are missing, or the anchor is not of this chain.
        """
        self.reached = f"{chain}.anchor"
        if self.anchor is None:
            raise Broken("the anchor is missing, and maybe entries at the end")
        if self.link.number < self.anchor.number:
            raise Broken(f"entry {self.link.number + 1} is missing: the anchor is entry {self.anchor.number}")
        if self.at_anchor != self.anchor.link:
            raise Broken(f"the anchor has another entry {self.anchor.number}")

    def _note(self) -> None:
        if self.link.hash in self.anchors:
            self.kept.add(self.link.hash)
        if self.anchor and self.link.number == self.anchor.number:
            self.at_anchor = self.link


def verified(folder: Path, *, anchors: Collection[str] = ()) -> Iterator[ChainReport]:
    """Verify the chains of a folder, one after the other; the service may write them meanwhile.

    Args:
        anchors: hashes kept elsewhere. A chain may begin after one, because older files were removed.

    Raises:
        InputError: the folder cannot be read.
    """
    for chain in chains_in(folder):
        # The anchor first: what is written meanwhile comes after it.
        reading, broken = _Reading(anchors, anchor_of(folder, chain)), ""
        files = chains_in(folder)[chain]
        try:
            for index, file in enumerate(files):
                if not index and file != file_of(folder, chain, 1):
                    reading.begin(file)
                elif index and file != (wanted := file_of(folder, chain, number_of(files[index - 1]) + 1)):
                    reading.reached = wanted.name
                    raise Broken("the file is missing")
                reading.read(file)
            reading.end(chain)
        except Broken as error:
            broken = f"{reading.reached}: {error}"
        yield ChainReport(chain, len(files), reading.link, broken, reading.torn, reading.kept)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise Broken(f"it cannot be read: {error.strerror or error}") from error


def _what(line: bytes) -> dict[str, Any]:
    """The field ``what`` of an entry; empty if there is none."""
    try:
        what = json.loads(line)["what"]
    except (ValueError, TypeError, KeyError):
        return {}
    return what if isinstance(what, dict) else {}
