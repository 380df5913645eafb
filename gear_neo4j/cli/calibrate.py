"""``gear calibrate``: fit the thresholds of an evaluator on examples and store them for CRAG."""

from dataclasses import asdict
from pathlib import Path
from typing import get_args

import click

from gear_neo4j.agents.crag import Crag
from gear_neo4j.cli.options import CHAT, EMBEDDING, with_settings
from gear_neo4j.cli.output import emit, json_option, require_folder
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.progress import counting
from gear_neo4j.evaluate.calibration import PRECISION, RECALL, calibrate, read_pairs
from gear_neo4j.models.embeddings import open_embedder
from gear_neo4j.models.openai import open_chat
from gear_neo4j.roles.calibrated import save_calibration
from gear_neo4j.roles.evaluators import EvaluatorName, open_evaluator
from gear_neo4j.settings import Settings

SHARE = click.FloatRange(min=0.5, max=1)


@click.command("calibrate")
@click.argument("pairs", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--evaluator",
    type=click.Choice(get_args(EvaluatorName)),
    default=Crag().evaluator,
    show_default=True,
    help="What judges texts: the embedding model, the language model, or a cross-encoder.",
)
@click.option("--evaluator-model", help="The cross-encoder: a sentence-transformers model, or a folder.")
@click.option(
    "--precision",
    type=SHARE,
    default=PRECISION,
    show_default=True,
    help="Required precision above the upper threshold.",
)
@click.option(
    "--recall", type=SHARE, default=RECALL, show_default=True, help="Required recall above the lower threshold."
)
@click.option("--limit", type=click.IntRange(min=1), help="Number of questions to use.")
@json_option
@with_settings(CHAT, EMBEDDING)
def calibrate_command(
    pairs: Path,
    evaluator: EvaluatorName,
    evaluator_model: str | None,
    precision: float,
    recall: float,
    limit: int | None,
    json_file: Path | None,
    settings: Settings,
) -> None:
    """Fit the thresholds by which an evaluator separates relevant from irrelevant texts.

    PAIRS is a data set, or JSONL with question, text and relevant (true or false). The thresholds are stored;
    gear ask --agent crag uses them with this evaluator from then on.
    """
    recipe = Crag(evaluator=evaluator, evaluator_model=evaluator_model)
    require_folder(settings.home)
    examples = read_pairs(pairs, limit=limit)
    judge = open_evaluator(
        recipe.evaluator,
        recipe.evaluator_model,
        embedder=lambda: open_embedder(settings),
        chat=lambda: open_chat(settings, cache=settings.chat_cache),
    )
    with counting("pairs", len(examples)) as advance:
        result, usage = calibrate(
            judge,
            examples,
            on=pairs.resolve().name,
            precision=precision,
            recall=recall,
            on_done=advance,
        )
    file = save_calibration(settings.home, judge.name, result)
    if emit(json_file, {"evaluator": judge.name, **asdict(result), "usage": asdict(usage)}):
        return
    upper, lower = result.thresholds.upper, result.thresholds.lower
    say(
        f"{judge.name}: correct from {upper:.3f} (precision {result.precision:.0%}), incorrect below {lower:.3f} "
        f"(recall {result.recall:.0%}); {result.pairs:,} pairs from {result.on}, stored in {file}"
    )
