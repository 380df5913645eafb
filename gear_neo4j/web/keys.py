"""The keys of callers: a file with the digest of each key and the rights of its holder.

The file has mode 600 and is replaced as a whole. A secret is shown once, when its key is made; it has 256 random bits,
so its plain SHA-256 reveals nothing.
"""

import json
import os
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from stat import S_IMODE
from typing import Annotated, Literal, Self

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from gear_neo4j.errors import GearError, InputError, NothingFound, SettingsError
from gear_neo4j.scope import EVERYTHING, Scope
from gear_neo4j.text.files import write_private_file
from gear_neo4j.text.printable import json_text
from gear_neo4j.web.quotas.quota import Quota
from gear_neo4j.web.rates import Rate

FILE_NAME = "keys.json"
PREFIX = "gear_"
_OTHERS = 0o077


class Key(BaseModel):
    """A key: the digest of its secret, and the scope of its holder.

    Without ``principals``, the holder sees only passages without readers; with ``everything``, readers are ignored and
    no agent is refused. With ``writes``, the holder may also ingest and forget documents in the collections that it
    may read.

    Raises:
        ValidationError, SettingsError: a field cannot be used.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$")]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    principals: tuple[str, ...] = ()
    collections: tuple[str, ...] | None = None
    where: JsonValue = None
    everything: bool = False
    writes: bool = False
    rate: str | None = None
    quota: Quota | None = None
    created: str = ""

    @model_validator(mode="after")
    def _is_usable(self) -> Self:
        _ = self.scope, self.limit
        return self

    @property
    def id(self) -> str:
        """The digest of its secret, because a later key may have the name of a revoked one."""
        return self.sha256

    @property
    def scope(self) -> Scope:
        """What its holder may see."""
        principals = None if self.everything else self.principals
        return EVERYTHING.narrowed(collections=self.collections, principals=principals, where=self.where)

    @property
    def limit(self) -> Rate | None:
        """The rate limit of its holder; None for no limit."""
        return Rate.parse(self.rate) if self.rate else None


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1]
    keys: tuple[Key, ...]

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        if len({key.name for key in self.keys}) < len(self.keys):
            raise ValueError("two keys have the same name")
        return self


def digest(secret: str) -> str:
    """The SHA-256 of a secret, in hexadecimal digits."""
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def matching(keys: Sequence[Key], secret: str) -> Key | None:
    """The key of a secret; compares every entry in constant time, so that timing reveals nothing."""
    presented = digest(secret)
    matches = [key for key in keys if secrets.compare_digest(key.sha256, presented)]
    return matches[0] if matches else None


def read_keys(file: Path) -> tuple[Key, ...]:
    """The keys of a file; none if there is no file.

    Raises:
        SettingsError: it cannot be read, is not a file of keys, or others may read or write it.
    """
    try:
        with file.open("rb") as opened:
            mode = S_IMODE(os.fstat(opened.fileno()).st_mode)
            text = opened.read()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror or error}") from error
    if os.name == "posix" and mode & _OTHERS:
        raise SettingsError(f"{file} is open to others (mode {mode:o}): run chmod 600 on it")
    try:
        return _File.model_validate(json.loads(text)).keys
    except (ValueError, RecursionError, GearError) as error:
        raise SettingsError(
            f"{file} is not a file of keys{_place(error)}: make one with 'gear keys add NAME'"
        ) from error


def add_key(
    file: Path,
    name: str,
    *,
    principals: Sequence[str] = (),
    collections: Sequence[str] = (),
    where: JsonValue = None,
    everything: bool = False,
    writes: bool = False,
    rate: str | None = None,
    quota: Quota | None = None,
) -> str:
    """Add a key, and return its secret, which is not stored.

    Raises:
        SettingsError: there is a key of that name, or an option or the file cannot be used.
        InputError: the file cannot be written.
    """
    if writes and where is not None:
        raise SettingsError(f"the key {name[:40]!r} cannot write: a filter does not apply to new documents")
    secret = PREFIX + secrets.token_urlsafe(32)
    try:
        key = Key(
            name=name,
            sha256=digest(secret),
            principals=tuple(principals),
            collections=tuple(collections) or None,
            where=where,
            everything=everything,
            writes=writes,
            rate=rate,
            quota=quota,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
    except ValidationError as error:
        raise SettingsError(f"the key {name[:40]!r} needs another name: letters, digits and . _ @ -") from error
    with _locked(file):
        keys = read_keys(file)
        if any(known.name == name for known in keys):
            raise SettingsError(f"there is a key {name!r} already: choose another name, or revoke it first")
        _write(file, (*keys, key))
    return secret


def revoke_key(file: Path, name: str) -> None:
    """Remove a key; a running service refuses it at once, and ends its requests.

    Raises:
        NothingFound: there is no key of that name.
        SettingsError, InputError: the file cannot be used or written.
    """
    with _locked(file):
        keys = read_keys(file)
        remaining = tuple(key for key in keys if key.name != name)
        if len(remaining) == len(keys):
            known = ", ".join(key.name for key in keys) or "none"
            raise NothingFound(f"there is no key {name!r}: the keys are {known}")
        _write(file, remaining)


def _locked(file: Path) -> FileLock:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror or error}") from error
    return FileLock(f"{file}.lock")


def _write(file: Path, keys: Sequence[Key]) -> None:
    document = {"version": 1, "keys": [key.model_dump(mode="json", exclude_defaults=True) for key in keys]}
    write_private_file(file, json_text(document, indent=2) + "\n")


def _place(error: Exception) -> str:
    """The location of an error in a file of keys, without quoting the file."""
    if not isinstance(error, ValidationError):
        return ""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return f" (at {'.'.join(map(str, first['loc']))})" if first["loc"] else ""
