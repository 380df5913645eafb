"""The retrievers and agents that a caller may choose, with their options."""

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from gear_neo4j.registry import AGENTS, RETRIEVERS, Registry
from gear_neo4j.scope import Scope
from gear_neo4j.web.bodies import Recipes, RecipeSchema
from gear_neo4j.web.choices import has_model, is_offered
from gear_neo4j.web.responses import Json, problems
from gear_neo4j.web.service import AnyCall

router = APIRouter(prefix="/api", tags=["retrieval"])


@router.get("/recipes", response_model=Recipes, responses=problems(504))
async def recipes(call: AnyCall) -> Response:
    """The retrievers and agents that the caller may use, and the JSON Schema of their options."""
    scope = call.caller.gear.scope
    listed = Recipes(
        has_model=await call.search(has_model, call.caller.gear),
        retrievers=list(_schemas(RETRIEVERS, scope)),
        agents=list(_schemas(AGENTS, scope)),
    )
    return Json(listed.model_dump(mode="json"))


def _schemas(registry: Registry[Any], scope: Scope) -> Iterator[RecipeSchema]:
    for entry in registry:
        if is_offered(entry.recipe, scope=scope):
            yield RecipeSchema(
                name=entry.name,
                summary=entry.summary,
                requires_model=entry.recipe().requires_model,
                options=entry.recipe.model_json_schema(),
            )
