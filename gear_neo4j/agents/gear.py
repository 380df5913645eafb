"""GeAR's agent (section 5 of the paper): retrieve, expand, remember, judge, rewrite, until the facts suffice."""

from collections.abc import Sequence
from typing import ClassVar, Self

from pydantic import model_validator

from gear_neo4j.agents.answer import Answer, StopReason
from gear_neo4j.agents.ranking import final_ranking
from gear_neo4j.agents.run import OnEvent, Run
from gear_neo4j.domain import Fact, Hits, Passage, entity_key
from gear_neo4j.errors import SettingsError
from gear_neo4j.graph.read.store import Store
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.recipes.recipe import Budget, option
from gear_neo4j.recipes.registry import AnyRetriever
from gear_neo4j.retrieval.auto import Auto
from gear_neo4j.retrieval.first_stage import FirstStage
from gear_neo4j.retrieval.question import Question
from gear_neo4j.retrieval.retriever import make_hits
from gear_neo4j.retrieval.sync import SyncExpansion, SyncGE, SyncStep
from gear_neo4j.retrieval.traced import note_documents, retrieval_span
from gear_neo4j.roles.answering import Roles
from gear_neo4j.roles.parsers import Draft, Verdict

# Passages per round in the paper.
STEP_K = 10
# Passages that the constructor reads: those of the walk that the reader has not seen. In the paper, it reads ten again.
REACHED_K = 5
SELECT_FROM = 20


class GearAgent(Budget):
    """GeAR's agent: retrieves, walks the graph, keeps a gist memory, judges it, and rewrites the question.

    It builds on a synchronised expansion (``sync``); given another retriever, on ``sync`` over that one.

    Raises:
        SettingsError: a number is below 1.
    """

    name: ClassVar[str] = "gear"
    over: AnyRetriever = option(SyncGE(base=Auto()), "the retriever to build on")
    max_steps: int = option(4, "maximum number of rounds of retrieval", least=1, client_most=8)
    step_k: int = option(STEP_K, "passages to read per round", least=1)
    select: bool = option(False, "rank the first 20 passages for the answer in one more call")
    answer: bool = option(True, "write an answer")

    @property
    def title(self) -> str:
        """Its name, and the first stage of its expansion."""
        return f"{self.name} over {self.sync.title.removeprefix('sync over ')}"

    @property
    def sync(self) -> SyncGE:
        """The expansion that it builds on, which reads ``step_k`` passages per round."""
        if isinstance(self.over, SyncGE):
            return self.over.model_copy(update={"base_k": self.step_k})
        return SyncGE(base=self.over, base_k=self.step_k)

    @model_validator(mode="after")
    def _one_step_k(self) -> Self:
        over = self.over
        if isinstance(over, SyncGE) and "base_k" in over.model_fields_set and over.base_k != self.step_k:
            raise SettingsError(f"gear reads step_k passages a round ({self.step_k}): leave base_k of sync out")
        return self


class GearLoop:
    """The loop of GeAR over one database.

    Retrieval, reader and beam search get the question of the step; constructor, reason, rewrite and answer get the
    original one (figure 1 of the paper).
    """

    def __init__(
        self,
        store: Store,
        *,
        sync: SyncExpansion,
        base: FirstStage,
        roles: Roles,
        embedder: Embedder,
        options: GearAgent = GearAgent(),
    ) -> None:
        self._store = store
        self._sync = sync
        self._base = base
        self._roles = roles
        self._embedder = embedder
        self._options = options

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question from at most k passages; ``on_event`` is called with each event.

        A model that fails ends the run with the stop reason ``model_error`` and the best ranking so far.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        query = Question(question, k=k, embedder=self._embedder)
        options = self._options
        run = Run(query.text, self._roles.name, on_event, tokens=options.max_tokens, seconds=options.max_seconds)
        stop = self._loop(run, query)
        hits = self._rank(run, k)
        draft = self._answer(run, hits)
        return run.finish(hits, draft, stop="model_error" if run.failure else stop)

    def _loop(self, run: Run, question: Question) -> StopReason:
        while True:
            stop = self._turn(run, question)
            if stop:
                return stop
            question = Question(run.steps[-1].rewrite, embedder=self._embedder)

    def _turn(self, run: Run, question: Question) -> StopReason | None:
        """One step; returns the stop reason, or None after recording the next question."""
        run.begin(question.text)
        synced = self._expand(run, question)
        if stop := run.stopped():
            return stop
        run.remember(self._gist(run, synced))
        # On the last turn a verdict would change nothing.
        if len(run.steps) == self._options.max_steps:
            return "max_steps"
        if stop := run.stopped() or self._judge(run) or run.stopped():
            return stop
        return self._rewrite(run)

    def _expand(self, run: Run, question: Question) -> SyncStep:
        k = self._options.step_k
        with retrieval_span(question.text, k=k) as active:
            synced = self._sync.step(question, k=k)
            top = synced.ranking[:k]
            note_documents(active, lambda: [(item.id, item.score, synced.passages.get(item.id)) for item in top])
        run.passages.update(synced.passages)
        run.exact = run.exact and synced.exact
        run.note(
            base=tuple(passage.id for passage in synced.base),
            proximal=synced.proximal,
            linked=synced.linked,
            paths=synced.paths,
            ranking=tuple(item.id for item in synced.ranking),
        )
        run.spend(synced.milliseconds)
        run.pay("reader", synced.usage)
        if synced.error:
            run.record_failure("reader", synced.error)
        return synced

    def _gist(self, run: Run, synced: SyncStep) -> Sequence[Fact]:
        """What the reader noted, and what the passages say that only the walk reached: none is read twice."""
        noted = synced.proximal
        passages = synced.first(self._options.step_k) if synced.error else synced.reached(REACHED_K)
        if not passages:
            return noted
        memory = run.memory.extended(noted).facts
        return *noted, *(run.call("gist", lambda: self._roles.read(run.question, passages, memory=memory)) or ())

    def _judge(self, run: Run) -> StopReason | None:
        memory = run.memory.facts
        if not memory:
            return None
        verdict = run.call("reason", lambda: self._roles.reason(run.question, memory)) or Verdict(False)
        run.judge(verdict.answerable, verdict.text)
        return "answerable" if verdict.answerable else None

    def _rewrite(self, run: Run) -> StopReason | None:
        questions, why = [step.question for step in run.steps], run.steps[-1].reason
        memory = run.memory.facts
        following = run.call("rewrite", lambda: self._roles.rewrite(run.question, memory, why=why, asked=questions))
        if following is None:
            return "model_error"
        run.note(rewrite=following)
        known = {entity_key(question) for question in questions}
        return run.stopped() or (None if entity_key(following) not in {*known, ""} else "no_new_question")

    def _rank(self, run: Run, k: int) -> Hits:
        gist = Question.batch([fact.text for fact in run.memory.facts], embedder=self._embedder)
        with run.timed("link"):
            run.links = tuple(tuple(item.id for item in ranking) for ranking in self._base.link(gist))
        ranking = final_ranking(run.trace())
        wanted = [item.id for item in ranking[: max(k, SELECT_FROM)]]
        missing = [id for id in wanted if id not in run.passages]
        run.passages.update(self._store.passages(missing) if missing else {})
        if self._options.select and not run.failure:
            run.selected = self._select(run, [run.passages[id] for id in wanted if id in run.passages], k)
            ranking = final_ranking(run.trace())
        hits = make_hits(ranking[:k], run.passages)
        name = f"gear over {self._base.name}"
        return Hits(run.question, name, hits, run.paths(), run.exact, facts=run.memory.facts, usage=dict(run.usage))

    def _select(self, run: Run, passages: Sequence[Passage], k: int) -> tuple[str, ...]:
        if not passages:
            return ()
        chosen = run.call("select", lambda: self._roles.select(run.question, passages, paths=run.paths(), k=k))
        return tuple(passages[index].id for index in chosen or ())

    def _answer(self, run: Run, hits: Hits) -> Draft:
        passages = [hit.passage for hit in hits[:SELECT_FROM]]
        if not self._options.answer or run.failure or not passages:
            return Draft("")
        return run.answer(self._roles, passages, memory=run.memory.facts)
