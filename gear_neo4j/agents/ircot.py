"""IRCoT (Trivedi et al., ACL 2023): retrieval and reasoning in turn, with each thought as the next query."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from gear_neo4j.agents.answer import Answer, StopReason
from gear_neo4j.agents.run import OnEvent, Run
from gear_neo4j.domain import Hit, Hits
from gear_neo4j.recipes.recipe import Budget, option
from gear_neo4j.recipes.registry import AnyRetriever
from gear_neo4j.retrieval.auto import Auto
from gear_neo4j.retrieval.question import checked
from gear_neo4j.retrieval.retriever import Retriever, ranked_again
from gear_neo4j.roles.answering import Thinker
from gear_neo4j.roles.parsers import Draft, Thought

CAP = 15
Merge = Literal["max", "append"]


class Ircot(Budget):
    """IRCoT: retrieval and reasoning in turn, with each thought as the next query.

    ``max`` sorts passages by their best score of all steps (as HippoRAG does; valid for the scores of one retriever);
    ``append`` keeps the order of arrival, at most 15 passages (as the original does).

    Raises:
        SettingsError: a number is below 1.
    """

    name: ClassVar[str] = "ircot"
    over: AnyRetriever = option(Auto(), "the retriever to build on")
    merge: Merge = option("max", "how the rankings of the steps are merged")
    max_steps: int = option(4, "maximum number of rounds of retrieval", least=1, client_most=8)
    step_k: int = option(10, "passages to read per round", least=1)
    answer: bool = option(True, "write an answer")


class IrcotLoop:
    """The loop over any retriever: retrieve, think one sentence, retrieve with it, until a thought is the answer."""

    def __init__(self, retriever: Retriever, *, thinker: Thinker, options: Ircot = Ircot()) -> None:
        self._retriever = retriever
        self._thinker = thinker
        self._options = options

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question from at most k passages; a model that fails ends the run with the passages so far.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        options = self._options
        text = checked(question, k=k)
        run = Run(text, self._thinker.name, on_event, tokens=options.max_tokens, seconds=options.max_seconds)
        merged: list[Hit] = []
        stop = self._loop(run, merged)
        hits = Hits(run.question, "ircot", ranked_again(merged[:k]), run.paths(), run.exact, usage=dict(run.usage))
        draft = self._answer(run, hits)
        return run.finish(hits, draft, stop="model_error" if run.failure else stop)

    def _loop(self, run: Run, merged: list[Hit]) -> StopReason:
        query, thoughts = run.question, list[str]()
        while True:
            if not self._retrieve(run, merged, query):
                return "model_error"
            if len(run.steps) == self._options.max_steps:
                return "max_steps"
            if stop := run.stopped():
                return stop
            thought = self._think(run, merged, thoughts)
            if thought is None:
                return run.stopped() or "model_error"
            if thought.answer is not None:
                return "answerable"
            if stop := run.stopped():
                return stop
            if thought.text in thoughts:
                return "no_new_question"
            thoughts.append(thought.text)
            query = thought.text

    def _think(self, run: Run, merged: Sequence[Hit], thoughts: Sequence[str]) -> Thought | None:
        passages = [hit.passage for hit in merged]
        thought = run.call("think", lambda: self._thinker.think(run.question, passages, thoughts=thoughts))
        if thought is not None:
            run.judge(thought.answer is not None, thought.text)
            run.note(rewrite="" if thought.answer else thought.text)
        return thought

    def _retrieve(self, run: Run, merged: list[Hit], query: str) -> bool:
        """Retrieve with a query and merge; False if the retriever's own model failed."""
        run.begin(query)
        hits = run.search(self._retriever, k=self._options.step_k)
        if run.steps[-1].failures:
            return False
        merged[:] = self._merge(merged, hits)
        run.note(merged=tuple(hit.passage.id for hit in merged))
        return True

    def _merge(self, before: Sequence[Hit], hits: Sequence[Hit]) -> list[Hit]:
        best: dict[str, Hit] = {}
        for hit in (*before, *hits):
            known = best.get(hit.passage.id)
            if known is None or (self._options.merge == "max" and hit.score > known.score):
                best[hit.passage.id] = hit
        if self._options.merge == "append":
            return list(best.values())[:CAP]
        return sorted(best.values(), key=lambda hit: (-hit.score, hit.passage.id))

    def _answer(self, run: Run, hits: Hits) -> Draft:
        if not self._options.answer or run.failure or not hits:
            return Draft("")
        passages = [hit.passage for hit in hits]
        return run.answer(self._thinker, passages)
