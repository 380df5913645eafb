"""What a user names on the command line, as files to read: documents, JSONL files of passages, and of triples."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.loaders import is_document, suffixes

WITHOUT_SUFFIX = "without suffix"


@dataclass(frozen=True, slots=True)
class Files:
    """The files that hold passages (documents and JSONL), those that hold triples, and how many of a kind do not."""

    passages: tuple[Path, ...]
    triples: tuple[Path, ...] = ()
    skipped: dict[str, int] = field(default_factory=dict)


def files_to_ingest(sources: Sequence[str | Path], triples: Sequence[str | Path] = ()) -> Files:
    """The files that sources stand for, each once; those of a folder and its folders sorted by name.

    A folder with ``corpus.jsonl`` is a data set: that file and perhaps ``triples.jsonl``. Of any other folder come all
    documents and JSONL files, but nothing hidden; files of other kinds are counted.

    Raises:
        InputError: a source does not exist, holds nothing that can be ingested, or cannot be read.
    """
    passages: list[Path] = []
    facts: list[Path] = []
    skipped: Counter[str] = Counter()
    for source in map(Path, sources):
        if source.is_dir():
            _add_folder(source, passages, facts, skipped)
        else:
            passages.append(_named_file(source))
    facts.extend(map(Path, triples))
    return Files(tuple(dict.fromkeys(passages)), tuple(dict.fromkeys(facts)), dict(sorted(skipped.items())))


def _named_file(source: Path) -> Path:
    if not source.exists():
        raise InputError(f"{source} does not exist: give documents, JSONL files of passages, or folders of them")
    if not source.is_file():
        raise InputError(f"{source} is neither a file nor a folder: give documents, JSONL files, or folders of them")
    if source.suffix.lower() != ".jsonl" and not is_document(source):
        raise InputError(f"{source} is of a kind that cannot be ingested: give {_kinds()}")
    return source


def _add_folder(folder: Path, passages: list[Path], facts: list[Path], skipped: Counter[str]) -> None:
    before = len(passages) + len(facts)
    for path in _files_in(folder):
        if path.name == "triples.jsonl":
            facts.append(path)
        elif path.is_file() and (path.suffix.lower() == ".jsonl" or is_document(path)):
            passages.append(path)
        else:
            skipped[path.suffix.lower() or WITHOUT_SUFFIX] += 1
    if len(passages) + len(facts) == before:
        raise InputError(f"{folder} holds nothing that can be ingested: give a folder with {_kinds()}")


def _files_in(folder: Path) -> Iterator[Path]:
    # A stack, for folders can stand deeper in each other than Python calls functions.
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        if not path.is_dir():
            yield path
        elif (path / "corpus.jsonl").is_file():
            yield from (path / name for name in ("corpus.jsonl", "triples.jsonl") if (path / name).is_file())
        else:
            waiting.extend(reversed(_children(path)))


def _children(folder: Path) -> list[Path]:
    try:
        children = sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror or error}") from error
    # A link to a folder may lead back to one above it.
    return [path for path in children if not path.name.startswith(".") and not (path.is_symlink() and path.is_dir())]


def _kinds() -> str:
    return f"{', '.join(suffixes())} or .jsonl"
