"""Questions that count, add up, order, or limit: ``python -m benchmarks.aggregates GRAPH_DIR...``.

Each graph is imported and adopted on its own server; ``paths`` answers the questions of ``aggregates.jsonl`` without a
language model. An answer is *exact* if its rows equal the reference: the same nodes with the same values, in the same
order, except for ties, which a reference may cut. A number may be rounded as the graph rounds it. *Refused* means that
it reports a doubt. All others are *wrong*. ``--show HALF`` prints the questions of one half.
"""

import argparse
import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.measure import fresh_gear, machine
from gear_neo4j import Gear, Paths
from gear_neo4j.domain import Cypher, Hits
from gear_neo4j.evaluate import knowledge
from gear_neo4j.graph.queries import Query
from gear_neo4j.settings import Settings

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "aggregates.json"
QUESTIONS = "aggregates.jsonl"
# Maximum number of nodes of an answer.
MOST = 100
Outcome = Literal["exact", "refused", "wrong"]
OUTCOMES: tuple[Outcome, ...] = ("exact", "refused", "wrong")
HALVES = {"all": slice(None), "even": slice(0, None, 2), "odd": slice(1, None, 2)}


@dataclass(frozen=True, slots=True)
class Row:
    """A node of an answer: all its spellings, and its value."""

    written: frozenset[str]
    numbers: tuple[float, ...]
    value: object

    def is_written(self, reference: Sequence[object]) -> bool:
        """Whether every part of a reference row is the node's value or one of its properties."""
        return all(
            _text(part) in self.written or any(_same(part, own) for own in (self.value, *self.numbers))
            for part in reference
        )


def measure(folder: Path, settings: Settings) -> list[dict[str, Any]]:
    """The outcome of each question."""
    questions = [json.loads(line) for line in (folder / QUESTIONS).read_text("utf-8").splitlines()]
    with fresh_gear(settings) as gear:
        knowledge.provide(gear, knowledge.load(folder))
        return [_outcome(gear, question) for question in track(questions, folder.name)]


def _outcome(gear: Gear, question: Mapping[str, Any]) -> dict[str, Any]:
    hits = gear.search(question["question"], retriever=Paths(answers=MOST))
    statement = hits.figure.cypher if hits.figure else hits.entities[0].cypher if hits.entities else Cypher("")
    row = {"id": question["id"], "question": question["question"], "cypher": str(statement)}
    outcome: Outcome = "wrong"
    if hits.doubt:
        outcome = "refused"
    elif hits.figure:
        reference = question["result"]
        outcome = "exact" if len(reference) == 1 and _same(reference[0][0], hits.figure.value) else "wrong"
    elif hits.entities:
        outcome = "exact" if _is_exact(gear, hits, question) else "wrong"
    return {**row, "outcome": outcome}


def _is_exact(gear: Gear, hits: Hits, question: Mapping[str, Any]) -> bool:
    """Whether the nodes equal the reference; the order of ties does not matter."""
    reference, cypher = question["result"], hits.entities[0].cypher
    # Some references are in SQL, which finds the greatest by a query of its own.
    written = question.get("cypher") or question["sql"]
    is_ordered = bool(re.search(r"ORDER BY|\bM(?:AX|IN)\(", written))
    without_limit = re.sub(r"\nLIMIT \d+$", "", cypher.statement)
    rows = _rows(gear, replace(cypher, statement=without_limit))
    ours = [row for row in rows if row.written][: len(hits.entities)]
    indexes = [next((row for row in rows if row.is_written(part)), None) for part in reference]
    known = [row for row in indexes if row is not None]
    # The reference may stop within equals.
    ties = is_ordered and len({_text(row.value) for row in ours}) == 1
    if len(ours) != len(reference) and not (ties and len(ours) > len(reference) and "LIMIT" in written):
        return False
    if len(known) < len(reference) or len(set(map(id, known))) < len(known):
        return False
    if hits.entities[0].value is None:
        return known == ours if is_ordered else "LIMIT" in written or len(rows) == len(known)
    if not is_ordered:
        return len(known) == len(rows)
    return all(_same(row.value, other.value) for row, other in zip(known, ours, strict=False))


def _rows(gear: Gear, cypher: Cypher) -> list[Row]:
    query = Query("reference", cypher.statement, frozenset(cypher.parameters))
    rows = []
    for row in gear.graph.database.run(query, **cypher.parameters):
        node, value = row.values()
        parts = [part for held in dict(node).values() for part in (held if isinstance(held, list) else [held])]
        numbers = tuple(part for part in parts if isinstance(part, float))
        rows.append(Row(frozenset(map(_text, parts)), numbers, value))
    return rows


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return " ".join(str(value).casefold().split())


def _same(reference: object, value: object) -> bool:
    if isinstance(reference, int | float) and isinstance(value, int | float):
        rounded = round(reference, _decimals(value)) if isinstance(value, float) else reference
        return math.isclose(reference, value, rel_tol=1e-6, abs_tol=1e-9) or rounded == value
    return reference is not None and _text(reference) == _text(value)


def _decimals(value: float) -> int:
    """The decimals of a number, at least one: a whole number is not rounded."""
    return max(1, len(str(value).partition(".")[2]))


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.aggregates", description=__doc__)
    parser.add_argument("graphs", nargs="+", type=Path)
    parser.add_argument("--show", choices=tuple(HALVES), help="print the questions of one half")
    arguments = parser.parse_args()
    settings = replace(Settings.load(), uri=None, name="bench-aggregates", database=None)
    results: dict[str, Any] = {"machine": machine(settings.neo4j_version), "graphs": {}}
    console = Console()
    table = Table("", "half", *OUTCOMES, title="percent of the questions")
    for folder in arguments.graphs:
        rows = measure(folder, settings)
        if arguments.show:
            _print(console, rows[HALVES[arguments.show]])
        name = folder.resolve().name
        results["graphs"][name] = {half: _shares(rows[part]) for half, part in HALVES.items()}
        for half, shares in results["graphs"][name].items():
            table.add_row(name, half, *(f"{shares[outcome]:.1f}" for outcome in OUTCOMES))
    console.print(table)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _shares(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    counts = Counter(row["outcome"] for row in rows)
    return {outcome: round(100 * counts[outcome] / len(rows), 1) for outcome in OUTCOMES}


def _print(console: Console, rows: Sequence[Mapping[str, Any]]) -> None:
    for row in rows:
        console.print(f"{row['outcome']:8} {row['question']}\n{row['cypher']}", markup=False, highlight=False)


if __name__ == "__main__":
    main()
