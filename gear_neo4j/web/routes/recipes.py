"""The retrievers and agents that a caller may choose, with their options."""

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from gear_neo4j.gear import Gear
from gear_neo4j.graph.graph import Graph
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS, Registry
from gear_neo4j.web.bodies import Recipes, RecipeSchema
from gear_neo4j.web.responses import Json, problems
from gear_neo4j.web.service import AnyCall, has_model

router = APIRouter(prefix="/api", tags=["retrieval"])


@router.get("/recipes", response_model=Recipes, responses=problems(504))
async def recipes(call: AnyCall) -> Response:
    """The retrievers and agents that the caller may use, and the JSON Schema of their options."""
    listed = await call.search(_listed, call.caller.gear)
    return Json(listed.model_dump(mode="json"))


def _listed(gear: Gear) -> Recipes:
    return Recipes(
        has_model=has_model(gear),
        retrievers=list(_schemas(RETRIEVERS, gear.graph)),
        agents=list(_schemas(AGENTS, gear.graph)),
    )


def _schemas(registry: Registry[Any], graph: Graph) -> Iterator[RecipeSchema]:
    for entry in registry.offered(graph):
        yield RecipeSchema(
            name=entry.name,
            summary=entry.summary,
            requires_model=entry.recipe().requires_model,
            options=entry.recipe.model_json_schema(),
        )
