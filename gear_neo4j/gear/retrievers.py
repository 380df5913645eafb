"""The built-in retrievers: how each is made from its recipe."""

from gear_neo4j.gear.session import Session
from gear_neo4j.recipes.registry import register_retriever
from gear_neo4j.retrieval.auto import Auto, AutoRetriever
from gear_neo4j.retrieval.base import Base, BaseRetriever
from gear_neo4j.retrieval.hipporag import HippoRag, HippoRag2, HippoRag2Retriever, HippoRagRetriever
from gear_neo4j.retrieval.naive import Naive, NaiveRetriever
from gear_neo4j.retrieval.paths import PathRetriever, Paths
from gear_neo4j.retrieval.rerank import Rerank, RerankRetriever
from gear_neo4j.retrieval.scout import Scout, ScoutGraph, ScoutRetriever
from gear_neo4j.retrieval.subgraph import Subgraph, SubgraphRetriever
from gear_neo4j.retrieval.sync import SyncExpansion, SyncGE, SyncRetriever
from gear_neo4j.roles.answering import PromptedRoles
from gear_neo4j.roles.seeds import PromptedSeeder


@register_retriever(Auto, tool="facts that several documents state together; the first choice")
def auto(session: Session, _recipe: Auto) -> AutoRetriever:
    """Chooses for each search the retriever that fits the current database."""
    return AutoRetriever(session.graph.store.contents, session.retriever, strict=session.graph.scope.strict)


@register_retriever(Naive)
def naive(session: Session, recipe: Naive) -> NaiveRetriever:
    """NaiveGE over the first stage of the recipe."""
    return NaiveRetriever(
        session.graph.store,
        base=session.first_stage(recipe.base),
        expansion=session.expansion(beam=recipe.beam, score=recipe.score),
        embedder=session.embedder,
        base_k=recipe.base_k,
    )


@register_retriever(SyncGE)
def sync(session: Session, recipe: SyncGE) -> SyncRetriever:
    """SyncGE in a single step."""
    return SyncRetriever(sync_expansion(session, recipe), embedder=session.embedder)


def sync_expansion(session: Session, recipe: SyncGE) -> SyncExpansion:
    """SyncGE, for the retriever and for GeAR's agent."""
    reader = session.role(PromptedRoles, method="read")
    return SyncExpansion(
        session.graph.store,
        base=session.first_stage(recipe.base),
        expansion=session.expansion(beam=recipe.beam, score=recipe.score),
        reader=reader,
        embedder=session.embedder,
        base_k=recipe.base_k,
    )


@register_retriever(Scout)
def scout(session: Session, recipe: Scout) -> ScoutRetriever:
    """Scout over the current graph."""
    session.graph.store.require_entities(recipe.name)
    graph = session.graph
    return ScoutRetriever(ScoutGraph(graph.store, graph.pagerank, graph.edges, session.embedder), options=recipe)


@register_retriever(Paths)
def paths(session: Session, recipe: Paths) -> PathRetriever:
    """Paths between the nodes that a question names."""
    return PathRetriever(
        session.graph,
        base=session.first_stage(recipe.base),
        finder=session.finder,
        embedder=session.embedder,
        options=recipe,
    )


@register_retriever(Subgraph)
def subgraph(session: Session, recipe: Subgraph) -> SubgraphRetriever:
    """The subgraph around the triples nearest to the question."""
    return SubgraphRetriever(session.graph, embedder=session.embedder, options=recipe)


@register_retriever(Base, tool="what one document says in so many words")
def base(session: Session, recipe: Base) -> BaseRetriever:
    """A ranker by itself."""
    return BaseRetriever(session.graph.store, base=session.first_stage(recipe.base), embedder=session.embedder)


@register_retriever(HippoRag)
def hipporag(session: Session, recipe: HippoRag) -> HippoRagRetriever:
    """HippoRAG 1; without a model that names entities, its base."""
    session.graph.store.require_entities(recipe.name)
    namer = session.optional_role(PromptedSeeder, method="names")
    return HippoRagRetriever(session.memory, base=session.first_stage(recipe.base), namer=namer)


@register_retriever(HippoRag2)
def hipporag2(session: Session, _recipe: HippoRag2) -> HippoRag2Retriever:
    """HippoRAG 2; without a model, it keeps all seeds."""
    return HippoRag2Retriever(session.memory, filter=session.optional_role(PromptedSeeder, method="keep"))


@register_retriever(Rerank)
def rerank(session: Session, recipe: Rerank) -> RerankRetriever:
    """The session's reranker over another retriever."""
    return RerankRetriever(session.retriever(recipe.over), reranker=session.reranker, options=recipe)
