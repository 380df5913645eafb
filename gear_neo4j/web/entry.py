"""Records of requests, for their log lines, the metrics and the audit record."""

import re
import time
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from gear_neo4j.usage import Usage
from gear_neo4j.web.credentials import Credential
from gear_neo4j.web.quotas.bill import Bill

_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{8,64}")
_NAME = "gear_neo4j.entry"


@dataclass(slots=True)
class Entry:
    """One request: its id, its caller, its result and its cost.

    ``route`` is its path if that is not a route of the API; ``parts`` has milliseconds by part of a search; ``error``
    is the class of its error. ``refused`` is a person who is known, but may do nothing. ``documents`` are those of
    ``passages``, ``target`` names what else it reads or changes, and ``kind`` is what a call of a mounted application
    asks for, ``bill`` what it costs its caller, if that is counted.
    """

    id: str
    route: str = ""
    started: float = field(default_factory=time.perf_counter)
    key: str = ""
    credential: Credential | None = None
    refused: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""
    target: Mapping[str, object] = field(default_factory=dict)
    question: str = ""
    passages: Sequence[str] = ()
    documents: Sequence[str | None] = ()
    parts: Mapping[str, float] = field(default_factory=dict)
    usage: Usage = Usage()
    bill: Bill | None = None
    error: str = ""

    def identify(self, credential: Credential) -> None:
        """Note the caller."""
        self.credential, self.key = credential, credential.name

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.perf_counter() - self.started


def request_id(presented: str | None) -> str:
    """The id sent by a client or a proxy if it is well-formed, else a new one.

    Example:
        >>> request_id("trace-0001"), len(request_id("a\\nb"))
        ('trace-0001', 32)
    """
    return presented if presented and _WELL_FORMED.fullmatch(presented) else uuid4().hex


def begin(scope: MutableMapping[str, Any], presented: str | None) -> Entry:
    """Make the entry of a new request."""
    entry = Entry(request_id(presented))
    scope[_NAME] = entry
    return entry


def entry_of(scope: Mapping[str, Any]) -> Entry:
    """The entry of a request."""
    entry = scope[_NAME]
    assert isinstance(entry, Entry)
    return entry
