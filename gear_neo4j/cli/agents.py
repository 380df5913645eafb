"""Which agents there are on the command line, and how each is made from the options."""

from collections.abc import Callable
from typing import Any

import click

from gear_neo4j.agents.agent import Agent
from gear_neo4j.agents.crag import CragOptions
from gear_neo4j.agents.gear import GearOptions
from gear_neo4j.agents.graphrag import GlobalOptions
from gear_neo4j.agents.planner import PlanOptions
from gear_neo4j.agents.reflecting import SelfRagOptions
from gear_neo4j.cli.options import beam_from
from gear_neo4j.errors import SettingsError
from gear_neo4j.gear import Gear
from gear_neo4j.integrations.tavily import TavilySearch
from gear_neo4j.models.chat import ChatModel
from gear_neo4j.models.embeddings import Embedder
from gear_neo4j.roles.calibrated import calibrated
from gear_neo4j.roles.evaluators import CrossEncoderEvaluator, Evaluator, Grader, SimilarityEvaluator
from gear_neo4j.settings import Settings

AGENTS = ("gear", "paths", "kgt", "cypher", "crag", "selfrag", "planner", "graphrag-local", "graphrag-global")
EVALUATOR = (
    click.option(
        "--evaluator",
        type=click.Choice(["similarity", "grader", "cross-encoder"]),
        default="similarity",
        show_default=True,
        help="What judges passages: the embedding model, the language model, or a cross-encoder.",
    ),
    click.option("--evaluator-model", help="The cross-encoder: a name of sentence-transformers, or a folder."),
)
JUDGING = (
    click.option(
        "--over",
        type=click.Choice(["naive", "base", "scout", "paths", "subgraph", "hipporag2", "sync"]),
        default="naive",
        show_default=True,
        help="The retriever of crag and selfrag.",
    ),
    *EVALUATOR,
    click.option(
        "--fallback",
        type=click.Choice(["abstain", "corpus", "web"]),
        default="abstain",
        show_default=True,
        help="crag, where nothing is of use: no answer, another question to the graph, or Tavily (TAVILY_API_KEY).",
    ),
    click.option("--long", is_flag=True, help="selfrag: an answer of several sentences, each from one passage."),
    click.option("--allow-cypher", is_flag=True, help="planner: let it use queries that the model writes."),
)


def evaluator_from(given: dict[str, Any], *, embedder: Embedder, chat: ChatModel | None) -> Evaluator:
    """The evaluator that the options name.

    Raises:
        SettingsError: a cross-encoder without a model.
    """
    kind, model = given["evaluator"], given["evaluator_model"]
    if (kind == "cross-encoder") != bool(model):
        raise SettingsError("--evaluator cross-encoder and --evaluator-model belong together: give both or neither")
    if kind == "cross-encoder":
        return CrossEncoderEvaluator(model)
    return Grader(chat) if kind == "grader" and chat else SimilarityEvaluator(embedder)


def agent_named(name: str, gear: Gear, given: dict[str, Any], *, settings: Settings) -> Agent:
    """The agent of a name, made from the options of the command that concern it."""
    budget = {"tokens": given["tokens"], "seconds": given["seconds"]}
    makers: dict[str, Callable[[], Agent]] = {
        "cypher": gear.cypher_agent,
        "kgt": gear.kgt_agent,
        "paths": lambda: gear.path_agent(base=given["base"]),
        "graphrag-local": gear.graphrag_local,
        "graphrag-global": lambda: gear.graphrag_global(options=GlobalOptions(**budget)),
        "crag": lambda: _crag(gear, given, settings, budget),
        "selfrag": lambda: gear.selfrag(
            gear.retriever(given["over"], base=given["base"]), options=SelfRagOptions(long=given["long"], **budget)
        ),
        "planner": lambda: gear.planner(
            tools=gear.tools(cypher=given["allow_cypher"]),
            options=PlanOptions(max_steps=2 * given["max_steps"], **budget),
        ),
    }
    if name in makers:
        return makers[name]()
    keys = ("max_steps", "step_k", "select", "read_once")
    options = GearOptions(**{key: given[key] for key in keys}, **budget)
    return gear.agent(base=given["base"], beam=beam_from(given), score=given["score"], options=options)


def _crag(gear: Gear, given: dict[str, Any], settings: Settings, budget: dict[str, Any]) -> Agent:
    evaluator = evaluator_from(given, embedder=gear.embedder, chat=gear.chat)
    found = calibrated(settings.home, evaluator.name)
    web = given["fallback"] == "web"
    options = CragOptions(
        fallback="corpus" if given["fallback"] == "corpus" else "abstain",
        thresholds=found.thresholds if found else None,
        **budget,
    )
    retriever = gear.retriever(given["over"], base=given["base"])
    return gear.crag(retriever, evaluator=evaluator, searcher=TavilySearch() if web else None, options=options)
