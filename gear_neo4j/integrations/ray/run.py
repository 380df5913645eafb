"""Runs the stages of an ingest as datasets of Ray Data, and adds up their reports."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gear_neo4j.extraction.extractor import Extractor
from gear_neo4j.extraction.run import CHARACTERS_A_TRIPLE, ExtractionReport, Failure
from gear_neo4j.gear.session import Session
from gear_neo4j.graph.graph import Graph
from gear_neo4j.graph.write.extraction_queue import Selection
from gear_neo4j.ingestion.finding import without_empty_sources
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.loaders import is_document
from gear_neo4j.ingestion.moves import name_documents
from gear_neo4j.ingestion.naming import Naming, SourceNames
from gear_neo4j.ingestion.pipeline import report_kept
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.reading import estimated_triples, require_content, size_of
from gear_neo4j.ingestion.report import IngestReport
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.ingestion.writing import record_given, restrict_sources
from gear_neo4j.integrations.ray.cluster import Processes
from gear_neo4j.integrations.ray.datasets import actors, dataset_of, embedders, paths_of, read, results, rows_of
from gear_neo4j.integrations.ray.pieces import Written
from gear_neo4j.integrations.ray.stages import (
    Embed,
    Extract,
    Job,
    Write,
    read_passage_rows,
    read_triple_rows,
)
from gear_neo4j.recipes.recipe import ExtractorRecipe
from gear_neo4j.recipes.registry import EXTRACTORS

if TYPE_CHECKING:
    from ray.data import Dataset

    from gear_neo4j.integrations.ray.datasets import Sources

# Passages per extraction task, which are read again if a process dies.
PASSAGES_A_STRETCH = 16
IDS_A_PAGE = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One ingest or extraction: the session of this process, and the numbers of processes."""

    session: Session
    job: Job
    processes: Processes

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self.session.graph

    def prepare(self) -> None:
        """Migrate the database and record the embedding model."""
        embedder = self.session.plain_embedder
        self.graph.prepare(model=embedder.name, dimension=embedder.dimension)

    def ingest(
        self,
        sources: "Sources",
        triples: "Sources",
        *,
        follow_links: bool,
        naming: Naming,
        on_problem: Callable[[Problem], None],
        on_progress: Callable[[Progress], None],
    ) -> IngestReport:
        """Passages first, then their triples."""
        files = files_to_ingest(paths_of(sources), paths_of(triples), follow_links=follow_links)
        require_content(files.passages, files.triples)
        self.prepare()
        report = IngestReport.of(files)
        names = SourceNames.load(self.graph.registry, collection=self.job.membership.collection, naming=naming)
        named = name_documents(self.graph, names, files.passages, roots=files.roots)
        report.other_names |= names.other
        report.problems += len(named.problems)
        for path, reason in named.problems:
            on_problem(Problem(str(path), 0, reason))

        kept: set[str] = set()

        def take(stage: str, given: "Sources", paths: Sequence[Path], reader: Callable[..., Iterator[Any]]) -> None:
            total, done = size_of(paths), 0
            for written in self._ingested(rows_of(given, paths, named.names), reader):
                done += written.size
                for outcome in written.outcomes:
                    report.add(outcome.report)
                    report.problems += len(outcome.problems)
                    for problem in outcome.problems:
                        on_problem(problem)
                    report_kept(outcome.kept, kept, report, on_problem)
                on_progress(Progress(stage, done, max(total, done), report.written(stage)))

        usable = [path for path in files.passages if path in named.names]
        for problem in restrict_sources(self.graph, names, named.below, self.job.membership):
            on_problem(problem)
        record_given(self.graph, (named.names[path] for path in usable if is_document(path)), self.job.membership)
        with without_empty_sources(self.graph, names):
            take("passages", sources, usable, read_passage_rows)
        if files.triples or not isinstance(triples, Sequence | Path):
            dimension, expected = self.session.plain_embedder.dimension, estimated_triples(files.triples)
            with self.graph.loading(dimension=dimension, expected=expected):
                take("triples", triples, files.triples, read_triple_rows)
        if report.entities_removed:
            self.graph.communities.delete_empty()
        return report

    def extract(
        self,
        recipe: ExtractorRecipe,
        *,
        again: bool = False,
        collection: str | None = None,
        on_failure: Callable[[Failure], None] = lambda _: None,
        on_progress: Callable[[ExtractionReport], None] = lambda _: None,
    ) -> ExtractionReport:
        """Extract triples from the waiting passages."""
        extractor: Extractor = EXTRACTORS.make(self.session, recipe)
        selection = Selection(extractor.name, None if again else extractor.beside, collection)
        job = replace(self.job, recipe=recipe, selection=selection)
        backlog = self.graph.extraction.backlog(selection, failed=job.retry_failed)
        report = ExtractionReport(extractor.name, backlog.passages, backlog.characters)
        if not backlog.passages:
            return report
        on_progress(report)
        length = PASSAGES_A_STRETCH if extractor.batch == 1 else extractor.batch
        expected = backlog.characters // CHARACTERS_A_TRIPLE if extractor.batch > 1 else 0
        with self.graph.loading(dimension=self.session.plain_embedder.dimension, expected=expected):
            stretches = [[stretch] for stretch in self._stretches(job, length)]
            # All at once: a model's replies take longer than starting a process.
            most = min(self.processes.workers, len(stretches))
            extracted = dataset_of(stretches).map(Extract, **actors(job, most=most, least=most))
            for written in self._written(extracted, job):
                for failure in written.failures:
                    on_failure(failure)
                if written.extraction:
                    report = _sum(report, written.extraction)
                on_progress(report)
        return report

    def _stretches(self, job: Job, length: int) -> Iterator[dict[str, Any]]:
        """Ranges of ids of waiting passages: the id before the first, the last id, and the number of passages."""
        assert job.selection
        after = ""
        while ids := self.graph.extraction.ids(job.selection, after=after, limit=IDS_A_PAGE, failed=job.retry_failed):
            for start in range(0, len(ids), length):
                stretch = ids[start : start + length]
                yield {"after": after, "last": stretch[-1], "passages": len(stretch)}
                after = stretch[-1]

    def _ingested(self, rows: "Dataset", reader: Callable[..., Iterator[Any]]) -> Iterator[Written]:
        return self._written(read(rows, partial(reader, job=self.job)), self.job)

    def _written(self, pieces: "Dataset", job: Job) -> Iterator[Written]:
        """Embed and write pieces; yields the outcomes as they are completed."""
        embedded = pieces.map(Embed, **embedders(job, processes=self.processes))
        return results(embedded.map(Write, **actors(job, most=self.processes.writers) | {"num_cpus": 0}))


def _sum(report: ExtractionReport, part: ExtractionReport) -> ExtractionReport:
    return replace(
        report,
        done=report.done + part.done,
        failed=report.failed + part.failed,
        triples=report.triples + part.triples,
        malformed=report.malformed + part.malformed,
        usage=report.usage + part.usage,
    )
