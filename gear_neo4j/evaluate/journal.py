"""The results of an interrupted evaluation, question by question, so that the next run can resume.

Each system has its own file below ``GEAR_HOME``, with a line for each question. The name of the file is a digest of
everything that a result depends on: the data set, the graph, the models, the system, and the version of this package.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from gear_neo4j.agents.answer import Answer
from gear_neo4j.domain import Hits, digest
from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.datasets import EvaluationQuery
from gear_neo4j.evaluate.quality import Quality
from gear_neo4j.usage import Usage
from gear_neo4j.wire import from_json, to_json

Value = TypeVar("Value")
Json = Mapping[str, Any]


class Journal(Generic[Value]):
    """The results of one system, in one file; threads may share it.

    Args:
        file: created with the first result; an incomplete line from a killed process is removed.
        is_final: whether to keep a result; False for a temporary failure.
        on_loss: called once, if the file can no longer be written; the evaluation continues without it.
    """

    def __init__(
        self,
        file: Path,
        *,
        encode: Callable[[Value], Json],
        decode: Callable[[Json], Value],
        is_final: Callable[[Value], bool] = lambda _: True,
        on_loss: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._file = file
        self._encode, self._decode = encode, decode
        self._is_final = is_final
        self._on_loss = on_loss
        self._writing = Lock()
        self._is_lost = False
        self._kept = dict(_lines(file))

    def count(self, keys: Sequence[str]) -> int:
        """The number of keys with a result."""
        return sum(key in self._kept for key in keys)

    def result(self, key: str, make: Callable[[], Value]) -> Value:
        """The recorded result for a key, or a new one, which is then recorded."""
        if key in self._kept:
            try:
                return self._decode(json.loads(self._kept[key])["result"])
            except (InputError, ValueError, KeyError, TypeError):
                # A damaged line: ask its question again.
                del self._kept[key]
        value = make()
        if self._is_final(value):
            self._append(json.dumps({"key": key, "result": self._encode(value)}))
        return value

    def discard(self) -> None:
        """Remove the file and its results."""
        self._kept.clear()
        self._file.unlink(missing_ok=True)

    def _append(self, line: str) -> None:
        with self._writing:
            if self._is_lost:
                return
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                # In one write, so that lines of two processes do not mix.
                with self._file.open("ab", buffering=0) as file:
                    file.write(f"{line}\n".encode())
            except OSError as error:
                self._is_lost = True
                self._on_loss(f"{self._file} cannot be written ({error.strerror or error}): a cut run starts anew")


class Journals:
    """The journals of one evaluation, in a folder.

    Args:
        stamp: everything that the results depend on besides system, k and question.
        fresh: discard earlier results.
        on_kept: called with the name of a system, the number of its recorded results, and the number of questions.
        on_loss: see :class:`Journal`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        stamp: Mapping[str, object],
        fresh: bool = False,
        on_kept: Callable[[str, int, int], None] = lambda *_: None,
        on_loss: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._folder = folder
        self._stamp = dict(stamp)
        self._fresh = fresh
        self._on_kept = on_kept
        self._on_loss = on_loss
        self._opened: list[Journal[Any]] = []

    def hits(self, system: Json, *, k: int, queries: Sequence[EvaluationQuery]) -> Journal[Hits]:
        """The journal of a retriever."""
        journal = Journal(
            self._file(system, k, "hits"), encode=to_json, decode=partial(from_json, Hits), on_loss=self._on_loss
        )
        return self._open(journal, f"{system['title']}, k = {k}", [key_of(query) for query in queries])

    def answers(self, system: Json, *, k: int, queries: Sequence[EvaluationQuery]) -> Journal[Answer]:
        """The journal of an agent; answers whose model failed are not recorded."""
        journal = Journal(
            self._file(system, k, "answers"),
            encode=to_json,
            decode=partial(from_json, Answer),
            is_final=lambda answer: not answer.failure,
            on_loss=self._on_loss,
        )
        return self._open(journal, str(system["title"]), [key_of(query) for query in queries])

    def qualities(self, system: Json, *, keys: Sequence[str]) -> Journal[Quality]:
        """The journal of the judge of an agent's answers."""
        file = self._file(system, 0, "qualities")
        journal = Journal(file, encode=asdict, decode=_quality, on_loss=self._on_loss)
        return self._open(journal, "the judge", keys)

    def discard(self) -> None:
        """Remove the files: the evaluation is complete."""
        for journal in self._opened:
            journal.discard()

    def _file(self, *about: object) -> Path:
        text = json.dumps([self._stamp, *about], sort_keys=True)
        return self._folder / f"{blake2b(text.encode(), digest_size=16).hexdigest()}.jsonl"

    def _open(self, journal: Journal[Value], name: str, keys: Sequence[str]) -> Journal[Value]:
        if self._fresh:
            journal.discard()
        self._opened.append(journal)
        if kept := journal.count(keys):
            self._on_kept(name, kept, len(keys))
        return journal


def key_of(query: EvaluationQuery) -> str:
    """The key of a question, with its gold passages and answers.

    Example:
        >>> key_of(EvaluationQuery("q1", "Who?", ("p1",))) == key_of(EvaluationQuery("q1", "Who?", ("p2",)))
        False
    """
    return digest("question", json.dumps(asdict(query)))


def _quality(row: Json) -> Quality:
    return Quality(**{**row, "usage": Usage(**row["usage"])})


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    """The complete lines of a file, with their keys; truncates an incomplete last line."""
    try:
        content = file.read_bytes() if file.exists() else b""
        end = content.rfind(b"\n") + 1
        if end < len(content):
            os.truncate(file, end)
    except OSError as error:
        raise InputError(f"{file} cannot be used: {error.strerror or error}") from error
    for line in content[:end].decode("utf-8", "replace").split("\n"):
        try:
            yield str(json.loads(line)["key"]), line
        except (ValueError, KeyError, TypeError):
            continue
