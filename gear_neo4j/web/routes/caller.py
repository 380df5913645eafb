"""The caller and its rights."""

from collections.abc import Iterable

from fastapi import APIRouter
from starlette.responses import Response

from gear_neo4j.web.bodies import Rights
from gear_neo4j.web.identity.rights import Person
from gear_neo4j.web.responses import Json, problems
from gear_neo4j.web.service import AnyCall
from gear_neo4j.web.uploads import ACCEPTED
from gear_neo4j.web.writing import refusal_of

router = APIRouter(prefix="/api", tags=["service"])


@router.get("/caller", response_model=Rights, responses=problems())
async def caller(call: AnyCall) -> Response:
    """What the caller may see, and which types of files it may upload."""
    scope = call.caller.gear.scope
    writes = call.service.options.uploads_folder is not None and not refusal_of(call.caller)
    rights = Rights(
        name=call.caller.name,
        signed_in=isinstance(call.caller.credential, Person),
        collections=_sorted(scope.collections),
        principals=_sorted(scope.principals),
        filtered=scope.where is not None,
        accepts=list(ACCEPTED) if writes else [],
    )
    return Json(rights.model_dump(mode="json"))


def _sorted(names: Iterable[str] | None) -> list[str] | None:
    return None if names is None else sorted(names)
