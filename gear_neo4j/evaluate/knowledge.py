"""Questions over a knowledge graph: does what is retrieved hold the entities that the answer names?

A data set here is a folder with ``nodes.csv`` and ``relationships.csv``, in neo4j-admin's format, and
``questions.jsonl``, ``{id, question, answer}`` a line, the answer in words.
"""

import json
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from gear_neo4j.domain import Triple
from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.metrics import percentile
from gear_neo4j.evaluate.statistics import interval
from gear_neo4j.gear import Gear
from gear_neo4j.graph.export import NamedNode
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.recipes import RetrieverRecipe
from gear_neo4j.retrieval.dictionary import Dictionary

FILES = ("nodes.csv", "relationships.csv")
QUESTIONS = "questions.jsonl"
NEAREST = 100


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answer in words."""

    id: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class KnowledgeGraph:
    """A data set of this kind."""

    name: str
    folder: Path
    questions: tuple[Question, ...]
    fingerprint: str


def is_knowledge_graph(folder: Path) -> bool:
    """Whether a folder holds a data set of this kind."""
    return all((folder / name).is_file() for name in (*FILES, QUESTIONS))


def load(folder: Path) -> KnowledgeGraph:
    """Read the questions of a data set; the graph stays in its files.

    Raises:
        InputError: a line of the questions cannot be used, or an id stands there twice.
    """
    digest = blake2b(digest_size=16)
    for name in (*FILES, QUESTIONS):
        digest.update((folder / name).read_bytes())
    questions = tuple(_questions(folder / QUESTIONS))
    seen: set[str] = set()
    for one in questions:
        if one.id in seen:
            raise InputError(f"{folder / QUESTIONS}: the id {one.id!r} stands there twice")
        seen.add(one.id)
    return KnowledgeGraph(folder.resolve().name, folder, questions, digest.hexdigest())


def _questions(path: Path) -> Iterator[Question]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            given = json.loads(line)
            one = Question(*(given[key] for key in ("id", "question", "answer")))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}:{number}: not {{id, question, answer}}: {error}") from error
        if not all(isinstance(part, str) and part.strip() for part in (one.id, one.question, one.answer)):
            raise InputError(f"{path}:{number}: id, question and answer must be texts that are not blank")
        yield one


def provide(
    gear: Gear,
    dataset: KnowledgeGraph,
    *,
    on_problem: Callable[[Problem], None] = lambda _: None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> None:
    """Import the graph and adopt it by the profile that is proposed, unless the database holds exactly it already.

    Raises:
        InputError: the database holds something else.
    """
    stamp = gear.graph.store.dataset()
    if stamp == (dataset.name, dataset.fingerprint):
        return
    if stamp is None and gear.overlay.profile() is None:
        if gear.overlay.survey().nodes and not gear.graph.imports.progress():
            raise InputError(
                f"the database {gear.graph.name} holds another graph than {dataset.name}: "
                "give it a database of its own (--database, or --name for a local server)"
            )
        files = [dataset.folder / name for name in FILES]
        gear.overlay.import_csv(files, on_problem=on_problem, on_progress=on_progress)
    elif stamp is not None and stamp[0] != dataset.name:
        raise InputError(f"the database {gear.graph.name} holds the data set {stamp[0]}, not {dataset.name}")
    gear.overlay.adopt(gear.overlay.profile() or gear.overlay.propose(), on_progress=on_progress)
    gear.graph.store.record_dataset(dataset.name, fingerprint=dataset.fingerprint)


class AnswerEntities:
    """The names of a graph that an answer speaks of and its question does not, and which of them triples hold."""

    def __init__(self, nodes: Iterable[NamedNode]) -> None:
        found = list(nodes)
        self._dictionary = Dictionary(found)
        # A triple shows one name of a node; whoever reads it may know the others.
        self._aliases: dict[str, set[str]] = defaultdict(set)
        for node in found:
            names = {_folded(name) for name in node.names}
            for name in names:
                self._aliases[name] |= names

    def wanted(self, question: str, answer: str) -> tuple[str, ...]:
        """The names that occur in the answer and not in the question; of overlapping ones the longest."""
        asked = _folded(question)
        names = dict.fromkeys(_folded(match.text) for match in self._dictionary.find(answer))
        return tuple(name for name in names if name not in asked)

    def recall(self, wanted: Sequence[str], triples: Sequence[Triple]) -> float:
        """The share of the wanted names that an end of one of the triples bears."""
        ends = {_folded(end) for triple in triples for end in (triple.subject, triple.object)}
        held = set().union(*(self._aliases.get(end, {end}) for end in ends))
        return sum(name in held for name in wanted) / len(wanted)


def measure(
    gear: Gear,
    dataset: KnowledgeGraph,
    systems: Mapping[str, Callable[[str], tuple[Sequence[Triple], float]]],
    *,
    k: int,
    limit: int | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Recall of the answers' entities among the first k triples, for each system; questions without any do not count.

    A system gives, for a question, triples best first, and the milliseconds that it took.
    """
    entities = AnswerEntities(gear.graph.export.named_nodes())
    told: list[dict[str, Any]] = []
    for one in dataset.questions[:limit]:
        wanted = entities.wanted(one.question, one.answer)
        row: dict[str, Any] = {"id": one.id, "question": one.question, "wanted": list(wanted), "systems": {}}
        for name, ask in systems.items() if wanted else ():
            triples, milliseconds = ask(one.question)
            shown = triples[:k]
            row["systems"][name] = {
                "recall": entities.recall(wanted, shown),
                "milliseconds": milliseconds,
                "triples": [[triple.subject, triple.predicate, triple.object] for triple in shown],
            }
        told.append(row)
        on_done()
    counted = [row for row in told if row["wanted"]]
    return {
        "dataset": dataset.name,
        "fingerprint": dataset.fingerprint,
        "questions": len(told),
        "counted": len(counted),
        "k": k,
        "systems": {name: _summary([row["systems"][name] for row in counted]) for name in systems},
        "per_question": told,
    }


def retrievers(
    gear: Gear, recipes: Sequence[RetrieverRecipe]
) -> dict[str, Callable[[str], tuple[Sequence[Triple], float]]]:
    """What answers with triples: ``nearest``, the triples nearest to the question, and retrievers by name."""

    def nearest(question: str) -> tuple[Sequence[Triple], float]:
        vector = gear.embedder.embed([question])[0].tolist()
        return [seed.triple for seed in gear.graph.export.seeds(vector, k=NEAREST)], 0.0

    def by(recipe: RetrieverRecipe) -> Callable[[str], tuple[Sequence[Triple], float]]:
        retriever = gear.retriever(recipe)

        def ask(question: str) -> tuple[Sequence[Triple], float]:
            hits = retriever.retrieve(question)
            return hits.triples, sum(hits.milliseconds.values())

        return ask

    return {"nearest": nearest, **{recipe.name: by(recipe) for recipe in recipes}}


def _summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    found = interval([100 * row["recall"] for row in rows])
    times = [row["milliseconds"] for row in rows]
    return {
        "recall": found.mean,
        "low": found.low,
        "high": found.high,
        "latency_ms": {"p50": percentile(times, 50), "p95": percentile(times, 95)} if times else {},
    }


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
