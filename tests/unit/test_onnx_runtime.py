"""ONNX Runtime sends no telemetry."""

import os
import sys

from tests.processes import run

LOAD = "from gear_neo4j.models.onnx_encoder import load_runtime; load_runtime()"


def test_the_runtime_keeps_no_events_to_send(tmp_path):
    """Otherwise its import makes an id and a database of events in the home folder."""
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    run([sys.executable, "-c", LOAD], env={**environment, "HOME": str(tmp_path)}, check=True)

    assert [] == [path.name for path in tmp_path.rglob("*") if path.is_file()]
