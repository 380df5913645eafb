"""Opens a graph and its models, from arguments or settings."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from gear_neo4j.errors import NoModel
from gear_neo4j.graph.graph import Graph
from gear_neo4j.models.chat import Chat, ChatModel
from gear_neo4j.models.cross_encoder import CrossEncoder, Reranker
from gear_neo4j.models.embeddings import Embedder, open_embedder
from gear_neo4j.models.openai import open_chat
from gear_neo4j.server.connection import connect
from gear_neo4j.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


def open_graph(
    settings: Settings,
    *,
    create: bool,
    impersonate: str | None,
    bookmarks: Iterable[str],
    report: Callable[[str], None],
) -> Graph:
    """The graph of the settings, or that of a local server; see :func:`gear_neo4j.server.connection.connect`."""
    return Graph(connect(settings, create=create, impersonate=impersonate, bookmarks=bookmarks, report=report))


def resolve_embedder(settings: Settings, embedder: Embedder | None) -> Embedder:
    """The given embedder, else that of the settings."""
    return embedder or open_embedder(settings)


def resolve_reranker(settings: Settings, reranker: Reranker | str | None) -> Reranker | None:
    """The given reranker, else that of the settings, if there is one."""
    given = reranker or settings.rerank
    return CrossEncoder(given) if isinstance(given, str) else given


def resolve_chat(chat: "BaseChatModel | ChatModel | None", settings: Settings | None = None) -> ChatModel:
    """The given chat model, else that of the settings.

    Raises:
        NoModel: no chat model is given or set.
    """
    if chat is not None:
        return chat if isinstance(chat, ChatModel) else Chat(chat)
    if settings is None:
        raise NoModel("there is no language model: give Gear one (chat=...); a search with 'naive' needs none")
    return open_chat(settings, cache=settings.chat_cache)
