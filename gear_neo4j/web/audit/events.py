"""What is recorded of a request: who asked for what, which passages and documents they were shown, and how it ended."""

from collections.abc import Mapping
from typing import Any

from starlette.types import Scope

from gear_neo4j.web.credentials import Credential
from gear_neo4j.web.entry import entry_of
from gear_neo4j.web.identity.rights import Person

# The kind of a request by its method and path; a path that ends with / stands for those below it.
KINDS: Mapping[tuple[str, str], str] = {
    ("POST", "/api/search"): "search",
    ("POST", "/api/paths"): "paths",
    ("POST", "/api/ask"): "answer",
    ("POST", "/v1/chat/completions"): "answer",
    ("GET", "/api/passages/"): "passage",
    ("GET", "/api/entities"): "entities",
    ("GET", "/api/entities/"): "entity",
    ("GET", "/api/documents"): "documents",
    ("POST", "/api/documents"): "upload",
    ("DELETE", "/api/documents/"): "forget",
    ("DELETE", "/api/jobs/"): "cancel",
    ("GET", "/sign-in/back"): "sign-in",
    ("POST", "/sign-out"): "sign-out",
}
REFUSALS = frozenset({401, 403, 429})
# The status that nginx logs when the client has disconnected.
LEFT = 499


def kind_of(scope: Scope) -> str:
    """The kind of a request; empty if only its refusal is recorded.

    Example:
        >>> kind_of({"method": "GET", "path": "/api/passages/a/b"}), kind_of({"method": "GET", "path": "/healthz"})
        ('passage', '')
    """
    path = str(scope["path"])
    below = "/".join(path.split("/")[:3]) + "/"
    return KINDS.get((scope["method"], path)) or KINDS.get((scope["method"], below), "")


def begun(scope: Scope, *, texts: bool) -> dict[str, object]:
    """The entry of a request that begins something: a write, or a stream."""
    return {**_fields(scope, texts=texts), "outcome": "begun"}


def ended(scope: Scope, status: int, *, texts: bool) -> dict[str, object]:
    """The entry of a request that ends with a status."""
    error = entry_of(scope).error
    outcome = {"outcome": _outcome(status, error), "status": status}
    return {**_fields(scope, texts=texts), **outcome, **({"error": error} if error else {})}


def who_of(credential: Credential | None) -> dict[str, str]:
    """The holder of a credential; a key has the first digits of its id, because its name may be given to another."""
    if credential is None:
        return {}
    if isinstance(credential, Person):
        return {"issuer": credential.issuer, "subject": credential.subject, "name": credential.name}
    return {"key": credential.name, "id": credential.id[:16]}


def _fields(scope: Scope, *, texts: bool) -> dict[str, object]:
    entry, client = entry_of(scope), scope.get("client")
    what: dict[str, Any] = dict(entry.target)
    if entry.passages:
        what["passages"] = list(entry.passages)
    if documents := {document for document in entry.documents if document}:
        what["documents"] = sorted(documents)
    if texts and entry.question:
        what["question"] = entry.question
    return {
        "request": entry.id,
        "who": who_of(entry.credential) or dict(entry.refused),
        "address": client[0] if client else "",
        "kind": entry.kind or kind_of(scope) or "request",
        "what": what,
    }


def _outcome(status: int, error: str) -> str:
    if status in REFUSALS:
        return "refused"
    if status == LEFT:
        return "left"
    return "failed" if error or status >= 400 else "done"
