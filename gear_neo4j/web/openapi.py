"""The OpenAPI document, and FastAPI's page of it for those who want it."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from gear_neo4j.web.problems import MEDIA_TYPE

DOCS_PATHS = ("/docs", "/openapi.json")
_CDN = "https://cdn.jsdelivr.net"
_DOCS_POLICY = (
    f"default-src 'none'; script-src {_CDN} 'unsafe-inline'; style-src {_CDN}; img-src data: "
    "https://fastapi.tiangolo.com; connect-src 'self'; frame-ancestors 'none'"
)
_KEYS = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}


def openapi_of(app: FastAPI) -> dict[str, Any]:
    """The document of an application, made once: problems with their media type, and the two ways to send a key."""
    if app.openapi_schema is None:
        document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        for path, methods in document["paths"].items():
            for operation in methods.values():
                _describe(path, operation)
        document["components"]["securitySchemes"] = _KEYS
        app.openapi_schema = document
    return app.openapi_schema


def _describe(path: str, operation: dict[str, Any]) -> None:
    if path not in ("/healthz", "/readyz"):
        operation["security"] = [{name: []} for name in _KEYS]
    for status, response in operation["responses"].items():
        content = response.get("content", {})
        if int(status) >= 400 and content and not path.startswith("/v1/"):
            # A route that answers with a page, or with text, fails with a problem, too.
            response["content"] = {MEDIA_TYPE: next(iter(content.values()))}


def with_docs(app: FastAPI) -> None:
    """Add the page of the API, whose scripts the browser fetches from a CDN."""

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        page = get_swagger_ui_html(openapi_url="/openapi.json", title=app.title)
        page.headers["Content-Security-Policy"] = _DOCS_POLICY
        return page
