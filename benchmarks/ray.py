"""An extraction on Ray, compared with one process: ``python -m benchmarks.ray``.

A scripted model takes some time per reply, and a worker sends it four requests at once: all wait for the model. Each
run has a collection with the same passages, whose triples are compared. The start of processes is reported separately:
a rate counts from the first written passages.
"""

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

from rich.console import Console

from benchmarks.made import SyntheticCorpus, WordVectors
from benchmarks.measure import fresh_server, machine
from gear_neo4j import Gear, Settings
from gear_neo4j.domain import digest
from gear_neo4j.extraction.run import ExtractionReport
from gear_neo4j.graph.queries import Query
from gear_neo4j.integrations.ray import Crew, cluster, extract

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "ray.json"
TRIPLES = Query(
    "triples",
    "MATCH (t:Triple)-[:FROM]->(p:Passage {collection: $collection}) "
    "RETURN substring(p.id, size($collection)) AS passage, t.subject AS subject, t.predicate AS predicate, "
    "t.object AS object, t.extractor AS extractor, p.extractors AS extractors "
    "ORDER BY passage, subject, predicate, object",
    frozenset({"collection"}),
)


class SlowModel(BaseHTTPRequestHandler):
    """Speaks OpenAI's protocol; makes triples from the words of a passage, after a while."""

    seconds: ClassVar[float] = 0.5
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """One reply."""
        length = int(self.headers["Content-Length"])
        words = str(json.loads(self.rfile.read(length))["messages"][-1]["content"]).split()
        time.sleep(self.seconds)
        triples = [[words[index], "is near", words[-1]] for index in range(-9, -1)]
        message = {"role": "assistant", "content": json.dumps({"triples": triples})}
        body = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "slow",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        payload = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds until the first passages were written, passages per second from then on, and the extracted triples."""

    first: float
    rate: float
    triples: str


def measured(gear: Gear, run: Callable[..., ExtractionReport], collection: str) -> Measured:
    """Extract from a collection."""
    times: list[tuple[float, int]] = []
    started = time.perf_counter()

    def on_progress(report: ExtractionReport) -> None:
        if report.done:
            times.append((time.perf_counter() - started, report.done))

    run(collection=collection, on_progress=on_progress)
    (first, before), (last, done) = times[0], times[-1]
    rows = gear.graph.database.run(TRIPLES, collection=collection)
    return Measured(first, (done - before) / (last - first), digest(json.dumps(rows)))


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ray", description=__doc__)
    parser.add_argument("--passages", type=int, default=480)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=0.5, help="that the model takes for a reply")
    options = parser.parse_args()
    SlowModel.seconds = options.seconds
    model = ThreadingHTTPServer(("127.0.0.1", 0), SlowModel)
    Thread(target=model.serve_forever, daemon=True).start()
    home = Path(tempfile.mkdtemp(prefix="gear-ray-"))
    settings = replace(
        Settings.load(), uri=None, name="bench-ray", database=None, home=home, chat_model="slow", chat_cache=False
    )
    settings = replace(settings, openai_base_url=f"http://127.0.0.1:{model.server_port}/v1", openai_api_key="none")
    rows = [
        {"id": passage.id, "title": passage.title, "text": passage.text}
        for batch in SyntheticCorpus(options.passages).batches()
        for passage, _ in batch
    ]
    (home / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    found: dict[str, Measured] = {}
    with fresh_server(settings) as server, cluster(cores=max(options.workers)):
        near = replace(settings, uri=server.uri, username=server.username, password=server.password)
        with Gear.connect(near, embedder=WordVectors()) as gear:
            runs: dict[str, Callable[..., ExtractionReport]] = {"one process": gear.corpus.extract}
            for workers in options.workers:
                crew = Crew(workers=workers, writers=2)
                runs[f"Ray, workers: {workers}"] = partial(extract, settings=near, embedder=WordVectors(), crew=crew)
            for number, (name, run) in enumerate(runs.items()):
                gear.ingest([home / "corpus.jsonl"], collection=f"c{number}", extract=False)
                found[name] = measured(gear, run, f"c{number}")
    model.shutdown()
    shutil.rmtree(home)
    base = found[f"Ray, workers: {options.workers[0]}"].rate
    results = {
        "machine": machine(settings.neo4j_version),
        "seconds_a_reply": options.seconds,
        "passages": options.passages,
        "rows": [
            {
                "run": name,
                "passages_a_second": round(one.rate, 1),
                "times_first_crew": round(one.rate / base, 2),
                "seconds_to_first": round(one.first, 1),
            }
            for name, one in found.items()
        ],
        "same_triples": len({one.triples for one in found.values()}) == 1,
    }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    Console().print_json(data=results)


if __name__ == "__main__":
    main()
