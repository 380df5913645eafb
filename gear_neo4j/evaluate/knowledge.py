"""Questions over a knowledge graph: recall of the answer's entities in the retrieved entities and triples.

A data set here is a folder with ``nodes.csv`` and ``relationships.csv``, in neo4j-admin's format, and
``questions.jsonl``, ``{id, question, answer}`` a line, the answer in words; with ``hops``, figures are split by them.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from statistics import fmean
from typing import Any, Self

from gear_neo4j.domain import EntityHit, Triple
from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.metrics import percentile
from gear_neo4j.evaluate.statistics import interval
from gear_neo4j.gear import Gear
from gear_neo4j.graph.read.lexicon import NamedNode
from gear_neo4j.graph.schema.record import RecordedDataset
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.ingestion.progress import Progress
from gear_neo4j.recipes.recipe import RetrieverRecipe
from gear_neo4j.retrieval.dictionary import Dictionary
from gear_neo4j.scope import DEFAULT_COLLECTION, checked_name
from gear_neo4j.text.folding import folded, without_accents

FILES = ("nodes.csv", "relationships.csv")
QUESTIONS = "questions.jsonl"
NEAREST = 100
FIGURES = ("recall", "first", "precision", "completeness", "exact")


@dataclass(frozen=True, slots=True)
class GraphQuestion:
    """A question with its answer in words, and the number of relationships to the answer, or 0 if unknown."""

    id: str
    question: str
    answer: str
    hops: int = 0


@dataclass(frozen=True, slots=True)
class KnowledgeGraph:
    """A data set of this kind, and the collection of its passages and triples."""

    name: str
    folder: Path
    questions: tuple[GraphQuestion, ...]
    fingerprint: str
    collection: str = DEFAULT_COLLECTION

    def within(self, collection: str) -> Self:
        """The data set in a collection.

        Raises:
            SettingsError: the name cannot be used.
        """
        return replace(self, collection=checked_name(collection, kind="collection"))


def is_knowledge_graph(folder: Path) -> bool:
    """Whether a folder holds a data set of this kind."""
    return all((folder / name).is_file() for name in (*FILES, QUESTIONS))


def load(folder: Path) -> KnowledgeGraph:
    """Read the questions of a data set; the graph stays in its files.

    Raises:
        InputError: a line of the questions cannot be used, or an id is repeated.
    """
    digest = blake2b(digest_size=16)
    for name in (*FILES, QUESTIONS):
        digest.update((folder / name).read_bytes())
    questions = tuple(_questions(folder / QUESTIONS))
    ids: set[str] = set()
    for question in questions:
        if question.id in ids:
            raise InputError(f"{folder / QUESTIONS}: the id {question.id!r} is repeated")
        ids.add(question.id)
    return KnowledgeGraph(folder.resolve().name, folder, questions, digest.hexdigest())


def _questions(path: Path) -> Iterator[GraphQuestion]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            question = GraphQuestion(row["id"], row["question"], row["answer"], int(row.get("hops", 0)))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}:{number}: not {{id, question, answer}}: {error}") from error
        if not all(
            isinstance(part, str) and part.strip() for part in (question.id, question.question, question.answer)
        ):
            raise InputError(f"{path}:{number}: id, question and answer must be texts that are not blank")
        yield question


def provide(
    gear: Gear,
    dataset: KnowledgeGraph,
    *,
    on_problem: Callable[[Problem], None] = lambda _: None,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> None:
    """Import the graph and adopt it with the proposed profile, unless the database holds it.

    Raises:
        InputError: the database holds another graph.
    """
    stamp = gear.graph.store.dataset(collection=dataset.collection)
    profile = gear.overlay.profile()
    is_whole = stamp == RecordedDataset(dataset.name, dataset.fingerprint)
    # It may have been adopted into another collection since.
    if is_whole and profile and profile.collection == dataset.collection:
        return
    if stamp is None and profile is None:
        if gear.overlay.survey().nodes and not gear.graph.imports.progress():
            raise InputError(
                f"the database {gear.graph.name} holds another graph than {dataset.name}: "
                "use a separate database (--database, or --name for a local server)"
            )
        files = [dataset.folder / name for name in FILES]
        gear.overlay.import_csv(files, on_problem=on_problem, on_progress=on_progress)
    elif stamp is not None and stamp.name != dataset.name:
        raise InputError(f"the database {gear.graph.name} holds the data set {stamp.name}, not {dataset.name}")
    gear.overlay.adopt(profile or gear.overlay.propose(), collection=dataset.collection, on_progress=on_progress)
    gear.graph.store.record_dataset(dataset.name, fingerprint=dataset.fingerprint, collection=dataset.collection)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The entities and triples that a system retrieved for a question, both best first, and the milliseconds."""

    triples: Sequence[Triple]
    entities: Sequence[EntityHit] = ()
    milliseconds: float = 0.0


System = Callable[[str], Retrieved]


class AnswerEntities:
    """The names of a graph that an answer mentions and its question does not, and their recall in triples."""

    def __init__(self, nodes: Iterable[NamedNode]) -> None:
        node_list = list(nodes)
        self._dictionary = Dictionary(node_list)
        # A triple has one name of a node; an answer may use another.
        self._aliases: dict[str, set[str]] = defaultdict(set)
        for node in node_list:
            names = {_folded(name) for name in node.names}
            for name in names:
                self._aliases[name] |= names

    def wanted(self, question: str, answer: str) -> tuple[str, ...]:
        """The names in the answer but not in the question; of overlapping names, the longest."""
        question_text = _folded(question)
        names = dict.fromkeys(_folded(match.text) for match in self._dictionary.find(answer))
        return tuple(name for name in names if name not in question_text)

    def recall(self, wanted: Sequence[str], answer: Retrieved, *, k: int) -> float:
        """The share of the wanted names in the first k items: entities, then triples."""
        items = [
            *([entity.name] for entity in answer.entities),
            *([triple.subject, triple.object] for triple in answer.triples),
        ]
        names = self._names(_folded(name) for item in items[:k] for name in item)
        return sum(name in names for name in wanted) / len(wanted)

    def is_first(self, wanted: Sequence[str], answer: Retrieved) -> bool:
        """Whether the first entity is one of the wanted."""
        return bool(self._names(_folded(entity.name) for entity in answer.entities[:1]) & set(wanted))

    def best_set(self, wanted: Sequence[str], answer: Retrieved) -> tuple[float, float]:
        """Precision and recall of the entities of the first pattern."""
        best = [entity for entity in answer.entities if entity.cypher == answer.entities[0].cypher]
        if not best:
            return 0.0, 0.0
        names = [self._names([_folded(entity.name)]) for entity in best]
        every = set().union(*names)
        return fmean(not of.isdisjoint(wanted) for of in names), fmean(name in every for name in wanted)

    def _names(self, names: Iterable[str]) -> set[str]:
        return set().union(*(self._aliases.get(name, {name}) for name in names))


def measure(
    gear: Gear,
    dataset: KnowledgeGraph,
    systems: Mapping[str, System],
    *,
    k: int,
    limit: int | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Recall of the answers' entities in the first k entities and triples by system.

    Questions whose answer names no entity do not count. ``first`` is the share whose first entity is correct,
    ``precision`` and ``completeness`` are the precision and recall of the entities of the first pattern, and ``exact``
    is the share where both are 1. ``halves`` holds the figures of the even and the odd questions, counted from 0,
    ``hops`` those of the odd questions by the number of relationships to the answer.
    """
    entities = AnswerEntities(gear.graph.lexicon.every_node())
    rows: list[dict[str, Any]] = []
    for question in dataset.questions[:limit]:
        rows.append(_row(question, entities, systems, k=k))
        on_done()
    return {
        "dataset": dataset.name,
        "fingerprint": dataset.fingerprint,
        "questions": len(rows),
        "counted": sum(bool(row["wanted"]) for row in rows),
        "k": k,
        "systems": {name: _system(name, rows) for name in systems},
        "per_question": rows,
    }


def _row(question: GraphQuestion, entities: AnswerEntities, systems: Mapping[str, System], *, k: int) -> dict[str, Any]:
    """What each system found for a question; none is asked if the answer names no entity."""
    wanted = entities.wanted(question.question, question.answer)
    return {
        "id": question.id,
        "question": question.question,
        "hops": question.hops,
        "wanted": list(wanted),
        "systems": {
            name: _result(ask(question.question), entities, wanted, k=k)
            for name, ask in (systems.items() if wanted else ())
        },
    }


def _result(answer: Retrieved, entities: AnswerEntities, wanted: Sequence[str], *, k: int) -> dict[str, Any]:
    precision, completeness = entities.best_set(wanted, answer)
    return {
        "recall": entities.recall(wanted, answer, k=k),
        "first": entities.is_first(wanted, answer),
        "precision": precision,
        "completeness": completeness,
        "exact": precision == completeness == 1.0,
        "milliseconds": answer.milliseconds,
        "entities": [[entity.name, str(entity.cypher)] for entity in answer.entities[:k]],
        "triples": [[triple.subject, triple.predicate, triple.object] for triple in answer.triples[:k]],
    }


def _system(name: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of a system over all questions, over each half, and by hops."""

    def figures(part: Iterable[Mapping[str, Any]]) -> dict[str, float]:
        return _figures(row["systems"].get(name) for row in part)

    odd = rows[1::2]
    hops = sorted({row["hops"] for row in rows} - {0})
    return {
        **_summary([row["systems"][name] for row in rows if row["wanted"]]),
        "halves": {"even": figures(rows[0::2]), "odd": figures(odd)},
        "hops": {count: figures(row for row in odd if row["hops"] == count) for count in hops},
    }


def retrievers(gear: Gear, recipes: Sequence[RetrieverRecipe]) -> dict[str, System]:
    """The systems by name: ``nearest``, the triples nearest to the question, and the retrievers.

    Under a scope there is no ``nearest``, which reads the whole index.
    """

    def nearest(question: str) -> Retrieved:
        vector = gear.embedder.embed([question])[0].tolist()
        return Retrieved([seed.triple for seed in gear.graph.pagerank.seeds(vector, k=NEAREST)])

    def by(recipe: RetrieverRecipe) -> System:
        retriever = gear.retriever(recipe)

        def ask(question: str) -> Retrieved:
            hits = retriever.retrieve(question)
            return Retrieved(hits.triples, hits.entities, sum(hits.milliseconds.values()))

        return ask

    of_all: dict[str, System] = {"nearest": nearest} if gear.scope.is_everything else {}
    return of_all | {recipe.name: by(recipe) for recipe in recipes}


def _summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    recall = interval([100 * row["recall"] for row in rows])
    times = [row["milliseconds"] for row in rows]
    return {
        "recall": recall.mean,
        "low": recall.low,
        "high": recall.high,
        **{key: value for key, value in _figures(rows).items() if key != "recall"},
        "latency_ms": {"p50": percentile(times, 50), "p95": percentile(times, 95)} if times else {},
    }


def _figures(rows: Iterable[Mapping[str, Any] | None]) -> dict[str, float]:
    """The means in percent over the rows that count."""
    counted = [row for row in rows if row is not None]
    return {key: round(100 * fmean(row[key] for row in counted), 1) if counted else 0.0 for key in FIGURES}


def _folded(text: str) -> str:
    """A text as :class:`Dictionary` compares names."""
    return " ".join(without_accents(folded(text)).replace("_", " ").split())
