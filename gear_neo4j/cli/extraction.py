"""``gear ingest``: what was extracted, and the cost of an extraction by a model before, during and after it."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from gear_neo4j.cli.options import Decorator, grouped
from gear_neo4j.cli.printing import say
from gear_neo4j.cli.progress import stages
from gear_neo4j.cli.screen import errors
from gear_neo4j.extraction.extractor import Model, Rules
from gear_neo4j.extraction.forecast import Forecast, forecast
from gear_neo4j.extraction.run import ExtractionReport, Failure
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.text.wording import pluralize
from gear_neo4j.usage import Usage

Price = tuple[float, float] | None
AUTO = "auto"
NONE = "none"
MODEL_OPTIONS: Sequence[Decorator] = (
    click.option(
        "--max-tokens",
        type=click.IntRange(min=1),
        help="With --extract model: token budget; no passage is started beyond it.",
    ),
    click.option("--retry-failed", is_flag=True, help="With --extract model: also retry passages that failed before."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionOptions:
    """The source of triples for passages, and the limits of a language model.

    Raises:
        click.UsageError: a limit is given without a model.
    """

    extractor: str
    max_tokens: int | None
    retry_failed: bool

    def __post_init__(self) -> None:
        if (self.max_tokens or self.retry_failed) and self.extractor in (AUTO, NONE, Rules.name):
            raise click.UsageError("--max-tokens and --retry-failed are for a language model: add --extract model")

    @property
    def wants_model(self) -> bool:
        """Whether a language model is to read passages."""
        return self.extractor == Model.name


def with_extraction(extract: Decorator) -> Decorator:
    """Add ``--extract`` and the limits of a model to a command, which receives them as ``extracting``."""
    return grouped("extracting", ExtractionOptions, (extract, *MODEL_OPTIONS))


def extract(run: Callable[..., ExtractionReport], *, price: Price, **options: Any) -> ExtractionReport:
    """Run an extraction with its options, such as ``gear.corpus.extract``; failures are reported as they occur."""
    with _progress_shown(price) as on_progress:
        return run(on_failure=_print_failure, on_progress=on_progress, **options)


def print_rules(report: IngestReport, *, price: Price) -> None:
    """Print what the rules extracted, and what a language model would cost for the same passages."""
    usage = forecast(report.passages_extracted, report.characters_extracted).usage
    triples = pluralize(report.triples_extracted, "triple")
    say(
        f"{triples} from {pluralize(report.passages_extracted, 'passage')} by rules; "
        f"--extract model would add a language model's, with about {usage.input_tokens:,} tokens in, "
        f"{usage.output_tokens:,} out{_money(usage, price)}"
    )


def print_forecast(forecast: Forecast, *, price: Price) -> None:
    """Print what an extraction would cost."""
    usage = forecast.usage
    say(
        f"extraction: {pluralize(forecast.passages, 'passage')}, one call each; "
        f"about {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out{_money(usage, price)}"
    )


def print_extracted(report: ExtractionReport, *, price: Price) -> None:
    """Print the result of an extraction and its cost."""
    about = "about " if report.usage.estimated else ""
    cached = f" and {report.usage.cached:,} from the cache" if report.usage.cached else ""
    say(
        f"{pluralize(report.triples, 'triple')} from {pluralize(report.done, 'passage')}; "
        f"{pluralize(report.usage.calls, 'call')}{cached}, "
        f"{about}{pluralize(report.usage.tokens, 'token')}{_money(report.usage, price)}"
        + (f"; {pluralize(report.malformed, 'malformed triple')} left out" if report.malformed else "")
    )


def left_over(report: ExtractionReport) -> Iterator[str]:
    """What an extraction did not finish, and how to finish it."""
    if report.stopped:
        passages = pluralize(report.total - report.done - report.failed, "passage")
        yield f"stopped at the token budget with {passages} left: run the command again to continue"
    if report.failed:
        yield f"no triples from {pluralize(report.failed, 'passage')}, see above; --retry-failed tries them again"


def _money(usage: Usage, price: Price) -> str:
    return f", cost {usage.cost(price):,.2f}" if price else ""


@contextmanager
def _progress_shown(price: Price) -> Iterator[Callable[[ExtractionReport], None]]:
    """Show passages, rate, tokens and cost so far."""
    started = time.monotonic()
    with stages() as show:

        def report_on(report: ExtractionReport) -> None:
            done = report.done + report.failed
            rate = done / max(time.monotonic() - started, 1e-9)
            cost = f"{pluralize(report.usage.tokens, 'token')}{_money(report.usage, price)}"
            note = f"{done:,} of {report.total:,}, {rate:.1f}/s, {pluralize(report.triples, 'triple')}, {cost}"
            show("extraction", done, report.total, note)

        yield report_on


def _print_failure(failure: Failure) -> None:
    errors.print_line(str(failure), style="yellow")
