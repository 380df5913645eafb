"""Converts documents in a separate process, the only way to stop a parser that does not end.

The process runs ``converter.py``. It converts one document after the other, and is restarted after a document that took
too long, crashed it, or needed a lot of memory. Where it runs OCR, it says so after each page: the time limit is for a
page then.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from threading import Timer
from typing import IO, Any, Self

from gear_neo4j.domain import Passage
from gear_neo4j.errors import InputError, TemporaryFailure
from gear_neo4j.ingestion import ocr
from gear_neo4j.ingestion.chunking import Converted
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, MIB, Limits

PROGRAM = "gear_neo4j.ingestion.converter"
Reply = Mapping[str, Any]


class Converter:
    """Converts documents within limits; its process starts with the first document and ends with the ``with`` block.

    Raises:
        SettingsError: OCR cannot read the languages that the limits name.
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        # Here, a choice that cannot be met is an error; in the process, it would be one of each document.
        ocr.chosen(limits.ocr)
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
        deadline = _Deadline(self._limits.seconds, self._kill)
        reply = self._exchange({"path": str(path), "size": size, "name": name, "source": source}, deadline)
        if reply is None:
            self.close()
            if deadline.has_passed:
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
        self._kill()
        process, self._process = self._process, None
        if process:
            # Unsent data cannot be sent any more.
            with suppress(BrokenPipeError), process:
                pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _kill(self) -> None:
        """Kill the process, and what it has started for OCR."""
        if process := self._process:
            if hasattr(os, "killpg"):
                with suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.kill()

    def _exchange(self, request: Mapping[str, Any], deadline: "_Deadline") -> Reply | None:
        """The reply to a request; None if the process ended without one."""
        self._process = process = self._process or _start(self._limits)
        assert process.stdin
        assert process.stdout
        deadline.begin()
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            return self._reply(process.stdout, deadline)
        except BrokenPipeError:
            return None
        finally:
            deadline.end()

    def _reply(self, lines: IO[bytes], deadline: "_Deadline") -> Reply | None:
        """A reply: lines of passages, and an object at the end; None without it."""
        passages: list[Passage] = []
        room = self._limits.reply
        while (line := lines.readline(room + 1)).endswith(b"\n") and len(line) <= room:
            room -= len(line)
            part = json.loads(line)
            if isinstance(part, dict):
                return part | {"passages": passages}
            if isinstance(part, int):
                deadline.begin()
            else:
                passages.append(Passage(*part))
        if len(line) > room:
            self.close()
            raise InputError(f"becomes more than {self._limits.reply // MIB:,} MiB of passages: split it")
        return None


class _Deadline:
    """Calls a function after some seconds, unless it begins again or ends before."""

    def __init__(self, seconds: float, expire: Callable[[], None]) -> None:
        self._seconds = seconds
        self._expire = expire
        self._timer: Timer | None = None
        self._begun = 0.0

    @property
    def has_passed(self) -> bool:
        return time.monotonic() - self._begun >= self._seconds

    def begin(self) -> None:
        self.end()
        self._begun = time.monotonic()
        self._timer = Timer(self._seconds, self._expire)
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        if self._timer:
            self._timer.cancel()


def _start(limits: Limits) -> subprocess.Popen[bytes]:
    # -P: modules in the working folder, beside the documents, must not be imported.
    command = [sys.executable, "-P", "-m", PROGRAM, json.dumps(asdict(limits))]
    root = str(Path(__file__).parents[2])
    paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    # numpy, which the loaders import, would reserve memory for a thread per core.
    environment = {**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    # A process group of its own: a kill reaches the programs that it has started.
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing, env=environment, process_group=0)
