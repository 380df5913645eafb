"""A chain of entries: each is a line of JSON with the SHA-256 of the previous entry's hash and its own content."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from gear_neo4j.text.printable import json_text

START = "0" * 64
_LINE = re.compile(rb'(\{"number": (\d{1,18}), .*), "hash": "([0-9a-f]{64})"\}', re.DOTALL)


class Broken(Exception):
    """A chain is not as it was written; the message says what is wrong, in one line."""


@dataclass(frozen=True, slots=True)
class Link:
    """The last entry of a chain so far: its number and its hash; number 0 before the first entry.

    Example:
        >>> first, line = Link().followed({"kind": "search"})
        >>> line.decode().startswith('{"number": 1, "kind": "search", "hash": "')
        True
        >>> Link().follow(line.rstrip()) == first
        True
    """

    number: int = 0
    hash: str = START

    def followed(self, entry: Mapping[str, object]) -> "tuple[Link, bytes]":
        """The link of a further entry, and its line."""
        content = json_text({"number": self.number + 1, **entry}).encode()
        link = Link(self.number + 1, _hash(self.hash, content))
        return link, content[:-1] + f', "hash": "{link.hash}"}}\n'.encode()

    def follow(self, line: bytes) -> "Link":
        """The link of the next line, without its end.

        Raises:
            Broken: the line is not the one that was written after this link.
        """
        found = _LINE.fullmatch(line)
        if found is None:
            raise Broken(f"entry {self.number + 1} was changed: the line is no entry")
        number, hash = int(found[2]), found[3].decode()
        if number != self.number + 1:
            raise Broken(f"entry {self.number + 1} is missing: entry {number} is in its place")
        if hash != _hash(self.hash, found[1] + b"}"):
            raise Broken(f"entry {number} was changed")
        return Link(number, hash)


def link_in(line: bytes) -> Link | None:
    """The link that a line names, unchecked; None if it is no entry."""
    found = _LINE.fullmatch(line)
    return Link(int(found[2]), found[3].decode()) if found else None


def _hash(previous: str, content: bytes) -> str:
    return sha256(previous.encode() + content).hexdigest()
