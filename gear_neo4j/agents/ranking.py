"""The final ranking of a run (GeAR, equation 9): fuses the passage of each gist triple and the list of each step."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gear_neo4j.agents.answer import Trace
from gear_neo4j.retrieval.rank.fusion import Ranked, fuse, ranked


def final_ranking(trace: Trace) -> list[Ranked]:
    """The ranking of a trace; the model's selection, if any, comes first in its own order.

    A fact is stated by one passage: the first of those linked to it. The others follow the passages of the steps; the
    paper fuses all of them, which puts passages that are only similar to a fact before those that the steps found.
    If the steps merged their lists themselves, the last merged list is the ranking.
    """
    if trace.steps and trace.steps[-1].merged:
        return _ranked("merged", trace.steps[-1].merged)
    facts = {f"fact {number}": ids for number, ids in enumerate(trace.links, start=1)}
    steps = {f"step {step.number}": step.ranking for step in trace.steps}
    fused = _fused({name: ids[:1] for name, ids in facts.items()} | steps)
    known = {item.id for item in fused}
    similar = [item for item in _fused(facts) if item.id not in known]
    rank = {id: number for number, id in enumerate(trace.selected)}
    return sorted([*fused, *similar], key=lambda item: rank.get(item.id, len(rank)))


def after(trace: Trace, steps: int) -> Trace:
    """The trace as if the run had ended after ``steps`` steps; without the selection, which comes last."""
    first_steps = trace.steps[:steps]
    gained = sum(len(step.gist) for step in first_steps)
    return replace(trace, steps=first_steps, links=trace.links[:gained], selected=())


def _fused(lists: Mapping[str, Sequence[str]]) -> list[Ranked]:
    return fuse({name: _ranked(name, ids) for name, ids in lists.items()})


def _ranked(name: str, ids: Sequence[str]) -> list[Ranked]:
    return ranked(name, [(id, 0.0) for id in ids])
