"""Passages and paths for a question, and one passage by its id."""

from dataclasses import replace

from fastapi import APIRouter
from starlette.responses import Response

from gear_neo4j.gear.requests import requested_retriever
from gear_neo4j.web.bodies import PathsBody, SearchBody
from gear_neo4j.web.responses import Json, problems
from gear_neo4j.web.runs import record_hits
from gear_neo4j.web.service import AnyCall
from gear_neo4j.wire import documents, passage_json, paths_json, to_json

router = APIRouter(prefix="/api", tags=["retrieval"])


@router.post("/search", response_model=documents.Search, responses=problems(422, 502, 503, 504))
async def search(body: SearchBody, call: AnyCall) -> Response:
    """The best passages for a question, and the paths that led to them."""
    call.entry.question = body.question
    recipe = requested_retriever(body.retriever, base=body.base)
    view = call.view(**body.narrowing)
    hits = await call.search(view.search, body.question, k=body.k, retriever=recipe, context=body.context)
    record_hits(call.entry, hits)
    return Json(to_json(hits))


@router.post("/paths", response_model=documents.Paths, responses=problems(422, 503, 504))
async def paths(body: PathsBody, call: AnyCall) -> Response:
    """The entities that a question names, and the paths between them."""
    call.entry.question = body.question
    view = call.view(**body.narrowing)
    connected = await call.search(view.paths, body.question)
    connected = replace(connected, paths=connected.paths[: body.limit], nodes=connected.nodes[: body.limit])
    call.entry.passages = list(dict.fromkeys(id for path in connected.paths for id in path.passage_ids))
    return Json(paths_json(body.question, connected))


@router.get("/passages/{id:path}", response_model=documents.PassageDocument, responses=problems(404, 503, 504))
async def passage(id: str, call: AnyCall) -> Response:
    """One passage, with its triples."""
    record = await call.search(call.view().passage, id)
    # The neighbours are of the same document.
    shown = [one.id for one in (record.previous, record.passage, record.next) if one]
    call.entry.passages, call.entry.documents = shown, [record.passage.source]
    return Json(passage_json(record, public_url=call.public_url))
