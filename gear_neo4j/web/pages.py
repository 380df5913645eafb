"""The page of the service: a shell at ``/``; modules and style have addresses that change with their content."""

import hashlib
from importlib.resources import files
from pathlib import Path
from string import Template

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

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
# The page holds nothing of the database: who has no key yet needs it to type one.
OPEN_PATHS = ("/", *(f"{STATIC}/{name}" for name in _FILES))


class _Unchanging(StaticFiles):
    """Files that a browser may keep for good: another content has another address."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, if it is one of the page."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = _FOREVER
        return response


def with_page(app: Starlette) -> None:
    """Add the page to an application."""
    shell = Template((FOLDER / _SHELL).read_text(encoding="utf-8")).substitute(static=STATIC, preloads=_preloads())

    async def page(request: Request) -> Response:
        headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache", "ETag": f'"{DIGEST}"'}
        if _is_known(request):
            # With the policy, too: a browser replaces the headers that it has kept.
            return Response(status_code=304, headers=headers)
        return HTMLResponse(shell, headers=headers)

    app.router.routes.append(Route("/", page, include_in_schema=False))
    app.router.routes.append(Mount(STATIC, _Unchanging(directory=FOLDER), name="static"))


def _preloads() -> str:
    """Modules are loaded at once, and not one after the other as each names the next."""
    modules = [name for name in _FILES if name.endswith(".js")]
    return "\n".join(f'<link rel="modulepreload" href="{STATIC}/{name}">' for name in modules)


def _is_known(request: Request) -> bool:
    """Whether the browser has this page already."""
    sent = request.headers.get("if-none-match", "").split(",")
    return f'"{DIGEST}"' in [tag.strip().removeprefix("W/") for tag in sent]
