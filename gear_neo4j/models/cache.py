"""Replies kept in a file, so that the same question to the same model is paid for once."""

import enum
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from gear_neo4j.errors import SettingsError

if TYPE_CHECKING:
    from langchain_community.cache import SQLAlchemyCache
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage

PATIENCE = 30.0
# These say how a request is sent and watched, and do not change the reply.
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
    """LangChain's SQLite cache of one model's replies; threads and processes may share the file.

    Raises:
        SettingsError: the file cannot be read or written, or is no such cache.
    """

    def __init__(self, path: Path, model: "BaseChatModel") -> None:
        self._path = path
        self._model = identity(model)
        self._writing = Lock()
        with _naming(path):
            self._cache = _open(path)

    def lookup(self, messages: Sequence["BaseMessage"]) -> str | None:
        """The text kept for a conversation, or None."""
        from langchain_core.outputs import ChatGeneration

        with _naming(self._path):
            generations = self._cache.lookup(_key(messages), self._model)
        # What LangChain cannot read it hands out as it stands, and not as a chat's generation.
        return str(generations[0].message.text) if generations and isinstance(generations[0], ChatGeneration) else None

    def update(self, messages: Sequence["BaseMessage"], reply: "AIMessage") -> None:
        """Keep the reply to a conversation."""
        from langchain_core.outputs import ChatGeneration
        from sqlalchemy.exc import IntegrityError

        # Another process may have kept a reply to the same conversation a moment ago: one is enough.
        with self._writing, _naming(self._path), suppress(IntegrityError):
            self._cache.update(_key(messages), self._model, [ChatGeneration(message=reply)])


def identity(model: "BaseChatModel") -> str:
    """The identity of a model: its class and a digest of its parameters, the same in every process.

    LangChain's own string for this leaves out whatever a model did not declare as serialisable, and would put headers
    into the file, where keys may stand.
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
    # The name only: how Python shows an object may hold its address, which is another one in each process.
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{named.__module__}.{named.__qualname__}"


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    from sqlalchemy.exc import DatabaseError

    try:
        yield
    except (DatabaseError, OSError) as error:
        reason = error.orig if isinstance(error, DatabaseError) else error
        raise SettingsError(f"the cache of replies {path} cannot be used ({reason}): repair or delete it") from error


def _key(messages: Sequence["BaseMessage"]) -> str:
    from langchain_core.load import dumps

    return dumps(list(messages))


def _open(path: Path) -> "SQLAlchemyCache":
    # This takes seconds to import: commands that call no model must not pay for it.
    from langchain_community.cache import FullLLMCache, SQLAlchemyCache
    from sqlalchemy import URL, NullPool, create_engine
    from sqlalchemy.exc import OperationalError

    # It is langchain-community that calls langchain-core as it should not; a user can do nothing about it.
    warnings.filterwarnings("ignore", "The default value of `allowed_objects`", module=r"langchain_community\.cache")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600)
    # SQLiteCache is this class with a pool, whose connections nobody closes.
    engine = create_engine(
        URL.create("sqlite", database=str(path)), poolclass=NullPool, connect_args={"timeout": PATIENCE}
    )
    # Another process may make a table between our look and our attempt, which then leaves one table fewer to lose.
    for _ in FullLLMCache.metadata.tables:
        with suppress(OperationalError):
            return SQLAlchemyCache(engine)
    return SQLAlchemyCache(engine)
