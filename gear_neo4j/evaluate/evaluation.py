"""Measures retrievers and agents on your own questions; notebooks display the result."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.evaluate.datasets import EvaluationQuery
from gear_neo4j.evaluate.metrics import percentile, recall
from gear_neo4j.evaluate.runs import QueryResult
from gear_neo4j.evaluate.systems import System, measure
from gear_neo4j.gear import Gear
from gear_neo4j.recipes.recipe import AgentRecipe, RetrieverRecipe
from gear_neo4j.recipes.registry import RETRIEVERS
from gear_neo4j.text.display import Displayed, data_frame, html_note, html_table, html_text
from gear_neo4j.text.wording import pluralize
from gear_neo4j.usage import Usage

KS = (2, 5, 10)
_BAR = "height:4px;background:#2f7fd6;width:{:.0f}%"


@dataclass(frozen=True, slots=True)
class Evaluation(Displayed):
    """The results of each system by its name, for the same questions in order; ``ks`` are the cutoffs of recall."""

    ks: tuple[int, ...]
    results: Mapping[str, tuple[QueryResult, ...]]

    def recall(self, name: str, *, k: int) -> float:
        """The mean percentage of gold passages among the first k.

        Raises:
            KeyError: there is no such system.
        """
        return 100 * fmean(_recall(result, k) for result in self.results[name])

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each system and question: what was retrieved, recall, time and tokens.

        Raises:
            SettingsError: pandas is not installed.
        """
        recalls = {f"recall@{k}": k for k in self.ks}
        rows = [
            {
                "system": name,
                "question": result.query.question,
                "gold": list(result.query.gold),
                "retrieved": result.ranking,
                **{column: 100 * _recall(result, k) for column, k in recalls.items()},
                "milliseconds": result.milliseconds,
                "tokens": _tokens(result),
            }
            for name, results in self.results.items()
            for result in results
        ]
        columns = ("system", "question", "gold", "retrieved", *recalls, "milliseconds", "tokens")
        return data_frame(rows, columns=columns)

    def _repr_html_(self) -> str:
        questions = len(next(iter(self.results.values())))
        columns = ("", *(f"recall at {k}, %" for k in self.ks), "ms, median", "tokens a question")
        return html_note(pluralize(questions, "question")) + html_table(columns, map(self._row, self.results))

    def _row(self, name: str) -> list[str]:
        results = self.results[name]
        middle = percentile([result.milliseconds for result in results], 50)
        tokens = fmean(map(_tokens, results))
        shares = [_bar(self.recall(name, k=k)) for k in self.ks]
        return [html_text(name), *shares, f"{middle:,.0f}", f"{tokens:,.0f}" if tokens else ""]


def evaluate(
    gear: Gear,
    queries: Sequence[EvaluationQuery],
    systems: Sequence[str | RetrieverRecipe | AgentRecipe] | Mapping[str, str | RetrieverRecipe | AgentRecipe] = (
        "auto",
    ),
    *,
    ks: Sequence[int] = KS,
    on_done: Callable[[], None] = lambda: None,
) -> Evaluation:
    """Ask every system every question, and measure the recall of the gold passages.

    Args:
        gear: the graph with the passages; a view from :meth:`gear_neo4j.Gear.scoped` measures what its caller would
            get.
        queries: your questions: ``EvaluationQuery("q1", "Who founded it?", gold=("p7", "p12"))``, where ``gold`` holds
            the ids of passages.
        systems: names of retrievers, or recipes of retrievers or agents; a mapping gives them names of your own.
        ks: the cutoffs for recall.
        on_done: called after each question of each system.

    Raises:
        InputError: there are no questions, a question has no gold passage, or a gold passage is not in the database.
        SettingsError: a retriever does not exist, two systems have the same name, or a k is below 1.
        ModelError: a language model is needed, but none is set, or it failed.
    """
    if not ks or min(ks) < 1:
        raise SettingsError("ks are numbers of passages: give at least one, from 1 on")
    chosen = _named(systems)
    _require_gold(gear, queries)
    results = {name: tuple(measure(gear, system, queries, ks=ks, on_done=on_done)) for name, system in chosen.items()}
    return Evaluation(tuple(sorted(set(ks))), results)


def _named(systems: Any) -> dict[str, System]:
    if not systems:
        raise SettingsError("there is no system to measure")
    if isinstance(systems, Mapping):
        return {name: System(recipe=_recipe(system)) for name, system in systems.items()}
    chosen = [System(recipe=_recipe(system)) for system in systems]
    name, count = Counter(system.name for system in chosen).most_common(1)[0]
    if count > 1:
        raise SettingsError(f"{count} systems are called {name}: name them, as in {{'mine': Naive(...)}}")
    return {system.name: system for system in chosen}


def _recipe(system: Any) -> RetrieverRecipe | AgentRecipe:
    return system if isinstance(system, AgentRecipe) else RETRIEVERS.recipe(system)


def _require_gold(gear: Gear, queries: Sequence[EvaluationQuery]) -> None:
    if not queries:
        raise InputError("there are no questions")
    if bare := [query.id for query in queries if not query.gold]:
        raise InputError(f"the question {bare[0]} has no gold passage")
    wanted = list(dict.fromkeys(id for query in queries for id in query.gold))
    there = gear.graph.store.passages(wanted)
    if missing := [id for id in wanted if id not in there]:
        verb = "is" if len(missing) == 1 else "are"
        count = pluralize(len(missing), "gold passage")
        raise InputError(f"{count} {verb} not in {gear.graph.name}: {missing[0]} is the first")


def _recall(result: QueryResult, k: int) -> float:
    return recall(result.ranking, result.query.gold, k=k)


def _tokens(result: QueryResult) -> int:
    return sum(result.usage.values(), Usage()).tokens


def _bar(percent: float) -> str:
    return f'{percent:.1f}<div style="{_BAR.format(percent)}"></div>'
