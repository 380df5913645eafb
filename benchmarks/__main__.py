"""``make bench``: ours and alternatives, compared in one run, on synthetic corpora of growing size.

``--size small`` takes minutes, ``--size full`` ends at 1.5 million triples. Absolute times are for one machine only:
compare the ratios. Writes docs/benchmarks/results-SIZE.json, a table, and plots.
"""

import argparse
import json
import logging
import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import report, scale, steps
from benchmarks.made import SyntheticCorpus, WordVectors
from benchmarks.measure import disk_megabytes, in_own_process, machine, peak_megabytes
from gear_neo4j import Gear, Settings
from gear_neo4j.server import local

# Passages; ten times as many triples. The first is the size of musique_train100.
SIZES = {"smoke": (200,), "small": (1_724, 5_000), "full": (1_724, 15_000, 150_000)}
QUESTIONS = 200
# Up to this size, expansion without limits is fast enough for comparison.
EXACT_UP_TO = 20_000


def measure(passages: int, *, questions: int, keep: bool) -> dict[str, Any]:
    """All measurements of one size, on a separate server that is removed afterwards."""
    corpus = SyntheticCorpus(passages)
    settings = replace(Settings.load(), uri=None, name=f"bench-{passages}", database=None)
    folder = Path(tempfile.mkdtemp(prefix="gear-bench-")) / "corpus"
    known = (settings.home / "servers" / settings.name / "loaded.json") if keep else None
    server = local.start(name=settings.name, home=settings.home, version=settings.neo4j_version)
    try:
        if known and known.exists():
            loaded = json.loads(known.read_text())
        else:
            scale.write_files(corpus, folder)
            loaded = in_own_process(scale.load, settings, folder).result()
            loaded["disk_mb"] = disk_megabytes(server)
            if known:
                known.write_text(json.dumps(loaded))
        two_hop = corpus.questions(questions)
        with Gear.connect(settings, embedder=WordVectors()) as gear:
            results = {
                "passages": passages,
                "load": loaded,
                "expansion": steps.expansion(gear, two_hop),
                "searches": scale.retrievers(gear, two_hop),
                "keywords": scale.keywords(gear, two_hop[: questions // 2]),
                "throughput": scale.throughput(gear, two_hop),
                "server_mb": peak_megabytes(server.pid),
                "machine": machine(gear.graph.version),
            }
            if passages * 10 <= EXACT_UP_TO:
                results["hub_recall"] = steps.hub_recall(gear, two_hop)
        return results
    finally:
        local.stop(name=settings.name, home=settings.home)
        shutil.rmtree(folder.parent)
        if not keep:
            shutil.rmtree(server.home)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="small", help="how large it gets (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=report.FOLDER, help="where the results go (default: %(default)s)")
    parser.add_argument("--keep", action="store_true", help="keep the servers, and measure those that are there again")
    options = parser.parse_args()
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    if options.size == "full":
        os.environ.setdefault("GEAR_LOCAL_HEAP", "3g")
        os.environ.setdefault("GEAR_LOCAL_PAGECACHE", "5g")
    questions = 20 if options.size == "smoke" else QUESTIONS
    results = []
    for passages in SIZES[options.size]:
        results.append(measure(passages, questions=questions, keep=options.keep))
        report.write(results, options.out, name=options.size)
    report.show(Console(), results)


if __name__ == "__main__":
    main()
