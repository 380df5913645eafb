"""What the caller has used of its quota."""

from fastapi import APIRouter
from starlette.responses import Response

from gear_neo4j.web.bodies import LimitStatus, QuotaStatus
from gear_neo4j.web.responses import Json, problems
from gear_neo4j.web.service import AnyCall

router = APIRouter(prefix="/api", tags=["service"])


@router.get("/quota", response_model=QuotaStatus, responses=problems(503, 504))
async def quota(call: AnyCall) -> Response:
    """What the caller has used of each limit of its quota; this request is not counted."""
    balances = await call.search(call.service.quotas.balances, call.caller.credential)
    limits = [
        LimitStatus(
            unit=balance.limit.unit,
            period=balance.limit.span,
            limit=balance.limit.most,
            used=balance.used,
            resets=balance.period.ends,
        )
        for balance in balances
    ]
    return Json(QuotaStatus(limits=limits).model_dump(mode="json"))
