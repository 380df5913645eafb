"""``gear calibrate``: fit the thresholds of an evaluator on examples and store them for CRAG."""

from dataclasses import asdict
from pathlib import Path

import click

from gear_neo4j.agents.crag import Crag
from gear_neo4j.cli.flags import RecipeCommand, RecipeOptions, with_options_of
from gear_neo4j.cli.options import CHAT, EMBEDDING, with_settings
from gear_neo4j.cli.output import emit, json_option, require_folder
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.progress import counting
from gear_neo4j.evaluate.calibration import PRECISION, RECALL, calibrate, read_pairs
from gear_neo4j.models.embeddings import open_embedder
from gear_neo4j.models.openai import open_chat
from gear_neo4j.roles.calibrated import save_calibration
from gear_neo4j.roles.evaluators import open_evaluator
from gear_neo4j.settings import Settings

SHARE = click.FloatRange(min=0.5, max=1)


@click.command("calibrate", cls=RecipeCommand, recipe=Crag, only=("evaluator", "evaluator_model"))
@click.argument("pairs", type=click.Path(path_type=Path, exists=True))
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
    precision: float,
    recall: float,
    limit: int | None,
    json_file: Path | None,
    options: RecipeOptions,
    settings: Settings,
) -> None:
    """Fit the thresholds by which an evaluator separates relevant from irrelevant texts.

    PAIRS is a data set, or JSONL with question, text and relevant (true or false). The thresholds are stored;
    gear ask --agent crag uses them with this evaluator from then on.
    """
    recipe = with_options_of(Crag(), options)
    require_folder(settings.home)
    examples = read_pairs(pairs, limit=limit)
    evaluator = open_evaluator(
        recipe.evaluator,
        recipe.evaluator_model,
        embedder=lambda: open_embedder(settings),
        chat=lambda: open_chat(settings, cache=settings.chat_cache),
    )
    with counting("pairs", len(examples)) as advance:
        result, usage = calibrate(
            evaluator,
            examples,
            on=pairs.resolve().name,
            precision=precision,
            recall=recall,
            on_done=advance,
        )
    file = save_calibration(settings.home, evaluator.name, result)
    if emit(json_file, {"evaluator": evaluator.name, **asdict(result), "usage": asdict(usage)}):
        return
    upper, lower = result.thresholds.upper, result.thresholds.lower
    say(
        f"{evaluator.name}: correct from {upper:.3f} (precision {result.precision:.0%}), incorrect below {lower:.3f} "
        f"(recall {result.recall:.0%}); {result.pairs:,} pairs from {result.on}, stored in {file}"
    )
