"""The cost of an answer over an existing graph: ``python -m benchmarks.querying GRAPH_DIR...``.

The agents ``cypher`` and ``pattern`` get the same questions, whose reference queries a scripted model knows. For
``cypher`` it writes the reference, so that only the guard can fail; for ``pattern`` it chooses the query whose visible
results are names of the answer. Tokens are estimated at four characters each. *Answered* is the share of questions with
rows or nodes, *right* the share whose first node is right.
"""

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.measure import fresh_server, machine
from gear_neo4j import CypherAgent, Gear, PatternAgent
from gear_neo4j.agents.answer import Answer
from gear_neo4j.evaluate import knowledge
from gear_neo4j.models.chat import Chat
from gear_neo4j.settings import Settings

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks" / "querying.json"
FIGURES = ("calls", "input_tokens", "output_tokens", "answered", "right")


class ReferenceModel(BaseChatModel):
    """A model that knows each question's reference query and the names of its answer."""

    queries: dict[str, str]
    names: dict[str, list[str]]

    @property
    def _llm_type(self) -> str:
        return "reference"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        task, prompt = str(messages[0].content), str(messages[-1].content)
        question = re.findall(r"^Question: (.*)$", prompt, re.MULTILINE)[-1]
        if task.startswith("You turn a question"):
            text = self.queries[question]
        elif task.startswith("You choose"):
            text = json.dumps(self._choice(prompt, question))
        else:
            text = "Answer: It is as the facts say [F1]."
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])

    def _choice(self, prompt: str, question: str) -> list[int]:
        shown = re.findall(r"^\[(\d+)\]\n.*?^Results: (.*?)$", prompt, re.MULTILINE | re.DOTALL)
        wanted = set(self.names[question])
        return next(([int(number)] for number, names in shown if names.split(", ")[0] in wanted), [])


def measure(folder: Path, settings: Settings) -> dict[str, dict[str, float]]:
    """The figures of both agents."""
    rows = [json.loads(line) for line in (folder / knowledge.QUESTIONS).read_text("utf-8").splitlines()]
    model = ReferenceModel(
        queries={row["question"]: row["cypher"] for row in rows},
        names={row["question"]: row["answers"] for row in rows},
    )
    with fresh_server(settings) as server:
        connected = replace(settings, uri=server.uri, username=server.username, password=server.password)
        with Gear.connect(connected, chat=Chat(model)) as gear:
            dataset = knowledge.load(folder)
            knowledge.provide(gear, dataset)
            entities = knowledge.AnswerEntities(gear.graph.lexicon.every_node())
            wanted = {row.question: entities.wanted(row.question, row.answer) for row in dataset.questions}
            figures = {}
            for recipe in (CypherAgent(), PatternAgent()):
                agent = gear.agent(recipe)
                answers = [agent.ask(row.question) for row in track(dataset.questions, f"{folder.name}: {recipe.name}")]
                figures[recipe.name] = _means([_figures(answer, entities, wanted) for answer in answers])
            return figures


def _figures(
    answer: Answer, entities: knowledge.AnswerEntities, wanted: Mapping[str, Sequence[str]]
) -> dict[str, float]:
    queries = [query for step in answer.trace.steps for query in step.queries]
    found = knowledge.Retrieved((), answer.hits.entities)
    right = {"right": 100.0 * entities.is_first(wanted[answer.question], found)}
    return {
        "calls": answer.total.calls,
        "input_tokens": answer.total.input_tokens,
        "output_tokens": answer.total.output_tokens,
        "answered": 100.0 * any(query.rows and not query.problem for query in queries),
        **(right if answer.hits.retriever == PatternAgent.name else {}),
    }


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: round(fmean(row[name] for row in rows), 2) for name in FIGURES if name in rows[0]}


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.querying", description=__doc__)
    parser.add_argument("graphs", nargs="+", type=Path)
    settings = replace(Settings.load(), uri=None, name="bench-querying", database=None)
    results: dict[str, Any] = {"machine": machine(settings.neo4j_version), "graphs": {}}
    table = Table("", "agent", "calls", "tokens in", "tokens out", "answered %", "first node right %")
    for folder in parser.parse_args().graphs:
        results["graphs"][folder.resolve().name] = figures = measure(folder, settings)
        for name, of in figures.items():
            # The rows of the reference are right by definition, and are not nodes.
            shown = (f"{of[key]:,.2f}" if key in of else "" for key in FIGURES)
            table.add_row(folder.resolve().name, name, *shown)
    Console().print(table)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
