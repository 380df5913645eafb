"""CRAG (Yan et al. 2024): what was retrieved is judged before it is used, cut to what helps, or replaced."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from gear_neo4j.agents.answer import Answer, Judgement, StopReason
from gear_neo4j.agents.run import OnEvent, Run
from gear_neo4j.domain import Fact, Hit, Hits
from gear_neo4j.errors import SearchError, SettingsError
from gear_neo4j.models.chat import Reply
from gear_neo4j.retrieval.question import checked
from gear_neo4j.retrieval.retrievers import Retriever, ranked_again
from gear_neo4j.retrieval.strips import Decomposition, says_something, strips_of
from gear_neo4j.retrieval.web import WebSearch
from gear_neo4j.roles.answerer import Answerer
from gear_neo4j.roles.evaluators import NOTHING, Evaluator, Thresholds
from gear_neo4j.roles.parsers import Draft
from gear_neo4j.settings import require_at_least

WEB_RESULTS = 5
Fallback = Literal["abstain", "corpus"]


class Corrector(Answerer, Protocol):
    """All that CRAG asks of a chat model, beside grades."""

    def keywords(self, question: str) -> Reply[str]:
        """The question as a query for a search engine."""

    def rewrite(self, question: str, memory: Sequence[Fact], *, why: str, asked: Sequence[str]) -> Reply[str]:
        """Another question to search with; empty when there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CragOptions:
    """How CRAG decides and what it keeps.

    Without a searcher, ``fallback`` says what follows where nothing is of use: no answer (``abstain``), or another
    search of the same corpus by a rewritten question (``corpus``, not in the paper). ``thresholds`` are the evaluator's
    unless given. No call is begun once ``tokens`` or ``seconds`` are spent.

    Raises:
        SettingsError: a number is below 1, or ``min_score`` is not from -1 to 1.
    """

    strips: Decomposition = "excerption"
    top_strips: int = 5
    min_score: float = -0.5
    fallback: Fallback = "abstain"
    thresholds: Thresholds | None = None
    tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        require_at_least(1, self, "top_strips", "tokens", "seconds", whose="CRAG's")
        if not -1 <= self.min_score <= 1:
            raise SettingsError(f"CRAG's min_score is {self.min_score}: it must be from -1 to 1")


class Crag:
    """One retrieval, judged; its passages cut to strips that help; something else where they do not.

    Args:
        evaluator: scores passages and strips.
        roles: answers, and turns questions into queries; None for the retrieval alone.
        searcher: searches elsewhere; there is none by default.
    """

    def __init__(
        self,
        retriever: Retriever,
        *,
        evaluator: Evaluator,
        roles: Corrector | None = None,
        searcher: WebSearch | None = None,
        options: CragOptions = CragOptions(),
    ) -> None:
        if roles is None and (searcher or options.fallback == "corpus"):
            raise SettingsError("to search again CRAG needs a chat model that says for what: set GEAR_CHAT_MODEL")
        self._retriever = retriever
        self._evaluator = evaluator
        self._roles = roles
        self._searcher = searcher
        self._options = options

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question from at most k passages; in the hits those come first of which something was kept.

        An evaluator whose replies cannot be used keeps what was retrieved; that is on record in the trace.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        asked = checked(question, k=k)
        name = self._roles.name if self._roles else self._evaluator.name
        run = Run(asked, name, on_event, tokens=self._options.tokens, seconds=self._options.seconds)
        run.begin(run.question)
        hits = run.search(self._retriever, k=k)
        action = self._judged(run, hits)
        context = self._refined(run, hits) if action != "incorrect" else []
        if action != "correct" and not run.stopped():
            context += self._elsewhere(run, k, labelled=bool(context))
        return self._concluded(run, context[:k], hits, k)

    def _judged(self, run: Run, hits: Sequence[Hit]) -> str:
        """The action that the scores of all passages lead to; with scores that failed, as if all were of use."""
        thresholds = self._options.thresholds or self._evaluator.thresholds
        scores = self._scores(run, [hit.passage.content for hit in hits], role="relevance") if hits else ()
        if scores is None:
            run.note(action="correct")
            run.judge(True, "the passages could not be judged, and were kept")
            return "correct"
        action = thresholds.action(scores)
        judged = [
            Judgement("relevance", hit.passage.id, thresholds.action([score]), score)
            for hit, score in zip(hits, scores, strict=True)
        ]
        run.note(action=action, judgements=tuple(judged))
        best = f"best score {max(scores):.2f}" if scores else "no passage"
        run.judge(action == "correct", f"{action}: {best} ({thresholds.lower:g} to {thresholds.upper:g} is ambiguous)")
        return action

    def _scores(self, run: Run, texts: Sequence[str], *, role: str) -> Sequence[float] | None:
        return run.call(role, lambda: self._evaluator.evaluate(run.question, texts))

    def _refined(self, run: Run, hits: Sequence[Hit]) -> list[tuple[Hit, str]]:
        """Of each passage the strips that help, in document order; at least the best strip of all."""
        strips = strips_of([hit.passage for hit in hits], how=self._options.strips)
        if not strips or run.stopped():
            return [(hit, hit.passage.text) for hit in hits]
        titled = [f"{hits[one.passage].passage.title}\n{one.text}".strip() for one in strips]
        found = self._scores(run, titled, role="strips")
        if found is None:
            return [(hit, hit.passage.text) for hit in hits]
        scores = [score if says_something(one.text) else NOTHING for one, score in zip(strips, found, strict=True)]
        best = sorted(range(len(strips)), key=lambda place: -scores[place])[: self._options.top_strips]
        kept = sorted(place for place in best if scores[place] >= self._options.min_score) or best[:1]
        judged = [Judgement("strip", strips[place].text, "kept", scores[place]) for place in kept]
        run.note(judgements=(*run.steps[-1].judgements, *judged))
        texts: dict[int, list[str]] = {}
        for place in kept:
            texts.setdefault(strips[place].passage, []).append(strips[place].text)
        return [(hits[place], " … ".join(parts)) for place, parts in texts.items()]

    def _elsewhere(self, run: Run, k: int, *, labelled: bool) -> list[tuple[Hit, str]]:
        """What a searcher finds, or the corpus by another question; nothing, where neither is wanted."""
        roles = self._roles
        if roles is None:
            return []
        if self._searcher:
            found = self._searched(run, roles, self._searcher)
            return [(hit, f"(from the web) {text}" if labelled else text) for hit, text in self._refined(run, found)]
        if self._options.fallback == "abstain" or labelled:
            return []
        why = "nothing that was found speaks of it"
        query = run.call("rewrite", lambda: roles.rewrite(run.question, (), why=why, asked=[run.question]))
        if not query or run.stopped():
            return []
        run.begin(query)
        hits = run.search(self._retriever, k=k)
        return self._refined(run, hits) if self._judged(run, hits) != "incorrect" else []

    def _searched(self, run: Run, roles: Corrector, searcher: WebSearch) -> list[Hit]:
        query = run.call("keywords", lambda: roles.keywords(run.question)) or run.question
        if run.stopped():
            return []
        run.begin(query)
        try:
            with run.timed("web"):
                found = searcher.search(query, k=WEB_RESULTS)
        except SearchError as error:
            run.note(failures=(*run.steps[-1].failures, str(error)))
            run.tell("failure", str(error))
            return []
        ids = tuple(passage.id for passage in found)
        run.note(base=ids, ranking=ids, action=f"searched {searcher.name}")
        run.passages.update({passage.id: passage for passage in found})
        return [Hit(passage, 0.0, rank) for rank, passage in enumerate(found, start=1)]

    def _concluded(self, run: Run, context: Sequence[tuple[Hit, str]], hits: Sequence[Hit], k: int) -> Answer:
        kept = {hit.passage.id for hit, _ in context}
        order = [*(hit for hit, _ in context), *(hit for hit in hits if hit.passage.id not in kept)][:k]
        run.note(merged=tuple(hit.passage.id for hit in order))
        name = f"crag by {self._evaluator.name}"
        ranking = Hits(run.question, name, ranked_again(order), run.paths(), run.exact, usage=dict(run.usage))
        # Out of budget the answer is still one call more, from what there is.
        stop = run.stopped()
        draft = self._answer(run, context) if stop != "model_error" else Draft("")
        ended: StopReason = stop or ("answerable" if context else "abstained")
        return run.answered(ranking, draft, stop="model_error" if run.failure else ended)

    def _answer(self, run: Run, context: Sequence[tuple[Hit, str]]) -> Draft:
        roles = self._roles
        if roles is None or not context:
            return Draft("")
        shown = [replace(hit.passage, text=text) for hit, text in context]
        return run.answer(roles, shown)
