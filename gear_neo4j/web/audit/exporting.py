"""The entries of all chains of a folder in the order of their times, as they were written."""

import heapq
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from gear_neo4j.errors import InputError
from gear_neo4j.web.audit.files import chains_in
from gear_neo4j.web.audit.writing import stamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The entries to export.

    Args:
        since: entries before this time are left out.
        until: entries from this time on are left out.
        who: the name of a key, or the name or the subject of a person.
    """

    since: datetime | None = None
    until: datetime | None = None
    who: str | None = None

    def admits(self, entry: dict[str, Any]) -> bool:
        """Whether an entry is one of them."""
        time = str(entry.get("time", ""))
        if (self.since and time < stamp(self.since)) or (self.until and time >= stamp(self.until)):
            return False
        who = entry.get("who") or {}
        return self.who is None or self.who in (who.get("key"), who.get("name"), who.get("subject"))


def exported(folder: Path, selection: Selection) -> Iterator[dict[str, Any]]:
    """The selected entries, each with its chain; torn lines are left out.

    Raises:
        InputError: the folder or a file cannot be read, or a line is no entry.
    """
    every = [_entries(chain, files) for chain, files in chains_in(folder).items()]
    merged = heapq.merge(*every, key=lambda entry: str(entry.get("time", "")))
    return (entry for entry in merged if selection.admits(entry))


def _entries(chain: str, files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for file in files:
        try:
            lines = file.read_bytes().split(b"\n")[:-1]
        except OSError as error:
            raise InputError(f"{file} cannot be read: {error.strerror or error}") from error
        for line in lines:
            try:
                yield {"chain": chain, **json.loads(line)}
            except (ValueError, TypeError) as error:
                raise InputError(f"{file.name} holds a line that is no entry: run gear audit verify") from error
