"""Writes the files of a bulk import in parallel parts: passages with their triples, then all entities.

Ray Data groups a passage and its triples into one part. The name of an entity is chosen among its spellings in all
parts, so each part lists them by key, and the entities are written last. All machines must see the folder.
"""

import json
import pickle
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import uuid4

from gear_neo4j.domain import digest
from gear_neo4j.extraction.reader import BulkReader
from gear_neo4j.gear.connecting import resolve_chat, resolve_embedder
from gear_neo4j.gear.extractors import Extract, bulk_readers
from gear_neo4j.ingestion.admin.corpus_tables import CorpusTables, ExportReport
from gear_neo4j.ingestion.admin.export import make_folder, store_row
from gear_neo4j.ingestion.admin.seen import Seen
from gear_neo4j.ingestion.admin.tables import CORPUS, STORE, Tables, explained, write_arguments
from gear_neo4j.ingestion.chunking import CHUNK_SIZE, check_size
from gear_neo4j.ingestion.limits import DEFAULT_LIMITS, Limits
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.naming import names_offline
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.ingestion.reading import Location, PassageBatch, TripleBatch, require_content, size_of
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.integrations.ray.cluster import DEFAULT_CREW, Crew, Processes, cluster
from gear_neo4j.integrations.ray.datasets import READING, dataset_of, embedders, paths_of, read, results, rows_of
from gear_neo4j.integrations.ray.pieces import Packed, Row, unpacked
from gear_neo4j.integrations.ray.stages import Job, read_passage_rows, read_triple_rows
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset

    from gear_neo4j.integrations.ray.datasets import Sources

# Size of the input of a part, which is in the memory of its process several times.
BYTES_A_PART = 64 << 20
# Maximum number of files with entities; each is made from one file of every part.
ENTITY_FILES = 64
NAMES_AT_ONCE = 10_000
NOWHERE = Location("", 0)
Share: TypeAlias = PassageBatch | TripleBatch


@dataclass(frozen=True, slots=True)
class WrittenPart(Packed):
    """The counts of a part, and its problems."""

    report: ExportReport
    problems: Sequence[Problem]


def export(
    sources: "Sources",
    *,
    folder: Path,
    triples: "Sources" = (),
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    extract: Extract = "rules",
    chunk_size: int = CHUNK_SIZE,
    follow_links: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    crew: Crew = DEFAULT_CREW,
    parts: int | None = None,
    on_problem: Callable[[Problem], None] = lambda _: None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> ExportReport:
    """Write the files of a bulk import on the Ray cluster that this process is connected to, or on this machine.

    The imported graph equals that of ``gear export`` in one process. If two texts have the same id, the one from the
    first file by name is kept.

    Args:
        sources: as for :func:`gear_neo4j.integrations.ray.ingest`.
        folder: a new folder that every machine can write to.
        triples: JSONL files, or a dataset whose rows have the fields of their lines.
        extract: the extractor for passages without triples in the files: the rules, the rules and the chat model
            (``model``), or none (``none``). A worker sends ``GEAR_CHAT_CONCURRENCY`` requests at once; if a part is
            repeated, replies in the cache are not paid for twice.
        parts: the number of parts; by default one for each 64 MiB of files, and at least one for each worker. A part
            must fit into the memory of a worker.

    The other options are those of :func:`gear_neo4j.integrations.ray.ingest`.

    Raises:
        InputError: a JSONL file is missing or empty, the folder is not empty, or a disk is full; the folder is then
            left empty.
        ModelError: there is no chat model, it failed permanently, or a worker's first ten passages yielded no triple.
        SettingsError: the extra ``[ray]`` is not installed.
    """
    check_size(chunk_size)
    files = files_to_ingest(paths_of(sources), paths_of(triples), follow_links=follow_links)
    require_content(files.passages, files.triples)
    make_folder(folder)
    named = names_offline(files)
    for path, reason in named.problems:
        on_problem(Problem(str(path), 0, reason))
    usable = [path for path in files.passages if path in named.names]
    job = Job(settings=settings or Settings.load(), embedder=embedder, chunk_size=chunk_size, limits=limits)
    with cluster(), _emptied_on_error(folder):
        processes = crew.on_cluster()
        most = max(processes.workers, -(-size_of((*files.passages, *files.triples)) // BYTES_A_PART))
        bulk = Bulk(folder.resolve(), job, extract, processes, parts or most, on_problem, on_progress)
        return bulk.run(rows_of(sources, usable, named.names), rows_of(triples, files.triples))


@dataclass(frozen=True, slots=True)
class Bulk:
    """One export: its folder, job and extractor, the numbers of processes and parts, and the callbacks."""

    folder: Path
    job: Job
    extract: Extract
    processes: Processes
    parts: int
    on_problem: Callable[[Problem], None]
    on_progress: Callable[[Progress], None]

    def run(self, passages: "Dataset", triples: "Dataset") -> ExportReport:
        """Write the parts, then the entities."""
        # First, so that a model that cannot be loaded is reported at once.
        store = store_row(resolve_embedder(self.job.settings, self.job.embedder))
        report, entity_files = ExportReport(), min(self.parts, ENTITY_FILES)
        for done, part in enumerate(self._parts(passages, triples, entity_files), start=1):
            report.add(part.report)
            for problem in part.problems:
                self.on_problem(problem)
            self.on_progress(Progress("parts", done, max(done, self.parts), report.triples))
        for done, count in enumerate(self._entities(entity_files), start=1):
            report.entities += count
            self.on_progress(Progress("entities", done, entity_files, report.entities))
        self._finish(store)
        return report

    def _parts(self, passages: "Dataset", triples: "Dataset", entity_files: int) -> Iterator[WrittenPart]:
        divide = partial(split_rows, job=self.job, parts=self.parts)
        shares = read(passages, partial(divide, reader=read_passage_rows))
        shares = shares.union(read(triples, partial(divide, reader=read_triple_rows)))
        options = embedders(self.job, self.folder, self.extract, entity_files, processes=self.processes)
        return results(shares.groupby("part").map_groups(WritePart, batch_format="pyarrow", **options))

    def _entities(self, files: int) -> Iterator[int]:
        rows = dataset_of([[{"number": number}] for number in range(files)])
        return results(rows.map(partial(write_entities, folder=self.folder), num_cpus=READING))

    def _finish(self, store: Sequence[object]) -> None:
        """Remove temporary files, and write the store and the options of the import."""
        for spellings in self.folder.glob("part-*/spellings-*.jsonl"):
            spellings.unlink()
        # Drafts of dead processes.
        for draft in self.folder.glob(".*"):
            rmtree(draft)
        with Tables(self.folder, (STORE,)) as tables:
            tables.write(STORE, [store])
            tables.finish()
        write_arguments(self.folder)


def split_rows(table: "pa.Table", *, job: Job, reader: Callable[..., Iterator[Row]], parts: int) -> Iterator[Row]:
    """Read batches from rows, and split them by part."""
    for row in reader(table, job):
        for batch in unpacked(row).batches:
            shares = split(batch, parts)
            yield {"part": list(shares), "piece": [pickle.dumps(share) for share in shares.values()]}


def split(batch: Share, parts: int) -> dict[int, Share]:
    """The share of each part in a batch; the problems go to one of them."""
    shares: dict[int, Any] = defaultdict(type(batch))
    if isinstance(batch, PassageBatch):
        for passage, at in zip(batch.passages, batch.locations, strict=True):
            share = shares[_number(passage.id, parts)]
            share.passages.append(passage)
            share.locations.append(at)
    else:
        for triple in batch.triples:
            shares[_number(triple.passage_id, parts)].triples.append(triple)
        for id in batch.completed:
            shares[_number(id, parts)].completed.append(id)
        for id, at in batch.locations.items():
            shares[_number(id, parts)].locations[id] = at
    shares[next(iter(shares), 0)].problems = batch.problems
    return shares


class WritePart:
    """Writes each part into its own folder; holds the embedding model."""

    def __init__(self, job: Job, folder: Path, extract: Extract, entity_files: int) -> None:
        self._job, self._folder, self._extract, self._entity_files = job, folder, extract, entity_files

    def __call__(self, group: "pa.Table") -> dict[str, list[bytes]]:
        """Write all shares of a part."""
        shares = sorted(map(pickle.loads, group["piece"].to_pylist()), key=_first_location)
        triples = [share for share in shares if isinstance(share, TripleBatch)]
        problems: list[Problem] = []
        with (
            _draft_of(self._folder / f"part-{group['part'][0].as_py():05}") as draft,
            Seen(draft) as seen,
            Tables(draft, CORPUS) as tables,
        ):
            corpus = CorpusTables(tables, seen, self._embedder, readers=self._readers, on_problem=problems.append)
            for share in triples:
                corpus.expect(share)
            for share in shares:
                if isinstance(share, PassageBatch):
                    corpus.write_passages(share)
            for share in triples:
                corpus.write_triples(share)
            corpus.write_header()
            self._list_spellings(draft, seen)
            tables.finish()
        return {"piece": [pickle.dumps(WrittenPart(corpus.report, problems))]}

    @cached_property
    def _embedder(self) -> Embedder:
        return resolve_embedder(self._job.settings, self._job.embedder)

    @cached_property
    def _readers(self) -> list[BulkReader]:
        return bulk_readers(self._extract, chat=partial(resolve_chat, None, self._job.settings))

    def _list_spellings(self, folder: Path, seen: Seen) -> None:
        lines: dict[int, list[str]] = defaultdict(list)
        for entity in seen.entities():
            lines[_number(entity[0], self._entity_files)].append(json.dumps(entity) + "\n")
        for number, some in lines.items():
            with explained(self._folder), (folder / f"spellings-{number:02}.jsonl").open("w") as file:
                file.writelines(some)


def write_entities(row: Row, *, folder: Path) -> Row:
    """Write some of the entities, each with its name among the spellings of all parts."""
    number = row["number"]
    with (
        _draft_of(folder / f"entities-{number:02}") as draft,
        Seen(draft) as seen,
        Tables(draft, ("Entity",)) as tables,
    ):
        for path in sorted(folder.glob(f"part-*/spellings-{number:02}.jsonl")):
            with path.open() as file:
                while lines := list(islice(file, NAMES_AT_ONCE)):
                    seen.name(dict(map(json.loads, lines)))
        tables.write("Entity", seen.entities())
        tables.finish()
        return {"piece": pickle.dumps(seen.count())}


@contextmanager
def _draft_of(folder: Path) -> Iterator[Path]:
    """A draft folder that is renamed after the block, unless an earlier run has already written the folder."""
    draft = folder.with_name(f".{folder.name}-{uuid4().hex}")
    with explained(folder.parent):
        draft.mkdir()
    try:
        yield draft
        if not folder.exists():
            draft.rename(folder)
    finally:
        rmtree(draft, ignore_errors=True)


@contextmanager
def _emptied_on_error(folder: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        for path in folder.iterdir():
            rmtree(path) if path.is_dir() else path.unlink()
        raise


def _number(id: str, numbers: int) -> int:
    """A number for an id, the same on every machine."""
    return int(digest(id)[:8], 16) % numbers


def _first_location(share: Share) -> Location:
    locations = share.locations if isinstance(share, PassageBatch) else share.locations.values()
    return min(locations, default=NOWHERE)
