"""The picture of paths: the position of each box and line, for a page to draw."""

from collections.abc import Sequence

from fastapi import APIRouter
from starlette.responses import Response

from gear_neo4j.domain import Path
from gear_neo4j.explain.layout import Box, picture
from gear_neo4j.graph.read.path_cypher import path_cypher
from gear_neo4j.text.printable import printable
from gear_neo4j.web.bodies import PictureBody, PictureBox, PictureLayout, PictureLine
from gear_neo4j.web.responses import Json, problems
from gear_neo4j.web.service import AnyCall, Call
from gear_neo4j.wire import browser_url, from_json

router = APIRouter(prefix="/api", tags=["answers"])


@router.post("/picture", response_model=PictureLayout, responses=problems(422, 503, 504))
async def draw(body: PictureBody, call: AnyCall) -> Response:
    """The layout of paths that `/api/search` or `/api/ask` returned; needs no database and no model."""
    paths = [from_json(Path, path.model_dump()) for path in body.paths]
    layout = await call.search(_layout, paths, _links(call, paths))
    return Json(layout.model_dump(mode="json"))


def _layout(paths: Sequence[Path], links: Sequence[str]) -> PictureLayout:
    layout = picture(paths)
    indexes = {id(box): index for index, box in enumerate(layout.boxes)}
    return PictureLayout(
        width=layout.width,
        height=layout.height,
        boxes=[_box(box) for box in layout.boxes],
        lines=[
            PictureLine(start=indexes[id(edge.start)], end=indexes[id(edge.end)], paths=list(edge.paths))
            for edge in layout.edges
        ],
        links=list(links),
    )


def _box(box: Box) -> PictureBox:
    triple = box.hop.triple if box.hop else None
    return PictureBox(
        kind=box.kind,
        x=round(box.x, 1),
        y=round(box.y, 1),
        width=box.width,
        height=box.height,
        paths=list(box.paths),
        name=printable(box.name),
        triple=printable(str(triple)) if triple else "",
        passage=triple.passage_id if triple else "",
        backward=bool(box.hop and box.hop.backward),
    )


def _links(call: Call, paths: Sequence[Path]) -> list[str]:
    """The address of each path in Neo4j Browser; empty unless the caller may see everything."""
    gear = call.caller.gear
    uri = call.service.options.neo4j_uri if gear.scope.is_everything else None
    return [browser_url(path_cypher(path), uri=uri, database=gear.graph.name) for path in paths]
