"""Self-RAG's long form (section 3.3): an answer of several sentences, each from one passage, by beam search."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gear_neo4j.agents.answer import Answer
from gear_neo4j.agents.reflecting import SelfRag, reflect
from gear_neo4j.agents.run import Run
from gear_neo4j.domain import Hit, Hits
from gear_neo4j.roles.critic import Critic, Reflection
from gear_neo4j.roles.parsers import Draft


@dataclass(frozen=True, slots=True)
class Writing:
    """A long answer as it grows: its sentences, each with its passage, and whether it is complete."""

    parts: tuple[tuple[str, Hit], ...] = ()
    score: float = 1.0
    complete: bool = False

    @property
    def text(self) -> str:
        """The sentences so far."""
        return " ".join(sentence for sentence, _ in self.parts)


def write_long_answer(run: Run, hits: Sequence[Hit], *, critic: Critic, options: SelfRag) -> Answer:
    """The best long answer from a fixed list of passages; its score is the product of its sentences' scores.

    If there is no sentence, the stop reason is ``exhausted``.
    """
    beam = [Writing()]
    for _ in range(options.sentences):
        if all(writing.complete for writing in beam) or run.stopped():
            break
        grown = [longer for writing in beam for longer in _continuations(run, writing, hits, critic, options)]
        beam = sorted(grown or beam, key=lambda writing: -writing.score)[: options.beam_width]
    best = beam[0]
    ranks = {hit.passage.id: rank for rank, hit in enumerate(hits, start=1)}
    text = " ".join(f"{sentence} [{ranks[hit.passage.id]}]" for sentence, hit in best.parts)
    cited = tuple(dict.fromkeys(ranks[hit.passage.id] for _, hit in best.parts))
    name = f"selfrag by {critic.name}"
    ranking = Hits(run.question, name, tuple(hits), run.paths(), run.exact, usage=dict(run.usage))
    stop = run.stopped() or ("answerable" if best.parts else "exhausted")
    return run.finish(ranking, Draft(text, cited), stop=stop, grounded=bool(best.parts))


def _continuations(run: Run, writing: Writing, hits: Sequence[Hit], critic: Critic, options: SelfRag) -> list[Writing]:
    """The answer extended by each possible next sentence; itself, marked complete, if there is none."""
    if writing.complete:
        return [writing]
    grown = []
    for hit in hits[: options.drafts]:
        if run.stopped():
            break
        passage = hit.passage
        sentence = run.call("segment", lambda: critic.segment(run.question, passage, before=writing.text))  # noqa: B023
        if sentence and sentence not in writing.text and not run.stopped():
            share = _share(reflect(run, critic, options, sentence, hit).reflection, options)
            grown.append(Writing((*writing.parts, (sentence, hit)), writing.score * share))
    return grown or [replace(writing, complete=True)]


def _share(reflection: Reflection, options: SelfRag) -> float:
    """The score as a share of the maximum, from 0 to 1: a product of negative scores would have no order."""
    best = options.relevance + options.support + options.use
    return (options.score(reflection) + options.use) / (best + options.use) if best else 1.0
