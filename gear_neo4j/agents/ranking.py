"""The final ranking of a run (GeAR, equation 9): fuses one list per gist triple and one per step by rank."""

from collections.abc import Sequence
from dataclasses import replace

from gear_neo4j.agents.answer import Trace
from gear_neo4j.retrieval.rank.fusion import Ranked, fuse, ranked


def final_ranking(trace: Trace) -> list[Ranked]:
    """The ranking of a trace; the model's selection, if any, comes first in its own order.

    If the steps merged their lists themselves, the last merged list is the ranking.
    """
    if trace.steps and trace.steps[-1].merged:
        return _ranked("merged", trace.steps[-1].merged)
    lists = {f"fact {number}": ids for number, ids in enumerate(trace.links, start=1)}
    lists |= {f"step {step.number}": step.ranking for step in trace.steps}
    fused = fuse({name: _ranked(name, ids) for name, ids in lists.items()})
    rank = {id: number for number, id in enumerate(trace.selected)}
    return sorted(fused, key=lambda item: rank.get(item.id, len(rank)))


def after(trace: Trace, steps: int) -> Trace:
    """The trace as if the run had ended after ``steps`` steps; without the selection, which comes last."""
    first_steps = trace.steps[:steps]
    gained = sum(len(step.gist) for step in first_steps)
    return replace(trace, steps=first_steps, links=trace.links[:gained], selected=())


def _ranked(name: str, ids: Sequence[str]) -> list[Ranked]:
    return ranked(name, [(id, 0.0) for id in ids])
