"""A saved search, answer or trace as a page with its paths."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import HTMLResponse, Response

from gear_neo4j.errors import InputError, ScopeRefusal
from gear_neo4j.explain import SavedRun, page, saved_from
from gear_neo4j.scope import EVERYTHING, Scope
from gear_neo4j.web.responses import problems
from gear_neo4j.web.service import AnyCall
from gear_neo4j.wire import run_from

# The page contains its style and script, and loads nothing.
PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "frame-ancestors 'self'; sandbox allow-scripts"
)
router = APIRouter(prefix="/api", tags=["answers"])


@router.post("/explain", response_class=HTMLResponse, responses=problems(422, 503, 504))
async def explain(body: dict[str, Any], call: AnyCall) -> Response:
    """The page of what `/api/search` or `/api/ask` returned; needs no database and no model."""
    html = await call.search(_page, body, call.caller.gear.scope)
    return HTMLResponse(html, headers={"Content-Security-Policy": PAGE_POLICY})


def _page(body: dict[str, Any], scope: Scope) -> str:
    saved = saved_from(run_from(body, name="the body"))
    if not scope.admits(_scope_of(saved)):
        raise ScopeRefusal("this was saved under another scope, and may hold what yours hides: use its own key")
    return page(saved)


def _scope_of(saved: SavedRun) -> Scope:
    try:
        return EVERYTHING.narrowed(**saved.scope)
    except TypeError as error:
        raise InputError("the body's scope cannot be read: send what the service returned") from error
