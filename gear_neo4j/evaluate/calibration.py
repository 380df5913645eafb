"""The thresholds of an evaluator, fitted on question-text pairs with known relevance."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from gear_neo4j.domain import Passage
from gear_neo4j.errors import InputError
from gear_neo4j.evaluate import datasets
from gear_neo4j.ingestion.lines import Problem, parsed, read_lines, to_passage
from gear_neo4j.models.embeddings import SentenceTransformerEmbedder
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.rank.bm25 import BM25
from gear_neo4j.roles.calibrated import Calibration
from gear_neo4j.roles.evaluators import Evaluator, Thresholds
from gear_neo4j.usage import Usage

# Hard negatives for each question: the best passages by BM25 that are not gold.
OTHERS = 10
PRECISION, RECALL = 0.9, 0.95
# BM25 needs no vectors, so the model is never loaded.
_UNUSED = SentenceTransformerEmbedder()


@dataclass(frozen=True, slots=True)
class Pair:
    """A question, a text, and whether the text is relevant."""

    question: str
    text: str
    relevant: bool


def read_pairs(path: Path, *, limit: int | None = None) -> list[Pair]:
    """The pairs of a data set (gold passages, and ten hard negatives per question), or of a file.

    A file is JSONL with ``question``, ``text`` and ``relevant`` (true or false). ``limit`` is the number of questions.

    Raises:
        InputError: a line cannot be used, or the pairs are all of one kind.
    """
    pairs = list(_of_dataset(path, limit)) if path.is_dir() else _of_file(path)[: limit and limit * (OTHERS + 1)]
    if len({pair.relevant for pair in pairs}) < 2:
        raise InputError(f"{path} needs both relevant and irrelevant pairs")
    return pairs


def calibrate(
    evaluator: Evaluator,
    pairs: Sequence[Pair],
    *,
    on: str,
    precision: float = PRECISION,
    recall: float = RECALL,
    on_done: Callable[[int], None] = lambda _: None,
) -> tuple[Calibration, Usage]:
    """Fit both thresholds: precision above the upper one, recall of relevant pairs above the lower one.

    If no score reaches the precision, the upper threshold is that of the best F1. ``on_done`` is called with the number
    of newly scored pairs.

    Raises:
        ModelError: the evaluator failed.
    """
    scored: list[tuple[float, bool]] = []
    usage = Usage()
    for question, group in groupby(pairs, key=lambda pair: pair.question):
        batch = list(group)
        reply = evaluator.evaluate(question, [pair.text for pair in batch])
        usage += reply.usage
        scored += [(score, pair.relevant) for score, pair in zip(reply.value, batch, strict=True)]
        on_done(len(batch))
    upper, lower = _upper(scored, precision), _lower(scored, recall)
    thresholds = Thresholds(max(upper, lower), min(upper, lower))
    above = [relevant for score, relevant in scored if score >= thresholds.upper]
    retained = [score >= thresholds.lower for score, relevant in scored if relevant]
    shares = sum(above) / max(1, len(above)), sum(retained) / max(1, len(retained))
    return Calibration(thresholds, on, len(scored), *shares), usage


def _upper(scored: Sequence[tuple[float, bool]], precision: float) -> float:
    """The lowest score with the precision; if none, the score of the best F1."""
    total = sum(relevant for _, relevant in scored)
    best = (0.0, 1.0)
    threshold = None
    hits = 0
    for rank, (score, relevant) in enumerate(sorted(scored, key=lambda pair: (-pair[0], pair[1])), start=1):
        hits += relevant
        if hits / rank >= precision:
            threshold = score
        best = max(best, (2 * hits / (rank + total), score))
    return best[1] if threshold is None else threshold


def _lower(scored: Sequence[tuple[float, bool]], recall: float) -> float:
    """The highest score with the recall."""
    scores = sorted((score for score, scores in scored if scores), reverse=True)
    return scores[max(0, -(-int(len(scores) * recall * 1000) // 1000) - 1)]


def _of_dataset(folder: Path, limit: int | None) -> Iterator[Pair]:
    dataset = datasets.load(folder)
    lines = (parsed(line, to_passage) for line in read_lines(dataset.folder / "corpus.jsonl"))
    passages = {passage.id: passage for passage in lines if isinstance(passage, Passage)}
    index = BM25(list(passages.values()))
    for query in dataset.queries[:limit]:
        question = Question(query.question, embedder=_UNUSED)
        near = [item.id for item in index.rank(question, k=OTHERS + len(query.gold))]
        others = [id for id in near if id not in query.gold][:OTHERS]
        yield from (Pair(query.question, passages[id].content, relevant=True) for id in query.gold)
        yield from (Pair(query.question, passages[id].content, relevant=False) for id in others)


def _of_file(path: Path) -> list[Pair]:
    pairs = []
    for line in read_lines(path):
        pair = parsed(line, _to_pair)
        if isinstance(pair, Problem):
            raise InputError(str(pair))
        pairs.append(pair)
    return sorted(pairs, key=lambda pair: pair.question)


def _to_pair(row: dict[str, object]) -> Pair:
    question, text, relevant = row.get("question"), row.get("text"), row.get("relevant")
    if not (isinstance(question, str) and question.strip() and isinstance(text, str) and isinstance(relevant, bool)):
        raise ValueError('a pair needs "question", "text" and "relevant", which is true or false')
    return Pair(question, text, relevant)
