"""Settings, read from the environment or from a ``.env`` file such as Aura's."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from dotenv import dotenv_values

from gear_neo4j.errors import SettingsError
from gear_neo4j.text.redaction import without_login

DEFAULT_NEO4J_VERSION = "5.26.31"
DEFAULT_NAME = "default"
# Minutes without a query after which a local server stops.
DEFAULT_LOCAL_IDLE = 30.0
# The environment variables of each setting; the first one that is set counts.
VARIABLES: Mapping[str, tuple[str, ...]] = {
    "uri": ("NEO4J_URI",),
    "username": ("NEO4J_USERNAME", "NEO4J_USER"),
    "password": ("NEO4J_PASSWORD",),
    "database": ("NEO4J_DATABASE",),
    "name": ("GEAR_NAME",),
    "home": ("GEAR_HOME",),
    "neo4j_version": ("GEAR_NEO4J_VERSION",),
    "local_idle": ("GEAR_LOCAL_IDLE",),
    "embedding_model": ("GEAR_EMBEDDING_MODEL",),
    "embedding_dtype": ("GEAR_EMBEDDING_DTYPE",),
    "embedding_url": ("GEAR_EMBEDDING_URL",),
    "embedding_key": ("GEAR_EMBEDDING_KEY",),
    "embedding_timeout": ("GEAR_EMBEDDING_TIMEOUT",),
    "rerank": ("GEAR_RERANK",),
    "chat_model": ("GEAR_CHAT_MODEL",),
    "openai_base_url": ("OPENAI_BASE_URL",),
    "openai_api_key": ("OPENAI_API_KEY",),
    "chat_timeout": ("GEAR_CHAT_TIMEOUT",),
    "chat_concurrency": ("GEAR_CHAT_CONCURRENCY",),
    "chat_cache": ("GEAR_CHAT_CACHE",),
    "chat_price": ("GEAR_CHAT_PRICE",),
    "serve_host": ("GEAR_SERVE_HOST",),
    "serve_port": ("GEAR_SERVE_PORT",),
    "serve_keys_file": ("GEAR_SERVE_KEYS_FILE",),
    "serve_allowed_hosts": ("GEAR_SERVE_ALLOWED_HOSTS",),
    "serve_allowed_origins": ("GEAR_SERVE_ALLOWED_ORIGINS",),
    "serve_public_url": ("GEAR_SERVE_PUBLIC_URL",),
    "serve_oidc_issuer": ("GEAR_SERVE_OIDC_ISSUER",),
    "serve_audiences": ("GEAR_SERVE_AUDIENCES",),
    "serve_oidc_client": ("GEAR_SERVE_OIDC_CLIENT",),
    "serve_oidc_secret": ("GEAR_SERVE_OIDC_SECRET",),
    "serve_rights_file": ("GEAR_SERVE_RIGHTS_FILE",),
    "serve_audit": ("GEAR_SERVE_AUDIT",),
    "serve_audit_required": ("GEAR_SERVE_AUDIT_REQUIRED",),
    "serve_audit_texts": ("GEAR_SERVE_AUDIT_TEXTS",),
    "serve_memory": ("GEAR_SERVE_MEMORY",),
    "serve_log_questions": ("GEAR_SERVE_LOG_QUESTIONS",),
}
SECRETS = frozenset({"password", "embedding_key", "openai_api_key", "serve_oidc_secret"})
URLS = frozenset({"uri", "embedding_url", "openai_base_url", "serve_public_url", "serve_oidc_issuer"})


def _default_home() -> Path:
    return Path.home() / ".gear-neo4j"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The address of Neo4j, and the models to use; without ``uri``, the local server ``name`` is used.

    ``repr`` shows neither passwords nor keys, nor the user info of a URL.

    Example:
        >>> Settings.load({"NEO4J_URI": "bolt://db:7687", "NEO4J_PASSWORD": "x"}).uri
        'bolt://db:7687'
    """

    uri: str | None = None
    username: str = "neo4j"
    password: str | None = field(default=None, repr=False)
    database: str | None = None
    name: str = DEFAULT_NAME
    home: Path = field(default_factory=_default_home)
    neo4j_version: str = DEFAULT_NEO4J_VERSION
    local_idle: float = DEFAULT_LOCAL_IDLE
    embedding_model: str | None = None
    embedding_dtype: str = "auto"
    embedding_url: str | None = None
    embedding_key: str | None = field(default=None, repr=False)
    embedding_timeout: float = 60.0
    rerank: str | None = None
    chat_model: str | None = None
    openai_base_url: str | None = None
    openai_api_key: str | None = field(default=None, repr=False)
    chat_timeout: float = 60.0
    chat_concurrency: int = 4
    chat_cache: bool = True
    chat_price: tuple[float, float] | None = None
    serve_host: str = "127.0.0.1"
    serve_port: int = 8765
    serve_keys_file: Path | None = None
    serve_allowed_hosts: tuple[str, ...] = ()
    serve_allowed_origins: tuple[str, ...] = ()
    serve_public_url: str | None = None
    serve_oidc_issuer: str | None = None
    serve_audiences: tuple[str, ...] = ()
    serve_oidc_client: str | None = None
    serve_oidc_secret: str | None = field(default=None, repr=False)
    serve_rights_file: Path | None = None
    serve_audit: Path | None = None
    serve_audit_required: bool = False
    serve_audit_texts: bool = False
    serve_log_questions: bool = False
    serve_memory: int = 1_024

    @classmethod
    def load(cls, environment: Mapping[str, str] | None = None, *, env_file: Path | None = None) -> "Settings":
        """Read the settings; the environment takes precedence over ``env_file``.

        Variables: ``NEO4J_URI``, ``NEO4J_USERNAME`` (or ``NEO4J_USER``), ``NEO4J_PASSWORD``, ``NEO4J_DATABASE``,
        ``GEAR_NAME``, ``GEAR_HOME``, ``GEAR_NEO4J_VERSION``, ``GEAR_LOCAL_IDLE`` (minutes), ``GEAR_EMBEDDING_MODEL``,
        ``GEAR_EMBEDDING_DTYPE``; for embeddings by a server ``GEAR_EMBEDDING_URL``, ``GEAR_EMBEDDING_KEY`` and
        ``GEAR_EMBEDDING_TIMEOUT`` (seconds a request); for a reranker ``GEAR_RERANK``; for a language model
        ``GEAR_CHAT_MODEL``, ``OPENAI_BASE_URL``, ``OPENAI_API_KEY``, ``GEAR_CHAT_TIMEOUT`` (seconds a whole call),
        ``GEAR_CHAT_CONCURRENCY``, ``GEAR_CHAT_CACHE`` (``on`` or ``off``) and ``GEAR_CHAT_PRICE`` (of a million input
        and output tokens: ``0.15,0.60``); for ``gear serve`` ``GEAR_SERVE_HOST``, ``GEAR_SERVE_PORT``,
        ``GEAR_SERVE_KEYS_FILE``, ``GEAR_SERVE_ALLOWED_HOSTS`` and ``GEAR_SERVE_ALLOWED_ORIGINS`` (with commas between
        them), ``GEAR_SERVE_PUBLIC_URL``, ``GEAR_SERVE_LOG_QUESTIONS`` (``on`` or ``off``) and ``GEAR_SERVE_MEMORY``
        (MiB); for sign-in ``GEAR_SERVE_OIDC_ISSUER``, ``GEAR_SERVE_AUDIENCES`` (with commas between them),
        ``GEAR_SERVE_OIDC_CLIENT``, ``GEAR_SERVE_OIDC_SECRET`` and ``GEAR_SERVE_RIGHTS_FILE``; for the audit record
        ``GEAR_SERVE_AUDIT``, ``GEAR_SERVE_AUDIT_REQUIRED`` and ``GEAR_SERVE_AUDIT_TEXTS`` (``on`` or ``off``).

        Raises:
            SettingsError: ``env_file`` does not exist or is not text, or a number is invalid.
        """
        values = _values(environment, env_file)

        def get(setting: str) -> str | None:
            return values[setting].text if setting in values else None

        return cls(
            uri=get("uri"),
            username=get("username") or "neo4j",
            password=get("password"),
            database=get("database"),
            name=get("name") or DEFAULT_NAME,
            home=Path(get("home") or _default_home()).expanduser(),
            neo4j_version=get("neo4j_version") or DEFAULT_NEO4J_VERSION,
            local_idle=_numbers("GEAR_LOCAL_IDLE", get("local_idle") or f"{DEFAULT_LOCAL_IDLE}", count=1, least=0)[0],
            embedding_model=get("embedding_model"),
            embedding_dtype=get("embedding_dtype") or "auto",
            embedding_url=get("embedding_url"),
            embedding_key=get("embedding_key"),
            embedding_timeout=_number("GEAR_EMBEDDING_TIMEOUT", get("embedding_timeout") or "60"),
            rerank=get("rerank"),
            chat_model=get("chat_model"),
            openai_base_url=get("openai_base_url"),
            openai_api_key=get("openai_api_key"),
            chat_timeout=_number("GEAR_CHAT_TIMEOUT", get("chat_timeout") or "60"),
            chat_concurrency=int(_number("GEAR_CHAT_CONCURRENCY", get("chat_concurrency") or "4")),
            chat_cache=_switch("GEAR_CHAT_CACHE", get("chat_cache") or "on"),
            chat_price=_price(get("chat_price")),
            **_serve(get),
        )

    def __repr__(self) -> str:
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.repr}
        hidden = {name: without_login(values[name]) for name in URLS if values[name]}
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in (values | hidden).items())})"


@dataclass(frozen=True, slots=True)
class _Value:
    text: str = field(repr=False)
    source: str


def sources(environment: Mapping[str, str] | None = None, *, env_file: Path | None = None) -> dict[str, str]:
    """The source of each setting that is set; the others have their defaults.

    Raises:
        SettingsError: ``env_file`` does not exist or is not text.

    Example:
        >>> sources({"NEO4J_URI": "bolt://db:7687"})
        {'uri': 'environment'}
    """
    return {setting: value.source for setting, value in _values(environment, env_file).items()}


def _values(environment: Mapping[str, str] | None, env_file: Path | None) -> dict[str, _Value]:
    """The text of each setting that is set; the environment takes precedence over the file."""
    file = (f"file {env_file}", _file_values(env_file))
    return {
        setting: _Value(values[variable], location)
        for setting, variables in VARIABLES.items()
        for location, values in (file, ("environment", os.environ if environment is None else environment))
        for variable in reversed(variables)
        if values.get(variable)
    }


def _serve(get: Callable[[str], str | None]) -> dict[str, Any]:
    """The settings of the service."""
    return {
        "serve_host": get("serve_host") or "127.0.0.1",
        "serve_port": int(_number("GEAR_SERVE_PORT", get("serve_port") or "8765")),
        "serve_keys_file": _file(get("serve_keys_file")),
        "serve_allowed_hosts": _list(get("serve_allowed_hosts")),
        "serve_allowed_origins": _list(get("serve_allowed_origins")),
        "serve_public_url": get("serve_public_url"),
        "serve_memory": int(_numbers("GEAR_SERVE_MEMORY", get("serve_memory") or "1024", count=1, least=1)[0]),
        "serve_oidc_issuer": get("serve_oidc_issuer"),
        "serve_audiences": _list(get("serve_audiences")),
        "serve_oidc_client": get("serve_oidc_client"),
        "serve_oidc_secret": get("serve_oidc_secret"),
        "serve_rights_file": _file(get("serve_rights_file")),
        "serve_audit": _file(get("serve_audit")),
        "serve_audit_required": _switch("GEAR_SERVE_AUDIT_REQUIRED", get("serve_audit_required") or "off"),
        "serve_audit_texts": _switch("GEAR_SERVE_AUDIT_TEXTS", get("serve_audit_texts") or "off"),
        "serve_log_questions": _switch("GEAR_SERVE_LOG_QUESTIONS", get("serve_log_questions") or "off"),
    }


def _file(text: str | None) -> Path | None:
    return Path(text).expanduser() if text else None


def _list(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _switch(name: str, text: str) -> bool:
    if text.lower() not in ("on", "off"):
        raise SettingsError(f"{name} is {text!r}: it must be on or off")
    return text.lower() == "on"


def _price(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    paid, received = _numbers("GEAR_CHAT_PRICE", text, count=2, least=0)
    return paid, received


def _number(name: str, text: str) -> float:
    return _numbers(name, text, count=1)[0]


def _numbers(name: str, text: str, *, count: int, least: float = 1) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(least <= number < float("inf") for number in numbers):
        wanted = "a number" if count == 1 else f"{count} numbers with a comma between them"
        raise SettingsError(f"{name} is {text!r}: it must be {wanted}, {least:g} or more")
    return numbers


def _file_values(env_file: Path | None) -> dict[str, str]:
    if env_file is None:
        return {}
    if not env_file.is_file():
        raise SettingsError(f"{env_file} is not a file: --env names a file of NEO4J_... lines")
    try:
        # A password may contain ${...}, which is literal.
        values = dotenv_values(env_file, interpolate=False)
    except UnicodeDecodeError as error:
        raise SettingsError(f"{env_file} is not UTF-8 text: --env names a file of NEO4J_... lines") from error
    return {key: value for key, value in values.items() if value is not None}
