"""Creates, runs and reads datasets of Ray Data."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from gear_neo4j.errors import DatabaseError, GearError
from gear_neo4j.ingestion.reading import NO_NAMES
from gear_neo4j.ingestion.sources import paths_in
from gear_neo4j.integrations.ray.cluster import Processes
from gear_neo4j.integrations.ray.pieces import Row, unpacked
from gear_neo4j.integrations.ray.sources import file_rows

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset

    Sources: TypeAlias = Dataset | Sequence[str | Path] | str | Path

# The shares of a core that processes request, so that all stages fit on one core. The share for reading differs, or Ray
# would fuse it with embedding. The crew limits the number of processes; writers mostly wait for the server.
SHARE = 0.25
READING = 0.5
# Small, so that a stage can begin before the previous one has read a whole file.
BLOCK = 1 << 20
# After the driver's own retries, with pauses of up to 32 s: a server may be down for a minute or two.
RETRIES = 8
MAY_PASS = ["no Neo4j server answers", "the server failed"]


def paths_of(sources: "Sources") -> Sequence[str | Path]:
    """The paths of sources; empty for a dataset."""
    return paths_in(sources) if isinstance(sources, Sequence | Path) else ()


def dataset_of(blocks: Sequence[Sequence[dict[str, Any]]]) -> "Dataset":
    """A dataset of blocks of rows."""
    import pyarrow as pa
    from ray.data import from_arrow

    return from_arrow([pa.Table.from_pylist(list(rows)) for rows in blocks])


def rows_of(sources: "Sources", files: Sequence[Path], documents: Mapping[Path, str] = NO_NAMES) -> "Dataset":
    """The rows of a dataset, or one row per file, with the name of the document that it is."""
    return dataset_of(file_rows(files, documents)) if isinstance(sources, Sequence | Path) else sources


def read(rows: "Dataset", reader: "Callable[[pa.Table], Iterator[Row]]") -> "Dataset":
    """Apply a reader to rows, one block at a time."""
    return rows.map_batches(reader, batch_size=None, batch_format="pyarrow", num_cpus=READING)


def actors(*arguments: object, most: int, least: int = 1) -> dict[str, Any]:
    """The options of a stage whose processes start on demand; each creates the stage from the arguments."""
    from ray.data import ActorPoolStrategy

    pool = ActorPoolStrategy(min_size=least, max_size=most)
    return {"fn_constructor_args": arguments, "compute": pool, "num_cpus": SHARE}


def embedders(*arguments: object, processes: Processes) -> dict[str, Any]:
    """The options of an embedding stage; each process has a GPU, if there are any."""
    gpu = {"num_gpus": 1, "num_cpus": 0} if processes.gpus else {}
    return actors(*arguments, most=processes.gpus or processes.workers) | gpu


def results(dataset: "Dataset") -> Iterator[Any]:
    """The unpacked results of a dataset, as they are completed.

    Raises:
        GearError: an error of another machine.
        DatabaseError: Ray gave up.
    """
    from ray.exceptions import RayError, RayTaskError

    context = dataset.context
    context.target_max_block_size = BLOCK
    context.retried_map_errors, context.max_map_retries = MAY_PASS, RETRIES
    context.raise_original_map_exception = True
    context.enable_progress_bars = context.print_on_execution_start = False
    # A model may take any time.
    context.execution_no_progress_timeout_s = -1
    try:
        for row in dataset.iter_rows():
            yield unpacked(row)
    except RayTaskError as error:
        cause = getattr(error, "cause", None)
        if isinstance(cause, GearError):
            raise cause from error
        raise
    except RayError as error:
        raise DatabaseError(f"Ray gave up: {str(error).strip().partition(chr(10))[0]}") from error
