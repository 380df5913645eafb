"""Whether the service runs and is ready, and its metrics."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from gear_neo4j.errors import MigrationError, ScopeRefusal
from gear_neo4j.gear import Gear
from gear_neo4j.gear.doctor import Doctor
from gear_neo4j.web.bodies import Examination, Finding, Health
from gear_neo4j.web.problems import failure_response, http_failure
from gear_neo4j.web.responses import Json, problems
from gear_neo4j.web.service import AnyCall, AnyService
from gear_neo4j.wire import documents, to_json

AUDIT = "audit record"
OPEN_PATHS = ("/healthz", "/readyz")
router = APIRouter(tags=["service"])


@router.get("/healthz", response_model=Health, response_model_exclude_none=True)
async def healthz() -> Health:
    """The process runs; needs no key."""
    return Health()


@router.get("/readyz", response_model=Health, responses=problems(503))
async def readyz(request: Request, service: AnyService) -> Response:
    """The embedding model is loaded and the database available; else 503 names what is missing. Needs no key."""
    missing, recorder = list(await service.readiness.missing()), service.recorder
    unrecorded = recorder is not None and not await recorder.works()
    if unrecorded and service.options.audit_required:
        missing.append(AUDIT)
    if missing:
        return failure_response(request, http_failure(503, f"not ready, missing: {', '.join(missing)}"))
    health = Health(warning=f"the {AUDIT} cannot be written" if unrecorded else None)
    return Json(health.model_dump(exclude_none=True))


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}, **problems()})
async def metrics(call: AnyCall) -> Response:
    """Metrics in the format of Prometheus."""
    return Response(call.service.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/api/status", response_model=documents.Status, responses=problems(503, 504))
async def status(call: AnyCall) -> Response:
    """What the caller sees of the database, and the retrievers and agents for it."""
    return Json(to_json(await call.search(call.view().status)))


@router.get("/api/health", response_model=Examination, responses=problems(503, 504))
async def health(call: AnyCall) -> Response:
    """The findings of the doctor, for callers who may see the whole database."""
    gear = call.caller.gear
    if not gear.scope.is_everything:
        raise ScopeRefusal("the examination reads the whole database: use a key without restrictions")
    return Json((await call.search(_examination, gear)).model_dump(mode="json"))


def _examination(gear: Gear) -> Examination:
    try:
        profile = gear.overlay.profile()
    except MigrationError:
        # The examination gives the reason.
        profile = None
    examined = Doctor(gear.graph, gear.embedder, profile).examine()
    return Examination(
        findings=[
            Finding(level=finding.level, subject=finding.subject, detail=finding.detail, fix=finding.fix)
            for finding in examined.findings
        ]
    )
