"""The page of the service: a shell at ``/``; the addresses of its scripts and style change with their content.

``/passages/ID``, the address of a passage in results, opens the page with that passage.
"""

import hashlib
from importlib.resources import files
from pathlib import Path
from string import Template
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from gear_neo4j.web.entry import entry_of

FOLDER = Path(str(files(__package__))) / "static"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_SHELL = "index.html"
_FOREVER = "public, max-age=31536000, immutable"
_FILES = sorted(path.name for path in FOLDER.iterdir() if path.suffix in (".js", ".css", ".svg"))


def _digest() -> str:
    digest = hashlib.sha256()
    for name in (_SHELL, *_FILES):
        digest.update(name.encode() + b"\0" + (FOLDER / name).read_bytes() + b"\0")
    return digest.hexdigest()[:16]


DIGEST = _digest()
STATIC = f"/static/{DIGEST}"
PASSAGES = "/passages/"
# The page needs no key, because users enter theirs on it; it contains no data from the database.
OPEN_PATHS = ("/", *(f"{STATIC}/{name}" for name in _FILES))


class _Unchanging(StaticFiles):
    """Files that a browser may cache forever, because new content gets a new address."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The response with a file."""
        entry_of(scope).route = "/static"
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = _FOREVER
        return response


def with_page(app: Starlette) -> None:
    """Add the page to an application."""
    shell = Template((FOLDER / _SHELL).read_text(encoding="utf-8")).substitute(static=STATIC, preloads=_preloads())

    async def page(request: Request) -> Response:
        entry_of(request.scope).route = "/"
        headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache", "ETag": f'"{DIGEST}"'}
        if _is_known(request):
            # With the policy, too: a browser replaces its cached headers.
            return Response(status_code=304, headers=headers)
        return HTMLResponse(shell, headers=headers)

    app.router.routes.append(Route("/", page, include_in_schema=False))
    app.router.routes.append(Route(PASSAGES + "{id:path}", _passage, include_in_schema=False))
    app.router.routes.append(Mount(STATIC, _Unchanging(directory=FOLDER), name="static"))


async def _passage(request: Request) -> Response:
    """Redirect to the page with a passage open, which checks with the caller's key whether there is such a passage."""
    entry_of(request.scope).route = PASSAGES + "{id}"
    return RedirectResponse(f"/#passage?id={quote(request.path_params['id'], safe='')}", status_code=303)


def _preloads() -> str:
    """Links that load all modules at once, instead of one after the other as each imports the next."""
    modules = [name for name in _FILES if name.endswith(".js")]
    return "\n".join(f'<link rel="modulepreload" href="{STATIC}/{name}">' for name in modules)


def _is_known(request: Request) -> bool:
    """Whether the browser has cached this page."""
    sent = request.headers.get("if-none-match", "").split(",")
    return f'"{DIGEST}"' in [tag.strip().removeprefix("W/") for tag in sent]
