"""Jobs: the state of uploaded documents."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.sse import KEEPALIVE_COMMENT, EventSourceResponse, format_sse_event
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from gear_neo4j.ingestion.job import Job
from gear_neo4j.text.printable import json_text
from gear_neo4j.web.bodies import Jobs
from gear_neo4j.web.responses import Json, problems
from gear_neo4j.web.runs import PING_SECONDS
from gear_neo4j.web.service import AnyCall, Call
from gear_neo4j.web.writing import owner_of, require_writer
from gear_neo4j.wire import documents, to_json

LOOK_SECONDS = 0.2
router = APIRouter(prefix="/api/jobs", tags=["documents"])
STREAM = {
    "description": "Server-sent events `progress`, and `end` as the last one; their data are documents of kind `job`. "
    "`error`, a document of kind `problem`, is the last one if the caller's key becomes invalid before the job ends.",
    "content": {"text/event-stream": {"schema": {"type": "string"}}},
}


@router.get("", response_model=Jobs, responses=problems(404, 422, 503, 507))
async def jobs(call: AnyCall, limit: Annotated[int, Query(ge=1, le=200)] = 50) -> Response:
    """The newest jobs of the caller's key; a key that sees everything sees those of all keys."""
    newest = await run_in_threadpool(call.service.jobs.newest, call.caller, owner_of(call.caller), limit=limit)
    return Json({"jobs": [to_json(job) for job in newest]})


@router.get("/{id}", response_model=documents.Job, responses=problems(404, 503, 507))
async def job(id: str, call: AnyCall) -> Response:
    """One job: its state, its progress, and what could not be used."""
    return Json(to_json(await _look(call, id)))


@router.get("/{id}/events", response_class=Response, responses={200: STREAM, **problems(404, 503, 507)})
async def events(id: str, call: AnyCall) -> Response:
    """One job, sent again whenever it makes progress, until it ends."""
    first = await _look(call, id)
    return EventSourceResponse(_lines(call, first), headers={"X-Accel-Buffering": "no"})


@router.delete("/{id}", response_model=documents.Job, responses=problems(404, 503, 507))
async def cancel(id: str, call: AnyCall) -> Response:
    """Cancel a job: at once if it waits, at its next batch if it runs; what it has written stays."""
    require_writer(call.caller)
    await call.begin({"job": (await _look(call, id)).id})
    return Json(to_json(await run_in_threadpool(call.service.jobs.cancel, call.caller, id)))


async def _look(call: Call, id: str) -> Job:
    return await run_in_threadpool(call.service.jobs.get, call.caller, id)


async def _lines(call: Call, first: Job) -> AsyncIterator[bytes]:
    """The events of a job, with signs of life between them; they end with the job or with the service."""
    job, silent = first, 0.0
    yield _line(job)
    while not (job.has_ended or call.service.jobs.is_stopping):
        await asyncio.sleep(LOOK_SECONDS)
        earlier, job = job, await _look(call, job.id)
        silent = 0.0 if job != earlier else silent + LOOK_SECONDS
        if not silent:
            yield _line(job)
        elif silent >= PING_SECONDS:
            silent = 0.0
            yield KEEPALIVE_COMMENT


def _line(job: Job) -> bytes:
    return format_sse_event(data_str=json_text(to_json(job)), event="end" if job.has_ended else "progress")
