"""The parts of a running service, and how routes get them."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Depends
from starlette.requests import Request

from gear_neo4j.errors import ModelError, SettingsError
from gear_neo4j.gear import Gear
from gear_neo4j.gear.front import within
from gear_neo4j.graph.read.memory import Memory
from gear_neo4j.threads import ThreadLimiter
from gear_neo4j.web.audit.changes import job_ended, keys_changed, rights_changed, started
from gear_neo4j.web.audit.events import begun
from gear_neo4j.web.audit.recorder import Recorder
from gear_neo4j.web.audit.writing import ChainWriter
from gear_neo4j.web.callers import Caller
from gear_neo4j.web.credentials import RightsUnknown
from gear_neo4j.web.disconnect import cancel_on_disconnect
from gear_neo4j.web.entry import Entry, entry_of
from gear_neo4j.web.jobs.queue import JobQueue
from gear_neo4j.web.jobs.store import StoredJob
from gear_neo4j.web.key_ring import KeyRing
from gear_neo4j.web.metrics import Metrics
from gear_neo4j.web.options import ServiceOptions
from gear_neo4j.web.quotas.counting import Quotas
from gear_neo4j.web.readiness import Readiness
from gear_neo4j.web.ring import Ring
from gear_neo4j.web.views import Views

if TYPE_CHECKING:
    from gear_neo4j.web.identity.people import People

Result = TypeVar("Result")
# Number of views narrowed by requests to keep, apart from those of keys: requests may ask for any number.
MOST_NARROWED = 8


@dataclass(frozen=True, slots=True)
class Service:
    """The parts shared by routes; ``gear`` sees everything: use it only as :mod:`gear_neo4j.web.writing` allows."""

    options: ServiceOptions
    views: Views
    narrowed: Views
    ring: Ring
    asks: ThreadLimiter
    searches: ThreadLimiter
    metrics: Metrics
    readiness: Readiness
    gear: Gear
    jobs: JobQueue
    uploads: BoundedSemaphore
    quotas: Quotas
    counts: ThreadLimiter
    mounted: frozenset[str] = frozenset()
    recorder: Recorder | None = None


def make_service(gear: Gear, options: ServiceOptions, *, mounted: Iterable[str] = ()) -> Service:
    """Make the parts of a service over one ``Gear``.

    Raises:
        SettingsError: the file of keys or of rights or the folder of the audit record cannot be used, or an extra is
            missing.
    """
    ring, recorder = _ring(options)
    memory = Memory(bytes=options.memory, refuses=True)
    gear = within(gear, memory)
    jobs = JobQueue(gear, options, ring=ring, on_end=partial(_record_job, recorder, ring))
    asks, searches = ThreadLimiter("questions", most=options.asks), ThreadLimiter("searches", most=options.searches)
    return Service(
        options=options,
        views=Views(gear),
        narrowed=Views(gear, most=MOST_NARROWED),
        ring=ring,
        asks=asks,
        searches=searches,
        metrics=Metrics({"ask": asks, "search": searches}, jobs=jobs.count, memory=lambda: memory.used),
        readiness=Readiness(gear),
        gear=gear,
        jobs=jobs,
        uploads=BoundedSemaphore(options.uploads),
        quotas=Quotas(gear.graph.usage),
        counts=ThreadLimiter("counts", most=options.searches),
        mounted=frozenset(mounted),
        recorder=recorder,
    )


def _ring(options: ServiceOptions) -> tuple[Ring, Recorder | None]:
    """Who may call, and the recorder, which also records when that changes."""
    identity, folder = options.identity, options.audit_folder
    keys, people = KeyRing(options.keys_file, required=options.requires_key), _people(options)
    if folder is None:
        return Ring(keys, people), None
    recorder = Recorder(ChainWriter(folder), required=options.audit_required, texts=options.audit_texts)
    recorder.put(started(keys.keys, identity.rights_file if identity else None))
    keys.on_change = lambda before, after: recorder.put(keys_changed(before, after))
    if people and identity:
        people.on_change = lambda: recorder.put(rights_changed(identity.rights_file))
    return Ring(keys, people), recorder


def _people(options: ServiceOptions) -> "People | None":
    identity = options.identity
    if identity is None:
        return None
    try:
        from gear_neo4j.web.identity.people import People
        from gear_neo4j.web.identity.provider import Provider
        from gear_neo4j.web.identity.tokens import TokenVerifier
    except ImportError as error:
        raise SettingsError("sign-in needs the extra: pip install 'gear-neo4j[oidc]'") from error
    provider = Provider(identity.issuer, client=identity.client, secret=identity.secret)
    return People(TokenVerifier(provider, identity.audiences), file=identity.rights_file)


def _record_job(recorder: Recorder | None, ring: Ring, stored: StoredJob) -> None:
    if recorder is None:
        return
    owner = None
    with suppress(RightsUnknown):
        owner = ring.current(stored.owner) if stored.owner else None
    recorder.put(job_ended(stored, owner))


@dataclass(frozen=True, slots=True)
class Call:
    """A request and its caller, as a route gets them."""

    request: Request
    caller: Caller
    service: Service

    @property
    def entry(self) -> Entry:
        """The entry of the request, for its log line and the metrics."""
        return entry_of(self.request.scope)

    @property
    def public_url(self) -> str:
        """The base of links to passages: the service's public address, or else the one in the request."""
        return self.service.options.public_url or str(self.request.base_url)

    def view(self, *, collections: Iterable[str] | None = None, where: object = None) -> Gear:
        """What the caller may see, narrowed by the request; never widened.

        Raises:
            SettingsError: a name or the filter cannot be used.
        """
        if collections is None and where is None:
            return self.caller.gear
        return self.service.narrowed.of(self.caller.gear.scope.narrowed(collections=collections, where=where))

    async def begin(self, target: Mapping[str, object]) -> None:
        """Record a write before it is done.

        Args:
            target: what it writes to, by name.

        Raises:
            Unrecorded: it cannot be recorded, and must be.
        """
        self.entry.target = target
        if recorder := self.service.recorder:
            await recorder.record(begun(self.request.scope, texts=recorder.texts))

    async def search(self, work: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
        """Run a search in a thread; cancel it if the client disconnects.

        Raises:
            TooManyCalls: the limit of concurrent searches is reached.
            CallTimeout: it took too long.
        """
        call = partial(work, *arguments, **options)
        seconds = self.service.options.search_seconds
        return await cancel_on_disconnect(self.request, self.service.searches.run(call, seconds=seconds))


def has_model(gear: Gear) -> bool:
    """Whether there is a chat model; this opens it, but does not call it."""
    try:
        _ = gear.chat
    except ModelError:
        return False
    return True


def call_of(request: Request) -> Call:
    """The call of a request."""
    caller = request.user
    assert isinstance(caller, Caller)
    return Call(request, caller, service_of(request))


def service_of(request: Request) -> Service:
    """The service of a request."""
    service = request.app.state.service
    assert isinstance(service, Service)
    return service


AnyCall = Annotated[Call, Depends(call_of)]
AnyService = Annotated[Service, Depends(service_of)]
