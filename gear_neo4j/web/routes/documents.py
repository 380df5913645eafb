"""Documents: upload, list and forget them; jobs do the writing."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from gear_neo4j.errors import TooManyCalls
from gear_neo4j.ingestion.job import Job
from gear_neo4j.web.responses import Json, problems
from gear_neo4j.web.service import AnyCall
from gear_neo4j.web.uploads import UploadForm, received
from gear_neo4j.web.writing import grant, require_source, require_whole, require_writer
from gear_neo4j.wire import documents, to_json

PATH = "/api/documents"
LONGEST_SOURCE = 2_000
router = APIRouter(prefix=PATH, tags=["documents"])
# Described here, because the route reads the form only after it has checked that its caller may write.
FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"multipart/form-data": {"schema": UploadForm.model_json_schema()}},
    }
}
Source = Annotated[str, Query(max_length=LONGEST_SOURCE)]


@router.post(
    "",
    status_code=202,
    response_model=documents.Job,
    responses=problems(404, 409, 422, 503, 504, 507),
    openapi_extra=FORM,
)
async def send(call: AnyCall) -> Response:
    """Accept files to ingest: documents of all kinds, JSONL of passages, and in `triples` JSONL of triples."""
    require_writer(call.caller)
    service = call.service
    if not service.uploads.acquire(blocking=False):
        raise TooManyCalls("too many uploads at once: try again")
    try:
        async with received(call.request, most_files=service.options.upload_files) as upload:
            held = grant(call.caller, upload.collection)
            await call.search(require_whole, service.gear, call.caller.gear, held, upload.documents)
            files = [file.name for file in upload.sent]
            await call.begin({"collection": held.collection, "files": files})
            job = await run_in_threadpool(service.jobs.submit, held, upload.options, upload.sent)
    finally:
        service.uploads.release()
    return _accepted(call, job)


@router.get("", response_model=documents.Sources, responses=problems(422, 503, 504))
async def sources(
    call: AnyCall,
    collection: str | None = None,
    after: Source = "",
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> Response:
    """The sources of the passages that the caller sees, in order; `next` is the `after` of the next page."""
    view = call.view(collections=None if collection is None else [collection])
    page = await call.search(view.corpus.sources, after=after, limit=limit)
    call.entry.documents = [row.source for row in page.sources]
    return Json(to_json(page))


@router.delete(
    "/{source:path}",
    status_code=202,
    response_model=documents.Job,
    responses=problems(404, 422, 503, 504, 507),
)
async def forget(source: str, collection: str, call: AnyCall) -> Response:
    """Forget a source of a collection, with all its passages and their triples."""
    held = grant(call.caller, collection)
    await call.search(require_source, call.service.gear, call.caller.gear, held, source)
    await call.begin({"collection": held.collection, "document": source})
    return _accepted(call, await run_in_threadpool(call.service.jobs.forget, held, source))


def _accepted(call: AnyCall, job: Job) -> Response:
    call.entry.target = {**call.entry.target, "job": job.id}
    return Json(to_json(job), 202, {"Location": f"/api/jobs/{job.id}"})
