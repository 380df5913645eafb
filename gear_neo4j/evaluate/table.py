"""Measures all systems of the table on the same questions, in one run over one database."""

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

from gear_neo4j.errors import ModelError
from gear_neo4j.evaluate import runs, systems
from gear_neo4j.evaluate.datasets import Dataset, EvaluationQuery
from gear_neo4j.evaluate.journal import Journals
from gear_neo4j.evaluate.poster import Row
from gear_neo4j.evaluate.published import SIZES, corpus_of, published
from gear_neo4j.gear import Gear


def measure_table(
    gear: Gear,
    dataset: Dataset,
    rows: Sequence[Row],
    queries: Sequence[EvaluationQuery],
    *,
    ks: Sequence[int],
    llm: str,
    separately: bool = False,
    journals: Journals | None = None,
    on_row: Callable[[Row], None] = lambda _: None,
    on_done: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """The table as JSON: ``rows`` has a summary per system, ``missing`` the reason why a system did not run.

    ``separately`` measures each k in a separate run, as in the paper. If a model fails, its row goes to ``missing``
    with the error, and the others are measured. ``journals`` record each result and return those of an interrupted run.
    """
    measured, missing = [], [{"label": row.label, "reason": row.reason} for row in rows if row.system is None]
    for row in rows:
        if row.system is None:
            continue
        on_row(row)
        try:
            results = systems.measure(
                gear, row.system, queries, ks=ks, separately=separately, journals=journals, on_done=on_done
            )
        except ModelError as error:
            missing.append({"label": row.label, "reason": str(error)})
            continue
        head = {"label": row.label, "questions": len(queries), "published": published(row.key, dataset.name)}
        measured.append({**head, **row.system.to_json(), **runs.summary(results, ks=ks)})
    return {
        **_header(gear, dataset),
        "questions": len(queries),
        "ks": list(ks),
        "llm": llm,
        "protocol": "paper" if separately else "one run",
        "claim": _claim(measured),
        "rows": measured,
        "missing": missing,
    }


def _header(gear: Gear, dataset: Dataset) -> dict[str, Any]:
    counts, corpus = gear.corpus.counts(), corpus_of(dataset.name)
    return {
        "dataset": dataset.name,
        "fingerprint": dataset.fingerprint,
        "passages": counts.passages,
        "triples": counts.triples,
        "embedding": gear.embedder.name,
        "neo4j": gear.graph.version,
        "version": version("gear-neo4j"),
        "other_corpus": corpus is not None and counts.passages != SIZES[corpus],
    }


def _claim(rows: Sequence[dict[str, Any]]) -> str:
    """The poster's claim on this data: GeAR takes fewer steps and fewer tokens than HippoRAG with IRCoT."""
    by_label = {row["label"]: row for row in rows}
    ours, theirs = by_label.get("GeAR"), by_label.get("HippoRAG 2 w/ IRCoT")
    if not (ours and theirs):
        return ""
    tokens = [(row["llm"]["input_tokens"] + row["llm"]["output_tokens"]) / row["questions"] for row in (ours, theirs)]
    holds = ours["steps"] < theirs["steps"] and tokens[0] < tokens[1]
    return (
        f"The poster's claim that GeAR takes fewer steps and fewer tokens than HippoRAG with IRCoT "
        f"{'holds' if holds else 'does not hold'} here: {ours['steps']:.2f} against {theirs['steps']:.2f} steps, "
        f"{tokens[0]:,.0f} against {tokens[1]:,.0f} tokens a question."
    )
