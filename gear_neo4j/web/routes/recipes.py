"""The retrievers and agents that a caller may choose, with their options."""

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from gear_neo4j.registry import AGENTS, RETRIEVERS, Registry
from gear_neo4j.web.bodies import Recipes, RecipeSchema
from gear_neo4j.web.choices import is_offered
from gear_neo4j.web.responses import Json, problems
from gear_neo4j.web.service import AnyCall

router = APIRouter(prefix="/api", tags=["retrieval"])


@router.get("/recipes", response_model=Recipes, responses=problems())
async def recipes(call: AnyCall) -> Response:
    """The retrievers and agents that the caller may use, and the JSON Schema of their options."""
    scoped = not call.caller.gear.scope.is_everything
    listed = Recipes(retrievers=list(_schemas(RETRIEVERS, scoped)), agents=list(_schemas(AGENTS, scoped)))
    return Json(listed.model_dump(mode="json"))


def _schemas(registry: Registry[Any], scoped: bool) -> Iterator[RecipeSchema]:
    for entry in registry:
        if is_offered(entry.recipe, scoped=scoped):
            yield RecipeSchema(
                name=entry.name,
                summary=entry.summary,
                requires_model=entry.recipe().requires_model,
                options=entry.recipe.model_json_schema(),
            )
