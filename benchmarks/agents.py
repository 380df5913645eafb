"""The cost of a question with each agent: calls and tokens of a scripted model, on the demo's ten questions.

``python -m benchmarks.agents``: the model's replies end each loop as early as possible, so these are the minimum calls
of an answer; the tokens are those of the real prompts over real passages, at four characters each.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from rich.console import Console
from rich.progress import track
from rich.table import Table

from gear_neo4j import AgentRecipe, Crag, Gear, Settings
from gear_neo4j.evaluate import datasets, runs
from gear_neo4j.roles.evaluators import Grader, SimilarityEvaluator
from gear_neo4j.types import Agent
from gear_neo4j.usage import Usage

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "agents.json"
SENTENCE = "Ana Petkova designed the harbour of Varna in 1921."
# Replies by the first words of the prompt.
REPLIES: dict[str, object] = {
    "You read passages": {"facts": [["Ana Petkova", "designed", "harbour of Varna"]]},
    "You reason step": "So the answer is: Varna.",
    "You judge whether a question": "Answerable: Yes\nAnswer: Varna",
    "You judge whether looking": {"retrieve": "yes"},
    "You judge an answer": {"relevant": "yes", "support": "fully", "use": 5},
    "You answer": f"Answer: {SENTENCE} [1]",
    "You write a report": {"title": "Harbour", "summary": SENTENCE, "rank": 5, "findings": [SENTENCE, SENTENCE]},
    "You are shown reports": {"points": [{"text": SENTENCE, "score": 80, "reports": [1]}]},
    "You take a text": {"statements": [SENTENCE]},
}


class ScriptedModel(BaseChatModel):
    """A chat model with a fixed reply for each role, and as many grades and verdicts as the prompt requests."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        reply = _scripted_reply(str(messages[0].content), str(messages[-1].content))
        text = reply if isinstance(reply, str) else json.dumps(reply)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


def _scripted_reply(task: str, prompt: str) -> object:
    if task.startswith("You grade"):
        return {"scores": [0.9] * len(re.findall(r"^Text \[\d+\]", prompt, re.MULTILINE))}
    if task.startswith("You judge, for each"):
        return {"verdicts": ["yes"] * len(re.findall(r"^\d+\. ", prompt, re.MULTILINE))}
    if task.startswith("You plan"):
        first = {"id": "1", "question": "Who designed the harbour?", "tool": "naive"}
        second = {"id": "2", "question": "Where was {1} born?", "tool": "naive", "after": ["1"]}
        return {"steps": [first, second] if "Done:\n(none)" in prompt else [second] if "step 2" not in prompt else []}
    return next(reply for words, reply in REPLIES.items() if task.startswith(words))


def agents(gear: Gear) -> dict[str, Agent]:
    """Every agent over documents, with its defaults; CRAG's thresholds are never those of a local calibration."""
    recipes: dict[str, str | AgentRecipe] = {
        "gear": "gear",
        "ircot": "ircot",
        "paths": "paths",
        "crag, similarity": Crag(thresholds=SimilarityEvaluator.thresholds),
        "crag, grader": Crag(evaluator="grader", thresholds=Grader.thresholds),
        "selfrag": "selfrag",
        "planner": "planner",
        "graphrag-local": "graphrag-local",
        "graphrag-global": "graphrag-global",
    }
    return {name: gear.agent(recipe) for name, recipe in recipes.items()}


def measure(gear: Gear, queries: tuple[datasets.EvaluationQuery, ...]) -> dict[str, Any]:
    """Calls and tokens per question, by agent and role, and the one-time cost of community reports."""
    # Communities of an earlier run already have reports.
    while gear.graph.communities.clear(limit=1_000):
        pass
    gear.communities.build()
    reports = gear.communities.report().usage
    results: dict[str, Any] = {"communities": {"once": True, **_mean_usage([reports])}}
    for name, agent in agents(gear).items():
        answers = [agent.ask(query.question) for query in track(queries, name)]
        roles = sorted({role for answer in answers for role in answer.usage})
        each = {role: fmean(answer.usage.get(role, Usage()).calls for answer in answers) for role in roles}
        results[name] = {**_mean_usage([answer.total for answer in answers]), "roles": each}
    return results


def _mean_usage(spent: list[Usage]) -> dict[str, float]:
    parts: dict[str, Callable[[Usage], int]] = {
        "calls": lambda usage: usage.calls,
        "input_tokens": lambda usage: usage.input_tokens,
        "output_tokens": lambda usage: usage.output_tokens,
    }
    return {name: round(fmean(map(part, spent)), 1) for name, part in parts.items()}


def main() -> None:
    """Measure, print, write."""
    dataset = datasets.load(Path(str(files("gear_neo4j.demo"))))
    settings = replace(Settings.load(), uri=None, name="evaluate-demo")
    with Gear.connect(settings, chat=ScriptedModel()) as gear:
        runs.provide(gear, dataset)
        results = measure(gear, dataset.queries)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    table = Table("agent", "calls", "tokens in", "tokens out", "by role")
    for name, figures in results.items():
        roles = ", ".join(f"{role} {calls:g}" for role, calls in figures.get("roles", {}).items()) or "once"
        tokens = (f"{figures[key]:,.0f}" for key in ("input_tokens", "output_tokens"))
        table.add_row(name, f"{figures['calls']:g}", *tokens, roles)
    Console().print(table)


if __name__ == "__main__":
    main()
