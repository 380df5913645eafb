"""How datasets of Ray Data are made, run and read."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from gear_neo4j.errors import DatabaseError, GearError
from gear_neo4j.integrations.ray.cluster import Processes
from gear_neo4j.integrations.ray.pieces import Row, unpacked
from gear_neo4j.integrations.ray.sources import file_rows

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset

    Sources: TypeAlias = Dataset | Sequence[str | Path]

# The shares of a core that processes ask for: all stages then fit on a machine of one. That of reading is another one,
# or Ray would put it into the processes that embed. The crew bounds their numbers; writers wait for the server.
SHARE = 0.25
READING = 0.5
# Small, so that a stage can begin before the one in front of it has read a whole file.
BLOCK = 1 << 20
# After the driver's own attempts, with pauses of up to 32 s: a server may be away for a minute or two.
RETRIES = 8
MAY_PASS = ["no Neo4j server answers", "the server failed"]


def paths_of(sources: "Sources") -> Sequence[str | Path]:
    """The paths of sources; a dataset has none."""
    return sources if isinstance(sources, Sequence) else ()


def dataset_of(blocks: Sequence[Sequence[dict[str, Any]]]) -> "Dataset":
    """A dataset of blocks of rows."""
    import pyarrow as pa
    from ray.data import from_arrow

    return from_arrow([pa.Table.from_pylist(list(rows)) for rows in blocks])


def rows_of(sources: "Sources", files: Sequence[Path]) -> "Dataset":
    """The rows of sources: those of a dataset, or one for each file."""
    return dataset_of(file_rows(files)) if isinstance(sources, Sequence) else sources


def read(rows: "Dataset", reader: "Callable[[pa.Table], Iterator[Row]]") -> "Dataset":
    """What a reader makes of rows, a block at a time."""
    return rows.map_batches(reader, batch_size=None, batch_format="pyarrow", num_cpus=READING)


def actors(*arguments: object, most: int, least: int = 1) -> dict[str, Any]:
    """The options of a stage whose processes start on demand; each makes the stage from the arguments."""
    from ray.data import ActorPoolStrategy

    pool = ActorPoolStrategy(min_size=least, max_size=most)
    return {"fn_constructor_args": arguments, "compute": pool, "num_cpus": SHARE}


def embedders(*arguments: object, processes: Processes) -> dict[str, Any]:
    """The options of a stage that embeds: its processes have a GPU each, where there are any."""
    gpu = {"num_gpus": 1, "num_cpus": 0} if processes.gpus else {}
    return actors(*arguments, most=processes.gpus or processes.workers) | gpu


def results(dataset: "Dataset") -> Iterator[Any]:
    """What is packed in the rows of a dataset, each as it is done.

    Raises:
        GearError: another machine's.
        DatabaseError: Ray gave up.
    """
    from ray.exceptions import RayError, RayTaskError

    context = dataset.context
    context.target_max_block_size = BLOCK
    context.retried_map_errors, context.max_map_retries = MAY_PASS, RETRIES
    context.raise_original_map_exception = True
    context.enable_progress_bars = context.print_on_execution_start = False
    # A model may take as long as it likes.
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
