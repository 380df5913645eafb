"""The built-in agents: how each is made from its recipe."""

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from gear_neo4j.agents.crag import Crag, CragLoop
from gear_neo4j.agents.cypher import CypherAgent, CypherLoop
from gear_neo4j.agents.gear import GearAgent, GearLoop
from gear_neo4j.agents.graphrag import GlobalSearch, GraphRagGlobal, GraphRagLocal, LocalSearch
from gear_neo4j.agents.ircot import Ircot, IrcotLoop
from gear_neo4j.agents.kgt import Kgt, KgtLoop
from gear_neo4j.agents.outline import outline
from gear_neo4j.agents.paths import PathAgent, PathAnswerer
from gear_neo4j.agents.pattern import PatternAgent, PatternLoop
from gear_neo4j.agents.plain import Plain, PlainAgent
from gear_neo4j.agents.planner import Planner, PlannerLoop
from gear_neo4j.agents.reflecting import SelfRag
from gear_neo4j.agents.search import SearchAgent, SearchAnswerer
from gear_neo4j.agents.selfrag import SelfRagLoop
from gear_neo4j.agents.template import TemplateAgent, TemplateFirst, TemplateLoop
from gear_neo4j.agents.tools import AgentTool, RetrieverTool, Tool
from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.gear.retrievers import sync_expansion
from gear_neo4j.gear.session import Session
from gear_neo4j.recipes.recipe import AgentRecipe
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS, register_agent
from gear_neo4j.retrieval.dictionary import Names
from gear_neo4j.retrieval.linking import EntityLinker
from gear_neo4j.retrieval.subgraph import SubgraphRetriever
from gear_neo4j.roles.analyst import PromptedAnalyst
from gear_neo4j.roles.answering import PromptedRoles
from gear_neo4j.roles.calibrated import load_calibration
from gear_neo4j.roles.chooser import PromptedChooser
from gear_neo4j.roles.critic import PromptedCritic
from gear_neo4j.roles.evaluators import Evaluator, open_evaluator
from gear_neo4j.roles.planner import PromptedPlanner
from gear_neo4j.roles.reporter import PromptedReporter
from gear_neo4j.roles.template_chooser import PromptedTemplateChooser
from gear_neo4j.roles.text_to_cypher import PromptedTextToCypher

# Number of templates that a planner's prompt describes; the tool itself uses all.
DESCRIBED = 10


@register_agent(SearchAgent)
def search(session: Session, recipe: SearchAgent) -> TemplateFirst:
    """Sentences of what a search finds, unless a template is certain."""
    agent = SearchAnswerer(session.retriever(recipe.over), embedder=session.embedder, options=recipe)
    return TemplateFirst(agent, TemplateLoop(session.templates))


@register_agent(GearAgent)
def gear(session: Session, recipe: GearAgent) -> GearLoop:
    """GeAR's loop over the synchronised expansion of the recipe."""
    sync = recipe.sync
    return GearLoop(
        session.graph.store,
        sync=sync_expansion(session, sync),
        base=session.first_stage(sync.base),
        roles=session.role(PromptedRoles),
        embedder=session.embedder,
        options=recipe,
    )


@register_agent(PathAgent, tool="how two or more things that are named are tied together")
def paths(session: Session, recipe: PathAgent) -> PathAnswerer:
    """One search, one answer."""
    return PathAnswerer(session.retriever(recipe.over), roles=session.role(PromptedRoles))


@register_agent(Kgt, tool="lists and properties out of a knowledge graph that was adopted")
def kgt(session: Session, recipe: Kgt) -> KgtLoop:
    """KG-based Thought over the types of the adopted graph."""
    graph = session.graph
    types = graph.templates.types()
    if not types.ties:
        raise InputError("kgt needs an adopted graph: run 'gear adopt' first")
    linker = EntityLinker(
        graph.store,
        names=Names(session.graph.lexicon),
        embedder=session.embedder,
        described=graph.templates.described,
    )
    return KgtLoop(
        graph.templates,
        linker=linker,
        outline=outline(session.survey.current(), types),
        types=types,
        analyst=session.role(PromptedAnalyst, method="analyse"),
        roles=session.role(PromptedRoles),
        options=recipe,
    )


@register_agent(PatternAgent, tool="counts, lists and comparisons over a knowledge graph that was adopted")
def pattern(session: Session, recipe: PatternAgent) -> TemplateFirst:
    """Patterns over the adopted graph, unless a template is certain; without a chat model, only certain patterns."""
    _require_adopted(session, recipe)
    chooser = session.optional_role(PromptedChooser, method="choose")
    agent = PatternLoop(session.finder, chooser=chooser, options=recipe)
    return TemplateFirst(agent, TemplateLoop(session.templates, options=TemplateAgent(listed=recipe.listed)))


@register_agent(TemplateAgent)
def template(session: Session, recipe: TemplateAgent) -> TemplateLoop:
    """Queries of the graph's owner; without a chat model, only one that is certain."""
    _require_adopted(session, recipe)
    chooser = session.optional_role(PromptedTemplateChooser, method="choose_template")
    return TemplateLoop(session.templates, chooser=chooser, options=recipe)


def _require_adopted(session: Session, recipe: AgentRecipe) -> None:
    if session.graph.patterns.schema() is None:
        raise InputError(f"{recipe.name} needs an adopted graph: run 'gear adopt' first")


@register_agent(CypherAgent)
def cypher(session: Session, recipe: CypherAgent) -> CypherLoop:
    """Queries over the graph, written by a model."""
    generator = session.role(PromptedTextToCypher, method="query")
    return CypherLoop(session.graph, survey=session.survey, generator=generator, finder=session.finder, options=recipe)


@register_agent(Ircot)
def ircot(session: Session, recipe: Ircot) -> IrcotLoop:
    """IRCoT over a retriever."""
    return IrcotLoop(
        session.retriever(recipe.over), thinker=session.role(PromptedRoles, method="think"), options=recipe
    )


@register_agent(Crag)
def crag(session: Session, recipe: Crag) -> CragLoop:
    """CRAG over a retriever; without a chat model, it only judges the passages and writes no answer."""
    evaluator = _evaluator(session, recipe)
    if recipe.thresholds is None and (calibration := load_calibration(session.settings.home, evaluator.name)):
        recipe = recipe.model_copy(update={"thresholds": calibration.thresholds})
    searcher = None
    if recipe.fallback == "web":
        # Imported late, because its client is an extra.
        from gear_neo4j.retrieval.tavily import TavilySearch

        searcher = TavilySearch()
    return CragLoop(
        session.retriever(recipe.over),
        evaluator=evaluator,
        roles=session.optional_role(PromptedRoles, method="keywords") if recipe.answer else None,
        searcher=searcher,
        options=recipe,
    )


def _evaluator(session: Session, recipe: Crag) -> Evaluator:
    if hasattr(session.player, "evaluate"):
        return cast(Evaluator, session.player)
    return open_evaluator(
        recipe.evaluator, recipe.evaluator_model, embedder=lambda: session.embedder, chat=lambda: session.chat
    )


@register_agent(SelfRag)
def selfrag(session: Session, recipe: SelfRag) -> SelfRagLoop:
    """Self-RAG over a retriever."""
    critic = session.role(PromptedCritic, method="reflect")
    return SelfRagLoop(session.retriever(recipe.over), critic=critic, options=recipe)


@register_agent(GraphRagLocal, tool="a description of a thing and all that is around it")
def graphrag_local(session: Session, recipe: GraphRagLocal) -> LocalSearch:
    """GraphRAG's local search over a subgraph."""
    subgraph = SubgraphRetriever(session.graph, embedder=session.embedder, options=recipe.over)
    return LocalSearch(subgraph, session.graph, embedder=session.embedder, roles=session.role(PromptedRoles))


@register_agent(GraphRagGlobal, tool="themes and summaries of the whole collection")
def graphrag_global(session: Session, recipe: GraphRagGlobal) -> GlobalSearch:
    """GraphRAG's global search over the reports."""
    return GlobalSearch(session.graph, reporter=session.role(PromptedReporter, method="points"), options=recipe)


@register_agent(Planner)
def planner(session: Session, recipe: Planner) -> PlannerLoop:
    """A planner over the tools of the recipe."""
    return PlannerLoop(
        list(planner_tools(session, recipe)), planner=session.role(PromptedPlanner, method="plan"), options=recipe
    )


@register_agent(Plain)
def plain(session: Session, _: Plain) -> PlainAgent:
    """The model without a search."""
    return PlainAgent(session.chat)


def planner_tools(session: Session, recipe: Planner) -> Iterator[Tool]:
    """The tools of a recipe; by default, all retrievers and agents that describe their purpose.

    Raises:
        SettingsError: the planner is its own tool, and would plan forever.
    """
    if recipe.name in recipe.tools:
        raise SettingsError("planner cannot be a tool of itself: leave it out of its tools")
    if recipe.tools:
        for tool in recipe.tools:
            yield _tool(session, tool) if isinstance(tool, str) else tool
        return
    entries = (*RETRIEVERS, *AGENTS)
    names = dict.fromkeys(entry.name for entry in entries if entry.tool and not entry.recipe.refusal(session.graph))
    for name in names:
        yield _tool(session, name)
    if templates := session.templates.all():
        described = "; ".join(template.description for template in templates[:DESCRIBED])
        yield replace(_tool(session, TemplateAgent.name), description=f"queries of the graph's owner: {described}")
    if recipe.allow_cypher:
        yield replace(_tool(session, CypherAgent.name), description="counts and comparisons over a graph, by a query")


def _tool(session: Session, name: str) -> AgentTool | RetrieverTool:
    agents = AGENTS.entries
    if name in agents:
        entry = agents[name]
        # Created when a plan first needs it, because not every graph meets its requirements.
        return AgentTool(name, entry.tool or entry.summary, lambda: session.agent(entry.recipe()))
    retriever = RETRIEVERS.entry(name)
    roles = session.role(PromptedRoles)
    return RetrieverTool(name, retriever.tool or retriever.summary, session.retriever(retriever.recipe()), roles)
