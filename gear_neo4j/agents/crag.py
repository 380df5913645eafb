"""CRAG (Yan et al. 2024): retrieved passages are judged, then refined or replaced."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal, Protocol, Self

from pydantic import model_validator

from gear_neo4j.agents.answer import Answer, Judgement, StopReason
from gear_neo4j.agents.run import OnEvent, Run
from gear_neo4j.domain import Fact, Hit, Hits, Passage
from gear_neo4j.errors import SearchError, SettingsError
from gear_neo4j.models.chat import Reply
from gear_neo4j.recipes.recipe import Budget, option
from gear_neo4j.recipes.registry import AnyRetriever
from gear_neo4j.retrieval.auto import Auto
from gear_neo4j.retrieval.question import checked
from gear_neo4j.retrieval.retriever import Retriever, ranked_again
from gear_neo4j.retrieval.strips import Decomposition, says_something, strips_of
from gear_neo4j.roles.answerer import Answerer
from gear_neo4j.roles.evaluators import NOTHING, Evaluator, EvaluatorName, Thresholds
from gear_neo4j.roles.parsers import Draft

WEB_RESULTS = 5


class WebSearch(Protocol):
    """A search engine for texts outside the graph."""

    @property
    def name(self) -> str:
        """Its name in reports."""

    def search(self, query: str, *, k: int) -> Sequence[Passage]:
        """At most k texts, best first; the id and the source of each are its URL. Raises SearchError."""


class Corrector(Answerer, Protocol):
    """The roles that CRAG needs from a chat model, besides grading."""

    def keywords(self, question: str) -> Reply[str]:
        """The question as a query for a search engine."""

    def rewrite(self, question: str, memory: Sequence[Fact], *, why: str, asked: Sequence[str]) -> Reply[str]:
        """Another question to search with, or an empty text."""


class Crag(Budget):
    """CRAG: judges the passages of a retriever, and cuts them to the strips that help or replaces them.

    ``fallback`` says what happens if nothing helps: no answer (``abstain``), another search of the corpus by a
    rewritten question (``corpus``, not in the paper), or a web search. Without ``thresholds``, those of a calibration
    apply, else the evaluator's own.

    Raises:
        SettingsError: a number is out of its range, or a cross-encoder has no model.
    """

    name: ClassVar[str] = "crag"
    over: AnyRetriever = option(Auto(), "the retriever to build on")
    evaluator: EvaluatorName = option(
        "similarity", "what judges passages: the embedding model, the language model, or a cross-encoder"
    )
    evaluator_model: str | None = option(None, "the cross-encoder: a sentence-transformers model, or a folder")
    thresholds: Thresholds | None = option(None, "scores from which a passage helps, and below which it does not")
    strips: Decomposition = option(
        "excerption", "how passages are split: not at all, three sentences each, or fifty words each"
    )
    top_strips: int = option(5, "number of strips to keep", least=1)
    min_score: float = option(-0.5, "minimum score of a strip", least=-1, most=1)
    fallback: Literal["abstain", "corpus", "web"] = option(
        "abstain",
        "if nothing helps: no answer, another search of the corpus, or a search of the web",
        # A web search sends the question to a company, at the operator's cost.
        operator_only=lambda fallback: fallback == "web",
    )
    answer: bool = option(True, "write an answer")

    @property
    def calls_model(self) -> bool:
        """Whether it answers, grades, or rewrites the question."""
        return self.answer or self.evaluator == "grader" or self.fallback != "abstain" or self.over.calls_model

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.evaluator == "cross-encoder") != bool(self.evaluator_model):
            raise SettingsError("evaluator_model belongs to the evaluator cross-encoder: give both, or neither")
        return self


class CragLoop:
    """Retrieves once, judges the passages, and cuts them to the strips that help or replaces them.

    Args:
        evaluator: scores passages and strips.
        roles: answers, and turns questions into queries; None for retrieval only.
        searcher: searches the web; none by default.
    """

    def __init__(
        self,
        retriever: Retriever,
        *,
        evaluator: Evaluator,
        roles: Corrector | None = None,
        searcher: WebSearch | None = None,
        options: Crag = Crag(),
    ) -> None:
        if roles is None and (searcher or options.fallback == "corpus"):
            raise SettingsError("CRAG needs a chat model to search again: set GEAR_CHAT_MODEL")
        self._retriever = retriever
        self._evaluator = evaluator
        self._roles = roles
        self._searcher = searcher
        self._options = options

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question from at most k passages; passages with a selected strip come first in the hits.

        If the evaluator fails, all passages are kept, and the trace records the failure.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        text = checked(question, k=k)
        name = self._roles.name if self._roles else self._evaluator.name
        run = Run(text, name, on_event, tokens=self._options.max_tokens, seconds=self._options.max_seconds)
        run.begin(run.question)
        hits = run.search(self._retriever, k=k)
        action = self._judge(run, hits)
        context = self._refine(run, hits) if action != "incorrect" else []
        if action != "correct" and not run.stopped():
            context += self._fall_back(run, k, labelled=bool(context))
        return self._conclude(run, context[:k], hits, k)

    def _judge(self, run: Run, hits: Sequence[Hit]) -> str:
        """The action that follows from the scores of all passages; ``correct`` if the evaluator fails."""
        thresholds = self._options.thresholds or self._evaluator.thresholds
        scores = self._scores(run, [hit.passage.content for hit in hits], role="relevance") if hits else ()
        if scores is None:
            run.note(action="correct")
            run.judge(True, "the passages could not be judged, and were kept")
            return "correct"
        action = thresholds.action(scores)
        judgements = [
            Judgement("relevance", hit.passage.id, thresholds.action([score]), score)
            for hit, score in zip(hits, scores, strict=True)
        ]
        run.note(action=action, judgements=tuple(judgements))
        best = f"best score {max(scores):.2f}" if scores else "no passage"
        run.judge(action == "correct", f"{action}: {best} ({thresholds.lower:g} to {thresholds.upper:g} is ambiguous)")
        return action

    def _scores(self, run: Run, texts: Sequence[str], *, role: str) -> Sequence[float] | None:
        return run.call(role, lambda: self._evaluator.evaluate(run.question, texts))

    def _refine(self, run: Run, hits: Sequence[Hit]) -> list[tuple[Hit, str]]:
        """The helpful strips of each passage, in document order; at least the best strip overall."""
        strips = strips_of([hit.passage for hit in hits], how=self._options.strips)
        if not strips or run.stopped():
            return [(hit, hit.passage.text) for hit in hits]
        titled = [f"{hits[strip.passage].passage.title}\n{strip.text}".strip() for strip in strips]
        raw_scores = self._scores(run, titled, role="strips")
        if raw_scores is None:
            return [(hit, hit.passage.text) for hit in hits]
        scores = [
            score if says_something(strip.text) else NOTHING for strip, score in zip(strips, raw_scores, strict=True)
        ]
        best = sorted(range(len(strips)), key=lambda index: -scores[index])[: self._options.top_strips]
        selected = sorted(index for index in best if scores[index] >= self._options.min_score) or best[:1]
        judgements = [Judgement("strip", strips[index].text, "kept", scores[index]) for index in selected]
        run.note(judgements=(*run.steps[-1].judgements, *judgements))
        texts: dict[int, list[str]] = {}
        for index in selected:
            texts.setdefault(strips[index].passage, []).append(strips[index].text)
        return [(hits[index], " … ".join(parts)) for index, parts in texts.items()]

    def _fall_back(self, run: Run, k: int, *, labelled: bool) -> list[tuple[Hit, str]]:
        """Results of a web search, or of the corpus by another question; nothing if neither is enabled."""
        roles = self._roles
        if roles is None:
            return []
        if self._searcher:
            results = self._search_web(run, roles, self._searcher)
            return [(hit, f"(from the web) {text}" if labelled else text) for hit, text in self._refine(run, results)]
        if self._options.fallback == "abstain" or labelled:
            return []
        why = "nothing that was found speaks of it"
        query = run.call("rewrite", lambda: roles.rewrite(run.question, (), why=why, asked=[run.question]))
        if not query or run.stopped():
            return []
        run.begin(query)
        hits = run.search(self._retriever, k=k)
        return self._refine(run, hits) if self._judge(run, hits) != "incorrect" else []

    def _search_web(self, run: Run, roles: Corrector, searcher: WebSearch) -> list[Hit]:
        query = run.call("keywords", lambda: roles.keywords(run.question)) or run.question
        if run.stopped():
            return []
        run.begin(query)
        try:
            with run.timed("web"):
                results = searcher.search(query, k=WEB_RESULTS)
        except SearchError as error:
            run.note(failures=(*run.steps[-1].failures, str(error)))
            run.emit("failure", str(error))
            return []
        ids = tuple(passage.id for passage in results)
        run.note(base=ids, ranking=ids, action=f"searched {searcher.name}")
        run.passages.update({passage.id: passage for passage in results})
        return [Hit(passage, 0.0, rank) for rank, passage in enumerate(results, start=1)]

    def _conclude(self, run: Run, context: Sequence[tuple[Hit, str]], hits: Sequence[Hit], k: int) -> Answer:
        context_ids = {hit.passage.id for hit, _ in context}
        order = [*(hit for hit, _ in context), *(hit for hit in hits if hit.passage.id not in context_ids)][:k]
        run.note(merged=tuple(hit.passage.id for hit in order))
        name = f"crag by {self._evaluator.name}"
        ranking = Hits(run.question, name, ranked_again(order), run.paths(), run.exact, usage=dict(run.usage))
        # Even out of budget, one more call writes the answer from the passages so far.
        stop = run.stopped()
        draft = self._answer(run, context) if stop != "model_error" else Draft("")
        ended: StopReason = stop or ("answerable" if context else "abstained")
        return run.finish(ranking, draft, stop="model_error" if run.failure else ended)

    def _answer(self, run: Run, context: Sequence[tuple[Hit, str]]) -> Draft:
        roles = self._roles
        if roles is None or not context or not self._options.answer:
            return Draft("")
        passages = [replace(hit.passage, text=text) for hit, text in context]
        return run.answer(roles, passages)
