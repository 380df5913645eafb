"""The OpenAPI document, and, optionally, Swagger UI over it."""

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.openapi.utils import get_openapi
from starlette.responses import FileResponse, Response

from gear_neo4j.web.problems import MEDIA_TYPE

SwaggerFile = Literal["swagger-ui-bundle.js", "swagger-ui.css", "favicon.png"]
_SCRIPT, _STYLE, _ICON = get_args(SwaggerFile)
OPENAPI = "/openapi.json"
_DOCS = "/docs"
DOCS_PATHS = (_DOCS, OPENAPI, *(f"{_DOCS}/{name}" for name in get_args(SwaggerFile)))
# Swagger UI sets styles of elements, and draws its icons as data.
_DOCS_POLICY = (
    "default-src 'none'; script-src 'self' '{digest}'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'"
)
_KEYS = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}


def with_openapi(app: FastAPI) -> None:
    """Add ``/openapi.json``; the document is large, so it is made once, by the first request."""

    @cache
    def document() -> bytes:
        return json.dumps(_openapi_of(app), ensure_ascii=False, separators=(",", ":")).encode()

    @app.get(OPENAPI, include_in_schema=False)
    async def openapi() -> Response:
        return Response(document(), media_type="application/json")


def _openapi_of(app: FastAPI) -> dict[str, Any]:
    """The document, with the media type of problems and the two ways to send a key."""
    document = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    for path, methods in document["paths"].items():
        for operation in methods.values():
            _describe(path, operation)
    document["components"]["securitySchemes"] = _KEYS
    return document


def _describe(path: str, operation: dict[str, Any]) -> None:
    if path not in ("/healthz", "/readyz"):
        operation["security"] = [{name: []} for name in _KEYS]
    for status, response in operation["responses"].items():
        content = response.get("content", {})
        if int(status) >= 400 and content and not path.startswith("/v1/"):
            # Errors of routes that return a page or text are problems, too.
            response["content"] = {MEDIA_TYPE: next(iter(content.values()))}


def with_docs(app: FastAPI) -> None:
    """Add Swagger UI; its scripts come from a package, so that nothing is loaded from another host."""
    folder = Path(str(files("fastapi_offline"))) / "static"
    html = get_swagger_ui_html(
        openapi_url=OPENAPI,
        title=app.title,
        swagger_js_url=f"{_DOCS}/{_SCRIPT}",
        swagger_css_url=f"{_DOCS}/{_STYLE}",
        swagger_favicon_url=f"{_DOCS}/{_ICON}",
    )
    html.headers["Content-Security-Policy"] = _DOCS_POLICY.format(digest=_digest(bytes(html.body)))

    @app.get(_DOCS, include_in_schema=False)
    async def docs() -> Response:
        return html

    @app.get(_DOCS + "/{name}", include_in_schema=False)
    async def file(name: SwaggerFile) -> Response:
        return FileResponse(folder / name)


def _digest(page: bytes) -> str:
    """The digest by which a content security policy admits the only inline script of a page."""
    (script,) = re.findall(rb"<script>(.*?)</script>", page, re.DOTALL)
    return f"sha256-{b64encode(sha256(script).digest()).decode()}"
