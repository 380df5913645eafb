"""Converts documents in a separate process, the only way to stop a parser that does not end.

The process runs ``converter.py``. It converts one document after the other, and is restarted after a document that took
too long, crashed it, or needed a lot of memory.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from threading import Timer
from typing import IO, Any, Self

from gear_neo4j.domain import Passage
from gear_neo4j.errors import InputError, TemporaryFailure
from gear_neo4j.ingestion.chunking import Converted
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, MIB, Limits

PROGRAM = "gear_neo4j.ingestion.converter"
Reply = Mapping[str, Any]


class Converter:
    """Converts documents within limits; its process starts with the first document and ends with the ``with`` block."""

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process, if it is running."""
        return self._process.pid if self._process else None

    def convert(self, path: Path, *, size: int, name: str | None = None, source: str | None = None) -> Converted:
        """The passages of a document; see :func:`gear_neo4j.ingestion.chunking.convert`.

        Raises:
            InputError: says why the file cannot be used, without naming it.
            TemporaryFailure: it could not be converted this time: it takes too long, or too much memory.
        """
        started = time.monotonic()
        reply = self._exchange({"path": str(path), "size": size, "name": name, "source": source})
        if reply is None:
            self.close()
            if time.monotonic() - started >= self._limits.seconds:
                raise TemporaryFailure(f"takes longer than {self._limits.seconds:g} s to convert: split it")
            raise TemporaryFailure("cannot be converted: the process that read it died")
        if reply["last"]:
            self.close()
        if "failure" in reply:
            raise TemporaryFailure(reply["failure"])
        if "problem" in reply:
            raise InputError(reply["problem"])
        passages = [replace(passage, metadata=reply["metadata"]) for passage in reply["passages"]]
        return Converted(passages, tuple(reply["remarks"]))

    def close(self) -> None:
        """Kill the process."""
        process, self._process = self._process, None
        if process:
            process.kill()
            # Unsent data cannot be sent any more.
            with suppress(BrokenPipeError), process:
                pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _exchange(self, request: Mapping[str, Any]) -> Reply | None:
        """The reply to a request; None if the process ended without one."""
        self._process = process = self._process or _start(self._limits)
        assert process.stdin
        assert process.stdout
        timer = Timer(self._limits.seconds, process.kill)
        timer.daemon = True
        timer.start()
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            return self._reply(process.stdout)
        except BrokenPipeError:
            return None
        finally:
            timer.cancel()

    def _reply(self, lines: IO[bytes]) -> Reply | None:
        """A reply: lines of passages, and an object at the end; None without it."""
        passages: list[Passage] = []
        room = self._limits.reply
        while (line := lines.readline(room + 1)).endswith(b"\n") and len(line) <= room:
            room -= len(line)
            part = json.loads(line)
            if isinstance(part, dict):
                return part | {"passages": passages}
            passages.append(Passage(*part))
        if len(line) > room:
            self.close()
            raise InputError(f"becomes more than {self._limits.reply // MIB:,} MiB of passages: split it")
        return None


def _start(limits: Limits) -> subprocess.Popen[bytes]:
    # -P: modules in the working folder, beside the documents, must not be imported.
    command = [sys.executable, "-P", "-m", PROGRAM, json.dumps(asdict(limits))]
    root = str(Path(__file__).parents[2])
    paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    # numpy, which the loaders import, would reserve memory for a thread per core.
    environment = {**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing, env=environment)
