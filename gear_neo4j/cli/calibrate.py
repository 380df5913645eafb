"""``gear calibrate``: the thresholds of an evaluator, found on examples and kept for CRAG."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from gear_neo4j.cli.agents import EVALUATOR, evaluator_from
from gear_neo4j.cli.options import CHAT, settings_from, with_options
from gear_neo4j.cli.output import require_folder
from gear_neo4j.cli.progress import counting
from gear_neo4j.evaluate.calibration import PRECISION, RECALL, calibrate, read_pairs
from gear_neo4j.models.embeddings import open_embedder
from gear_neo4j.models.openai import open_chat
from gear_neo4j.roles.calibrated import keep

SHARE = click.FloatRange(min=0.5, max=1)


@click.command("calibrate")
@click.argument("pairs", type=click.Path(path_type=Path, exists=True))
@with_options(EVALUATOR)
@click.option(
    "--precision", type=SHARE, default=PRECISION, show_default=True, help="Relevant pairs above the upper one."
)
@click.option("--recall", type=SHARE, default=RECALL, show_default=True, help="Relevant pairs above the lower one.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first questions.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@with_options(CHAT)
@click.option("--embedding-model", help="A sentence-transformers name or folder.  [GEAR_EMBEDDING_MODEL]")
def calibrate_command(
    pairs: Path, precision: float, recall: float, limit: int | None, as_json: bool, **given: Any
) -> None:
    """Find the thresholds at which an evaluator tells texts that help with a question from others.

    PAIRS is a data set, or JSONL with question, text and relevant (true or false). They are kept, and from then on
    gear ask --agent crag uses them with this evaluator.
    """
    evaluator_options = {key: given.pop(key) for key in ("evaluator", "evaluator_model")}
    settings = settings_from({**given, "env_file": None})
    require_folder(settings.home)
    found = read_pairs(pairs, limit=limit)
    chat = open_chat(settings, cache=settings.chat_cache) if evaluator_options["evaluator"] == "grader" else None
    embedder = open_embedder(settings)
    evaluator = evaluator_from(evaluator_options, embedder=embedder, chat=chat)
    with counting("pairs", len(found)) as advance:
        result, usage = calibrate(
            evaluator,
            found,
            on=pairs.resolve().name,
            precision=precision,
            recall=recall,
            on_done=advance,
        )
    file = keep(settings.home, evaluator.name, result)
    if as_json:
        click.echo(json.dumps({"evaluator": evaluator.name, **asdict(result), "usage": asdict(usage)}))
        return
    click.echo(
        f"{evaluator.name}: correct from {result.thresholds.upper:.3f} on ({result.precision:.0%} of the pairs there "
        f"are relevant), incorrect below {result.thresholds.lower:.3f} ({result.recall:.0%} of the relevant pairs are "
        f"above); {result.pairs:,} pairs of {result.on}, kept in {file}"
    )
