"""Self-RAG (Asai et al. 2024) with any chat model: drafts an answer from each passage, and returns the best."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from gear_neo4j.agents.answer import Answer, Judgement, StopReason
from gear_neo4j.agents.reflecting import Candidate, SelfRag, reflect
from gear_neo4j.agents.run import OnEvent, Run
from gear_neo4j.agents.segments import write_long_answer
from gear_neo4j.domain import Hit, Hits
from gear_neo4j.retrieval.question import checked
from gear_neo4j.retrieval.retriever import Retriever, ranked_again
from gear_neo4j.roles.citations import without_markers
from gear_neo4j.roles.critic import Critic
from gear_neo4j.roles.parsers import Draft


class SelfRagLoop:
    """The loop over any retriever: a draft from each passage, revised until one is supported and useful."""

    def __init__(self, retriever: Retriever, *, critic: Critic, options: SelfRag = SelfRag()) -> None:
        self._retriever = retriever
        self._critic = critic
        self._options = options

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question; ``grounded`` is False for an answer without a supporting passage.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        text = checked(question, k=k)
        run = Run(text, self._critic.name, on_event, tokens=self._options.max_tokens, seconds=self._options.max_seconds)
        run.begin(text)
        if not self._needs_retrieval(run):
            return self._from_memory(run, "answerable")
        if self._options.long:
            return write_long_answer(run, run.search(self._retriever, k=k), critic=self._critic, options=self._options)
        return self._short_answer(run, k)

    def _needs_retrieval(self, run: Run) -> bool:
        if self._options.retrieve != "adaptive":
            return self._options.retrieve == "always"
        share = run.call("retrieve", lambda: self._critic.needs_passages(run.question))
        needed = share is None or share > self._options.threshold
        judgement = Judgement("retrieve", run.question, "yes" if needed else "no", share)
        run.note(action="retrieve" if needed else "recall", judgements=(judgement,))
        return needed

    def _short_answer(self, run: Run, k: int) -> Answer:
        """The short form, with its retries."""
        hits_by_id: dict[str, Hit] = {}
        tried: list[Candidate] = []
        stop: StopReason | None = None
        while stop is None:
            hits = run.search(self._retriever, k=k)
            hits_by_id.update({hit.passage.id: hit for hit in hits if hit.passage.id not in hits_by_id})
            candidates = self._candidates(run, hits)
            tried += candidates
            stop = run.stopped() or self._verdict(run, tried, candidates) or self._rewrite(run)
        if not tried and not hits_by_id and stop != "model_error":
            return self._from_memory(run, stop)
        # In a closed set, all votes count; otherwise, a good answer beats a higher score.
        good = [] if self._options.labels else [candidate for candidate in tried if candidate.good]
        return self._conclude(run, self._best(good or tried), list(hits_by_id.values())[:k], stop)

    def _verdict(self, run: Run, tried: list[Candidate], candidates: Sequence[Candidate]) -> StopReason | None:
        """The stop reason for a good answer, if necessary after revisions; None if another search is needed."""
        best = self._best(candidates)
        for _ in range(self._options.max_regenerations):
            if best is None or best.good or best.reflection.relevance < 0.5 or run.stopped():
                break
            revised = self._revise(run, best, [candidate.text for candidate in tried if candidate.hit == best.hit])
            if revised is None:
                break
            tried.append(revised)
            best = max(best, revised, key=lambda candidate: (candidate.good, candidate.score))
        reason = f"score {best.score:.2f}" if best else "no answer"
        run.judge(bool(best and best.good), reason)
        return "answerable" if best and best.good else run.stopped()

    def _rewrite(self, run: Run) -> StopReason | None:
        questions = [step.question for step in run.steps]
        if len(questions) > self._options.max_rewrites:
            return "exhausted"
        why = "no passage that was found supports a useful answer"
        query = run.call("rewrite", lambda: self._critic.rewrite(run.question, (), why=why, asked=questions))
        run.note(rewrite=query or "")
        if stop := run.stopped():
            return stop
        if not query or query in questions:
            return "no_new_question"
        run.begin(query)
        return None

    def _candidates(self, run: Run, hits: Iterable[Hit]) -> list[Candidate]:
        candidates = []
        for hit in list(hits)[: self._options.drafts]:
            if run.stopped():
                break
            draft = run.call("answer", lambda: self._critic.answer(run.question, [hit.passage], memory=()))  # noqa: B023
            if draft and not run.stopped():
                candidates.append(reflect(run, self._critic, self._options, without_markers(draft.text), hit))
        return candidates

    def _revise(self, run: Run, best: Candidate, refused: Sequence[str]) -> Candidate | None:
        hit = best.hit
        if hit is None:
            return None
        draft = run.call("revise", lambda: self._critic.revise(run.question, hit.passage, refused=refused))
        if draft is None or run.stopped():
            return None
        return reflect(run, self._critic, self._options, without_markers(draft.text), hit)

    def _best(self, candidates: Sequence[Candidate]) -> Candidate | None:
        """The best candidate, ties broken by rank; in a closed set, the best of the label with the highest total."""
        order = sorted(candidates, key=lambda candidate: (-candidate.score, candidate.hit.rank if candidate.hit else 0))
        if not order or not self._options.labels:
            return order[0] if order else None
        votes: dict[str, float] = {}
        for candidate in order:
            votes[self._label(candidate)] = votes.get(self._label(candidate), 0.0) + candidate.score
        winner = max((label for label in votes if label), key=lambda label: votes[label], default="")
        return next(
            (
                replace(candidate, text=winner or candidate.text)
                for candidate in order
                if self._label(candidate) == winner
            ),
            order[0],
        )

    def _label(self, candidate: Candidate) -> str:
        """The label that an answer begins with, as spelt in the options; empty if none."""
        text = candidate.text.strip().casefold()
        return next(
            (label for label in self._options.labels if re.match(rf"\W*{re.escape(label.casefold())}\b", text)), ""
        )

    def _from_memory(self, run: Run, stop: StopReason) -> Answer:
        """An answer without passages, judged only by its use."""
        draft = run.call("recall", lambda: self._critic.recall(run.question))
        if draft is not None and not run.stopped():
            reflect(run, self._critic, self._options, draft.text, None)
        empty = Hits(run.question, "selfrag", (), usage=dict(run.usage))
        stop = "model_error" if run.failure else stop
        return run.finish(empty, draft or Draft(""), stop=stop, grounded=False)

    def _conclude(self, run: Run, best: Candidate | None, hits: Sequence[Hit], stop: StopReason) -> Answer:
        """The best answer; its passage comes first, and is cited if it supports the answer even partially."""
        first = [best.hit] if best and best.hit else []
        order = ranked_again([*first, *(hit for hit in hits if hit not in first)])
        run.note(merged=tuple(hit.passage.id for hit in order))
        ranking = Hits(
            run.question, f"selfrag by {self._critic.name}", order, run.paths(), run.exact, usage=dict(run.usage)
        )
        supported = bool(best and best.hit and best.reflection.supported > 0)
        text = f"{best.text} [1]" if best and supported else best.text if best else ""
        draft = Draft(text, (1,) if supported else ())
        return run.finish(ranking, draft, stop="model_error" if run.failure else stop, grounded=supported)
