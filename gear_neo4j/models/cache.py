"""Caches replies in a file, so that the same question to the same model is paid for once."""

import enum
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gear_neo4j.errors import SettingsError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage

PATIENCE = 30.0
# Callers of a service may ask any number of questions.
LARGEST = 4 << 30
_TABLE = """
    CREATE TABLE IF NOT EXISTS replies (
        model TEXT, prompt TEXT, text TEXT, input_tokens INTEGER, output_tokens INTEGER, PRIMARY KEY (model, prompt)
    ) WITHOUT ROWID"""
_LOOKUP = "SELECT text FROM replies WHERE model = ? AND prompt = ?"
_UPDATE = "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?)"
# Parameters of how a request is sent and observed, which do not change the reply.
_NO_MATTER = frozenset(
    {
        "callbacks",
        "default_request_timeout",
        "max_retries",
        "metadata",
        "name",
        "profile",
        "request_timeout",
        "stream_chunk_timeout",
        "tags",
        "timeout",
        "verbose",
    }
)


class ReplyCache:
    """The replies of one model as texts and token counts; threads and processes may share the SQLite file.

    Nothing in the file is deserialised into objects, so its content need not be trusted. The serialised objects of
    earlier versions, in another table, are not read.

    Raises:
        SettingsError: the file cannot be read or written, or is not such a cache.
    """

    def __init__(self, path: Path, model: "BaseChatModel") -> None:
        self._path = path
        self._model = identity(model)
        with _naming(path):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.touch(mode=0o600)
            with self._opened() as connection:
                connection.execute(_TABLE)

    def lookup(self, messages: Sequence["BaseMessage"]) -> str | None:
        """The cached text for a conversation, or None."""
        with _naming(self._path), self._opened() as connection:
            row = connection.execute(_LOOKUP, (self._model, _key(messages))).fetchone()
        # SQLite stores any type in a column.
        return row[0] if row and isinstance(row[0], str) else None

    def update(self, messages: Sequence["BaseMessage"], reply: "AIMessage") -> None:
        """Store the reply to a conversation, unless the file is too large."""
        with _naming(self._path):
            if self._path.stat().st_size >= LARGEST:
                return
        usage = reply.usage_metadata
        counts = (usage["input_tokens"], usage["output_tokens"]) if usage else (None, None)
        with _naming(self._path), self._opened() as connection:
            connection.execute(_UPDATE, (self._model, _key(messages), _storable(reply.text), *counts))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        # One connection per request: a connection belongs to one thread.
        with closing(sqlite3.connect(self._path, timeout=PATIENCE)) as connection, connection:
            yield connection


def identity(model: "BaseChatModel") -> str:
    """The identity of a model: its class and a digest of its parameters, the same in every process.

    LangChain's own string for this omits parameters that a model does not declare as serialisable, and would write
    headers into the file, which may contain keys.
    """
    parameters = {name: getattr(model, name) for name, field in type(model).model_fields.items() if not field.exclude}
    described = {**parameters, **(model.model_extra or {}), **model._identifying_params}
    plain = _plain({name: value for name, value in described.items() if name not in _NO_MATTER})
    kind = f"{type(model).__module__}.{type(model).__qualname__}"
    return f"{kind} {blake2b(json.dumps(plain, sort_keys=True).encode(), digest_size=16).hexdigest()}"


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted(map(repr, map(_plain, value)))
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_plain(item) for item in value]
    if hasattr(type(value), "model_fields"):
        return [type(value).__qualname__, _plain(dict(value))]
    # The name only: an object's repr may contain its memory address, which differs between processes.
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{named.__module__}.{named.__qualname__}"


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.DatabaseError, OSError) as error:
        raise SettingsError(f"the cache of replies {path} cannot be used ({error}): repair or delete it") from error


def _key(messages: Sequence["BaseMessage"]) -> str:
    return json.dumps([[message.type, message.content] for message in messages])


def _storable(text: str) -> str:
    """The text without halves of surrogate pairs, which SQLite refuses."""
    return text.encode(errors="replace").decode()
