"""Every route, with requests that its description allows or forbids: every response is as described."""

from collections import Counter
from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode, checks
from schemathesis.specs.openapi import checks as openapi

from tests.graphs import ingest
from tests.toy_model import FACTS, PASSAGES
from tests.web import scripted_gear, served

pytestmark = pytest.mark.one_server_line

EXAMPLES = 25
CHECKS = [
    checks.not_a_server_error,
    openapi.status_code_conformance,
    openapi.content_type_conformance,
    openapi.response_schema_conformance,
]
BOUNDED = settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def test_every_answer_is_one_that_is_described(database, embedder, server, tmp_path):
    """Status, media type and body; requests are generated from the description, valid and invalid."""
    ingest(database, embedder, tmp_path, PASSAGES, FACTS)
    sent = Counter()
    with scripted_gear(server, embedder) as (gear, _), served(gear, uploads_folder=tmp_path / "uploads") as (url, _):
        schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
        for found in schema.get_all_operations():
            for mode in GenerationMode:
                # A route without arguments cannot get a wrong one.
                with suppress(Unsatisfiable):
                    _send(found.ok(), mode, sent)

    paths = [("GET", "/api/documents"), *(("POST", f"/api/{name}") for name in ("search", "ask", "documents", "paths"))]
    assert min(sent[f"{method} {path}", mode] for method, path in paths for mode in GenerationMode) >= EXAMPLES // 2


def _send(operation, mode, sent):
    @BOUNDED
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case):
        sent[operation.label, mode] += 1
        case.call_and_validate(checks=CHECKS)

    send()
