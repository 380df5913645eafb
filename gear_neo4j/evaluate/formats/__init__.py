"""Converters of published data sets to our format.

A file of questions with paragraphs: MuSiQue, HotpotQA, 2WikiMultihopQA, HippoRAG (with ``X_corpus.json`` and an
``openie_X_results*.json`` beside ``X.json``), IRCoT. A folder of BEIR.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.formats.beir import Beir
from gear_neo4j.evaluate.formats.pooled import CORPORA, QuestionFile
from gear_neo4j.evaluate.formats.questions import KNOWN
from gear_neo4j.evaluate.formats.rows import usable
from gear_neo4j.evaluate.formats.writing import SourceDataset, written_once
from gear_neo4j.ingestion.lines import read_lines

OURS = ("corpus.jsonl", "queries.jsonl")


@dataclass(frozen=True, slots=True)
class ConvertedDataset:
    """The name of a data set, and its folder in our format."""

    name: str
    folder: Path


def is_ours(path: Path) -> bool:
    """Whether a folder is a data set in our format, perhaps incomplete: it has one of the two files and is not BEIR.

    Raises:
        InputError: its corpus cannot be read.
    """
    return any((path / name).is_file() for name in OURS) and not _is_beir(path)


def converted(path: Path, *, home: Path) -> ConvertedDataset:
    """A data set of another format, converted to ours in a folder below ``home``, which is reused.

    Raises:
        InputError: the format is unknown, or an item is invalid; names file and position.
    """
    source = _source(path)
    return ConvertedDataset(source.name, written_once(source, home / "datasets"))


def _source(path: Path) -> SourceDataset:
    if path.is_dir():
        return Beir.of(path) if _is_beir(path) else QuestionFile.beside(_questions_in(path))
    if not path.is_file():
        raise InputError(f"{path} does not exist: give a data set's folder or its file of questions")
    return QuestionFile.beside(path)


def _is_beir(folder: Path) -> bool:
    if not all((folder / name).is_file() for name in OURS):
        return False
    first = next(read_lines(folder / "corpus.jsonl"), None)
    if (folder / "qrels").is_dir():
        return True
    return first is not None and b'"_id"' in (first.text or b"") and "id" not in usable(first)


def _questions_in(folder: Path) -> Path:
    candidates = list(_candidates(folder))
    with_corpus = [path for path in candidates if any((folder / f"{path.stem}{end}").is_file() for end in CORPORA)]
    candidates = with_corpus or candidates
    if not candidates:
        raise InputError(f"{folder} holds no data set: give corpus.jsonl and queries.jsonl, or a file of {KNOWN}")
    if len(candidates) > 1:
        names = ", ".join(path.name for path in candidates)
        raise InputError(f"{folder} holds several files of questions ({names}): choose one")
    return candidates[0]


def _candidates(folder: Path) -> Iterator[Path]:
    for path in sorted((*folder.glob("*.json"), *folder.glob("*.jsonl"))):
        if not path.name.endswith(CORPORA) and not path.name.startswith("openie"):
            yield path
