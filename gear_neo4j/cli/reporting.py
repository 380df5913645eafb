"""What long commands print while they work: progress, unusable lines and files, links that were not followed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from gear_neo4j.cli.printing import say
from gear_neo4j.cli.progress import stages
from gear_neo4j.cli.screen import errors
from gear_neo4j.ingestion import office
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.sync.report import SyncReport
from gear_neo4j.text.wording import pluralize

SHOWN_LINKS = 5


@contextmanager
def progress_shown(done: str = "written") -> Iterator[Callable[[Progress], None]]:
    """Show the stages of an ingest, and how many items each has done."""
    with stages() as show:
        yield lambda progress: show(progress.stage, progress.done, progress.total, f"{progress.written:,} {done}")


def report_links(links: Sequence[str]) -> None:
    """Print which links were not followed, the first few by name."""
    if links:
        shown = ", ".join([*links[:SHOWN_LINKS], *(["..."] if len(links) > SHOWN_LINKS else [])])
        line = f"{pluralize(len(links), 'link')} out of a folder not followed: {shown} (--follow-links follows them)"
        errors.print_line(line)


def report_other_names(names: Mapping[str, str]) -> None:
    """Print the names of folders whose own name was taken."""
    for folder, name in names.items():
        line = f"{folder} is the source {name!r}, because another source has its name (gear sources lists them)"
        errors.print_line(line)


def report_fields(counts: Mapping[str, int]) -> None:
    """Print the fields of a loader's documents that cannot be metadata, each with the number of documents."""
    if counts:
        fields = ", ".join(f"{name} ({count:,})" for name, count in counts.items())
        errors.print_line(f"fields left out of the metadata: {fields}")


def report_skipped(skipped: Mapping[str, int]) -> None:
    """Print how many files were of kinds that cannot be read, by suffix, if there are any."""
    if skipped:
        hint = "" if office.SUFFIXES.isdisjoint(skipped) else f"; {office.NEEDS_EXTRA}"
        say(f"{pluralize(sum(skipped.values()), 'file')} skipped: {', '.join(skipped)}{hint}", err=True)


def report_problem(problem: Problem) -> None:
    """Print a line or a file that could not be used."""
    errors.print_line(str(problem), style="yellow")


def left_out(unusable: str, report: IngestReport | SyncReport, *, command: str) -> Iterator[str]:
    """What an ingest or a sync did not do, and how to do it; ``unusable`` is the number of what could not be used."""
    if report.problems:
        yield f"{unusable} could not be used, see above; fix and {command} again"
    if report.kept_readers:
        documents = pluralize(report.kept_readers, "document")
        yield f"the readers of {documents} are unchanged, see above; --widen lets more people read"
