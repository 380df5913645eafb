"""``gear serve``: searches and answers over HTTP."""

import logging
from asyncio import to_thread
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gear_neo4j.cli.keys import KEYS_FILE, keys_file_of
from gear_neo4j.cli.options import CHAT, CONNECTION, EMBEDDING, RERANK, opened, own_server, with_settings
from gear_neo4j.cli.printing import LogLines, say
from gear_neo4j.cli.reporting import progress_shown
from gear_neo4j.domain import digest
from gear_neo4j.errors import SettingsError
from gear_neo4j.gear import Gear
from gear_neo4j.settings import Settings
from gear_neo4j.text.redaction import without_login
from gear_neo4j.web.identity.rights import FILE_NAME as RIGHTS_FILE
from gear_neo4j.web.identity.rights import read_rights
from gear_neo4j.web.keys import read_keys
from gear_neo4j.web.options import IdentityOptions, ServiceOptions, require_keys

if TYPE_CHECKING:
    from starlette.requests import Request

    from gear_neo4j.mcp.work import Work
    from gear_neo4j.web.app import Mount

MISSING = "the service needs the extra: pip install 'gear-neo4j[server]'"


@click.command()
@click.option("--host", help="The address to listen on.  [GEAR_SERVE_HOST; default: 127.0.0.1]")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Its port; 0 for any free one.  [GEAR_SERVE_PORT; default: 8765]"
)
@KEYS_FILE
@click.option(
    "--allowed-host",
    "allowed_hosts",
    multiple=True,
    help="A host name that requests may use; repeatable. Those of this machine are always allowed.  "
    "[GEAR_SERVE_ALLOWED_HOSTS]",
)
@click.option(
    "--allowed-origin",
    "allowed_origins",
    multiple=True,
    help="An origin whose pages may call the service, such as https://wiki.example.org; repeatable.  "
    "[GEAR_SERVE_ALLOWED_ORIGINS]",
)
@click.option("--public-url", help="The address of the service in links to passages.  [GEAR_SERVE_PUBLIC_URL]")
@click.option(
    "--oidc",
    "issuer",
    metavar="ISSUER",
    help="The provider that people sign in with, such as https://id.example.org.  [GEAR_SERVE_OIDC_ISSUER]",
)
@click.option(
    "--audience",
    "audiences",
    multiple=True,
    help="The name of this service in tokens of that provider; repeatable.  [GEAR_SERVE_AUDIENCES]",
)
@click.option(
    "--oidc-client",
    metavar="ID",
    help="The id of this service at that provider, to sign in on the page. GEAR_SERVE_OIDC_SECRET has its secret, if "
    "any.  [GEAR_SERVE_OIDC_CLIENT]",
)
@click.option(
    "--rights-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="What people who sign in may do.  [GEAR_SERVE_RIGHTS_FILE; default: rights.toml in GEAR_HOME]",
)
@click.option(
    "--audit",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Record who saw and changed what in files of this folder.  [GEAR_SERVE_AUDIT; off]",
)
@click.option(
    "--audit-required",
    is_flag=True,
    help="Answer nothing that cannot be recorded.  [GEAR_SERVE_AUDIT_REQUIRED; off]",
)
@click.option("--audit-texts", is_flag=True, help="Record questions, too.  [GEAR_SERVE_AUDIT_TEXTS; off]")
@click.option("--log-questions", is_flag=True, help="Write questions into the log.  [GEAR_SERVE_LOG_QUESTIONS; off]")
@click.option("--docs", is_flag=True, help="Serve Swagger UI at /docs.")
@click.option("--demo", "is_demo", is_flag=True, help="Serve forty short passages from a local Neo4j of their own.")
@with_settings(CHAT, CONNECTION, EMBEDDING, RERANK)
def serve(
    host: str | None,
    port: int | None,
    keys_file: Path | None,
    allowed_hosts: tuple[str, ...],
    allowed_origins: tuple[str, ...],
    public_url: str | None,
    issuer: str | None,
    audiences: tuple[str, ...],
    oidc_client: str | None,
    rights_file: Path | None,
    audit: Path | None,
    audit_required: bool,
    audit_texts: bool,
    log_questions: bool,
    docs: bool,
    is_demo: bool,
    settings: Settings,
) -> None:
    """Serve searches and answers over HTTP: a page, an API, and OpenAI's chat protocol.

    Without keys, only this machine can call it; gear keys add NAME makes one. With --oidc, people sign in with the
    provider of their organisation, and a rights file says what each of them may do. The log goes to standard error, a
    line of JSON for each request. Ctrl-C or SIGTERM stops it: requests under way are finished, for at most 30 seconds.
    With the extra [mcp], the MCP server is at /mcp.

    \b
    gear serve
    gear serve --host 0.0.0.0 --allowed-host gear.example.org
    """
    flags: dict[str, Any] = {
        "serve_host": host,
        "serve_port": port,
        "serve_keys_file": keys_file,
        "serve_allowed_hosts": allowed_hosts or None,
        "serve_allowed_origins": allowed_origins or None,
        "serve_public_url": public_url,
        "serve_oidc_issuer": issuer,
        "serve_audiences": audiences or None,
        "serve_oidc_client": oidc_client,
        "serve_rights_file": rights_file,
        "serve_audit": audit,
        "serve_audit_required": audit_required or None,
        "serve_audit_texts": audit_texts or None,
        "serve_log_questions": log_questions or None,
    }
    chosen = replace(settings, **{name: value for name, value in flags.items() if value is not None})
    _serve(chosen, docs=docs, is_demo=is_demo)


def _serve(settings: Settings, *, docs: bool, is_demo: bool) -> None:
    """Check everything that can be checked, connect, and serve."""
    try:
        from gear_neo4j.web.app import create_app
        from gear_neo4j.web.running import listen, run
    except ImportError as error:
        raise SettingsError(MISSING) from error
    options = _options(settings, docs=docs, is_demo=is_demo)
    with listen(settings.serve_host, settings.serve_port) as listener, _gear(settings, is_demo=is_demo) as gear:
        app = create_app(gear, options=options, mounts=_mounts(settings))
        with _logging():
            run(
                app,
                listener,
                on_start=lambda url: say(f"serving {gear.graph.name} at {url}; Ctrl-C stops it"),
                on_stop=app.state.service.jobs.stop,
            )
    say("stopped")


def _options(settings: Settings, *, docs: bool, is_demo: bool) -> ServiceOptions:
    """The options of the service.

    Raises:
        SettingsError: other machines could call it without a key, or options do not fit together.
    """
    file = keys_file_of(settings, settings.serve_keys_file)
    has_keys = bool(read_keys(file))
    identity = _identity(settings)
    if settings.serve_audit is None and (settings.serve_audit_required or settings.serve_audit_texts):
        raise SettingsError("--audit-required and --audit-texts need --audit, with the folder of the record")
    require_keys(settings.serve_host, settings.serve_allowed_hosts, has_keys=has_keys or identity is not None)
    return ServiceOptions(
        keys_file=file,
        requires_key=has_keys,
        identity=identity,
        allowed_hosts=(*settings.serve_allowed_hosts, *_own_names(settings.serve_host)),
        allowed_origins=settings.serve_allowed_origins,
        public_url=settings.serve_public_url,
        neo4j_uri=settings.uri,
        docs=docs,
        log_questions=settings.serve_log_questions,
        memory=settings.serve_memory << 20,
        uploads_folder=_uploads_folder(own_server(settings, "demo") if is_demo else settings),
        audit_folder=settings.serve_audit,
        audit_required=settings.serve_audit_required,
        audit_texts=settings.serve_audit_texts,
    )


def _identity(settings: Settings) -> IdentityOptions | None:
    """How people sign in; None if only keys are used.

    Raises:
        SettingsError: options of sign-in are there, but no provider, or one of them cannot be used.
    """
    if not settings.serve_oidc_issuer:
        if settings.serve_audiences or settings.serve_oidc_client:
            raise SettingsError("--audience and --oidc-client need --oidc, with the provider that people sign in with")
        return None
    rights_file = settings.serve_rights_file or settings.home / RIGHTS_FILE
    read_rights(rights_file)
    return IdentityOptions(
        issuer=settings.serve_oidc_issuer,
        rights_file=rights_file,
        audiences=settings.serve_audiences,
        client=settings.serve_oidc_client,
        secret=settings.serve_oidc_secret,
    )


def _uploads_folder(settings: Settings) -> Path:
    """The folder for uploads, one per database, because a job must not end up in another database."""
    server = (without_login(settings.uri), settings.database) if settings.uri else (settings.name,)
    return settings.home / "uploads" / digest(*(part or "" for part in server))


def _own_names(host: str) -> tuple[str, ...]:
    """The address that the service listens on, as clients write it; none if it listens on all."""
    if host in ("0.0.0.0", "::", ""):
        return ()
    return (f"[{host}]" if ":" in host and not host.startswith("[") else host,)


def _mounts(settings: Settings) -> "dict[str, Mount]":
    """The MCP server at ``/mcp``, if its extra is installed; a call sees what its key may see."""
    if find_spec("mcp") is None:
        return {}
    from gear_neo4j.mcp.calls import CLOSING_SECONDS, call_limiter
    from gear_neo4j.mcp.http import PATH, mounted
    from gear_neo4j.mcp.options import ServerOptions
    from gear_neo4j.mcp.server import make_server
    from gear_neo4j.web.app import Mount
    from gear_neo4j.web.audit.events import ended
    from gear_neo4j.web.entry import entry_of
    from gear_neo4j.web.quotas.calls import begin_call
    from gear_neo4j.web.service import call_of, service_of

    def gear_for(request: "Request | None") -> Gear:
        assert request is not None  # over HTTP there always is one
        begin_call(request)
        return call_of(request).caller.gear

    def log(request: "Request | None", work: "Work") -> None:
        assert request is not None
        entry = entry_of(request.scope)
        entry.kind, entry.question, entry.error = work.kind, work.question, work.error
        entry.passages, entry.documents, entry.usage = work.passages, work.documents, work.usage
        if entry.bill:
            entry.bill.settle()
        if work.kind and (recorder := service_of(request).recorder):
            recorder.record_now(ended(request.scope, 200, texts=recorder.texts))

    options = ServerOptions(
        public_url=settings.serve_public_url, neo4j_uri=settings.uri, has_model=bool(settings.chat_model)
    )
    hosts = (*settings.serve_allowed_hosts, *_own_names(settings.serve_host))
    limiter = call_limiter()
    server = make_server(gear_for, options=options, on_end=log, limiter=limiter)
    part = mounted(server, hosts=hosts, origins=settings.serve_allowed_origins)

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with part.lifespan():
            yield
        await to_thread(limiter.close, seconds=CLOSING_SECONDS)

    return {PATH: Mount(part.app, lifespan)}


@contextmanager
def _gear(settings: Settings, *, is_demo: bool) -> Iterator[Gear]:
    if not is_demo:
        with opened(settings) as gear:
            yield gear
        return
    from gear_neo4j.evaluate import datasets, runs

    dataset = datasets.load(Path(str(files("gear_neo4j.demo"))))
    with opened(own_server(settings, "demo"), create=True) as gear:
        with progress_shown() as on_progress:
            runs.provide(gear, dataset, on_progress=on_progress)
        yield gear


@contextmanager
def _logging() -> Iterator[None]:
    """Print the log of the service, including its lines for requests."""
    logger = logging.getLogger("gear_neo4j.web.access")
    logger.addHandler(handler := LogLines(logging.INFO))
    level, logger.propagate = logger.level, False
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = True
        logger.setLevel(level)
