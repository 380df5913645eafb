"""Does a job: ingests its files into its collection, or forgets a source there; both can be repeated."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from gear_neo4j.errors import NothingFound
from gear_neo4j.extraction.extractor import Rules
from gear_neo4j.gear import Gear
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.web.jobs.store import StoredJob

OnProgress = Callable[[Progress], None]


def perform(
    gear: Gear,
    stored: StoredJob,
    files: Mapping[Path, str],
    *,
    on_progress: OnProgress,
    on_problem: Callable[[Problem], None],
) -> dict[str, int]:
    """Do a job with the service's own ``Gear``, and return the counts of what it read, wrote and removed.

    Args:
        files: the names of its files, by path.

    Raises:
        GearError: an error in the files, without their paths, or of the database.
    """
    if stored.job.task == "forget":
        return _forget(gear, stored, on_progress)
    kinds = dict(zip(files, (file.kind for file in stored.job.files), strict=True))
    report = gear.ingest(
        [path for path, kind in kinds.items() if kind == "passages"],
        triples=[path for path, kind in kinds.items() if kind == "triples"],
        names=files,
        collection=stored.job.collection,
        readers=stored.options.readers,
        confined=True,
        replace=stored.options.replace,
        extract=stored.options.extract == "auto",
        on_progress=on_progress,
        on_problem=on_problem,
    )
    counts = {name: value for name, value in asdict(report).items() if isinstance(value, int)}
    return counts | (_extract(gear, stored, on_progress) if stored.options.extract == "rules" else {})


def _extract(gear: Gear, stored: StoredJob, on_progress: OnProgress) -> dict[str, int]:
    """Let the rules read every passage of the collection that they have not read, even if it has triples."""
    extracted = gear.corpus.extract(
        extractor=Rules.name,
        collection=stored.job.collection,
        on_progress=lambda report: on_progress(report.progress),
    )
    return {"passages_extracted": extracted.done, "triples_extracted": extracted.triples}


def _forget(gear: Gear, stored: StoredJob, on_progress: OnProgress) -> dict[str, int]:
    job = stored.job
    try:
        return asdict(gear.corpus.forget(job.source, collection=job.collection, exact=True, on_progress=on_progress))
    except NothingFound:
        # An earlier run was interrupted after its last batch.
        return {}
