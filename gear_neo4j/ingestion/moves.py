"""Names the documents of an ingest; what is stored under their former names, and their readers, go along."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from gear_neo4j.errors import InputError
from gear_neo4j.graph.graph import Graph
from gear_neo4j.ingestion.naming import NamedFiles, SourceNames, named_files
from gear_neo4j.ingestion.renaming import rename_documents
from gear_neo4j.ingestion.versions import digest
from gear_neo4j.ingestion.writing import DOCUMENTS_A_BATCH, restrict


def name_documents(
    graph: Graph, names: SourceNames, files: Iterable[Path], *, roots: Mapping[Path, Path]
) -> NamedFiles:
    """Name the documents that files are; see :func:`named_files`."""
    named = named_files(names, files, roots=roots)
    rename_documents(graph, names.former, collection=names.collection)
    _keep_readers(graph, named, collection=names.collection)
    return named


def _keep_readers(graph: Graph, named: NamedFiles, *, collection: str) -> None:
    """Give new documents the readers of those whose content they have, and whose files are gone from the same folder.

    An ingest leaves what is stored under the former names.
    """
    moves = list(_moves(graph, named, collection=collection))
    for start in range(0, len(moves), DOCUMENTS_A_BATCH):
        batch = moves[start : start + DOCUMENTS_A_BATCH]
        readers = graph.readers.of([old for old, _ in batch], collection=collection)
        restrict(graph, {new: readers[old] for old, new in batch if old in readers}, collection=collection)


def _moves(graph: Graph, named: NamedFiles, *, collection: str) -> Iterator[tuple[str, str]]:
    """Pairs of the former and the present name of a document."""
    here = set(named.names.values())
    recorded = list(graph.manifest.read(None, below=named.below, collection=collection)) if named.below else []
    gone: defaultdict[str, deque[str]] = defaultdict(deque)
    for source in recorded:
        if source.digest and source.name not in here:
            gone[source.digest].append(source.name)
    known = {source.name for source in recorded}
    for path, name in named.names.items() if gone else ():
        if name not in known and (former := gone.get(_digest(path))):
            yield former.popleft(), name


def _digest(path: Path) -> str:
    try:
        return digest(path)
    except InputError:
        return ""
