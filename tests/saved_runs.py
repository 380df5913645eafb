"""The output of gear search --json, gear ask --json and gear ask --trace for a small run, by their own code."""

from dataclasses import replace

from gear_neo4j.agents.answer import Answer, Citation, Judgement, QueryAttempt, Step, ToolCall, Trace
from gear_neo4j.domain import Cypher, EntityHit, Fact, Figure, FoundBy, Hit, Hits, Passage, Path, make_triple
from gear_neo4j.wire import to_json


def run(
    *, kind="search", question="Who?", name="Hinton", predicate="studied at", title="T", text="Body.", answer="He [1]."
):
    """The output of one of the commands for a small run."""
    one, two = make_triple("p1", name, predicate, "Edinburgh"), make_triple("p2", "Salter", "founded", "Edinburgh")
    path = Path((one, two), 1.5, (0.8, 0.7))
    passages = [Passage("p1", title, text, "a.md", "line 3"), Passage("p2", title, text)]
    hits = Hits(
        question, "naive", tuple(Hit(p, 0.5, n, (FoundBy("bm25", n),)) for n, p in enumerate(passages, 1)), (path,)
    )
    cypher = Cypher("MATCH (person:Person) WHERE person.name = $p0 RETURN person", {"p0": name})
    hits = replace(
        hits,
        entities=(EntityHit("4:x:1", name, (title,), 1, f"which {predicate}", cypher, 1234.5, 0.9),),
        figure=Figure(text, f"how many {predicate}", cypher, 0.5),
        doubt=answer,
    )
    if kind == "search":
        return to_json(hits)
    fact = Fact(name, predicate, "Edinburgh")
    queries = (
        QueryAttempt("MATCH (n) RETURN n", "too much"),
        QueryAttempt(f"RETURN {name!r} AS x", rows=(predicate, name)),
    )
    step = Step(1, question, paths=(path,), ranking=("p1", "p2"), gist=(fact,), queries=queries)
    judged = Judgement("relevance", "p1", "correct", 0.75), Judgement("claim", text, predicate)
    calls = ToolCall("naive", question, text), ToolCall("paths", name, failure="no route")
    plan = f"naive: {question}", f"paths: {name}"
    step = replace(step, answerable=True, reason="it says so", judgements=judged, plan=plan, tool_calls=calls)
    trace = Trace(question, "model", (step,), (("p1",),), (), {"p1": title, "p2": title}, answer)
    if kind == "trace":
        return to_json(trace)
    return to_json(Answer(question, answer, hits, trace, "answerable", (Citation("1", passages[0]),)))
