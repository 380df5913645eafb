"""Entities of the graph: by name, and one with its facts."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from gear_neo4j.web.responses import Json, problems
from gear_neo4j.web.service import AnyCall
from gear_neo4j.wire import documents, entities_json, to_json

router = APIRouter(prefix="/api", tags=["retrieval"])
LONGEST_NAME = 500
Name = Annotated[str, Query(min_length=1, max_length=LONGEST_NAME)]


@router.get("/entities", response_model=documents.Entities, responses=problems(422, 503, 504))
async def entities(name: Name, call: AnyCall) -> Response:
    """The entity with a name first, then those with similar names."""
    found = await call.search(call.view().entities, name)
    call.entry.target = {"entities": [entity.id for entity in found]}
    return Json(entities_json(name, found))


@router.get("/entities/{id:path}", response_model=documents.EntityDocument, responses=problems(404, 503, 504))
async def entity(id: str, call: AnyCall) -> Response:
    """One entity, its facts by passage, and its neighbours; only some of them for a hub."""
    record = await call.search(call.view().entity, id)
    call.entry.target = {"entity": record.entity.id}
    call.entry.passages = list(dict.fromkeys(fact.triple.passage_id for fact in record.facts))
    return Json(to_json(record))
