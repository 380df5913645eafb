"""The language model of the settings, on any server with OpenAI's protocol."""

from typing import TYPE_CHECKING

from gear_neo4j.errors import NoModel
from gear_neo4j.models.chat import Chat
from gear_neo4j.models.retries import NO_KEY
from gear_neo4j.settings import Settings
from gear_neo4j.text.address import Address

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

CACHE = "chat-cache.sqlite"


def chat_model(settings: Settings) -> "BaseChatModel":
    """The model at temperature 0, without its own retries, because ``Chat`` retries.

    Raises:
        NoModel: no model is set, or neither a key nor a server.
        SettingsError: the URL of the server or the proxy cannot be used.
    """
    if not settings.chat_model:
        raise NoModel(
            "no language model is set: set GEAR_CHAT_MODEL, and OPENAI_API_KEY or OPENAI_BASE_URL; "
            "'gear search --retriever naive' needs none"
        )
    if not (settings.openai_api_key or settings.openai_base_url):
        raise NoModel(
            f"no server is set for the model {settings.chat_model}: set OPENAI_API_KEY, or OPENAI_BASE_URL for another"
        )
    address = _address(settings)
    # The client takes seconds to import, so commands that call no model must not import it.
    from langchain_core.utils import convert_to_secret_str
    from langchain_openai import ChatOpenAI

    from gear_neo4j.models.http_client import open_client

    return ChatOpenAI(
        model=settings.chat_model,
        temperature=0,
        max_retries=0,
        timeout=settings.chat_timeout,
        http_client=open_client(
            address.url if address else None, seconds=settings.chat_timeout, login=address.login if address else None
        ),
        base_url=address.url if address else None,
        api_key=convert_to_secret_str(settings.openai_api_key or NO_KEY),
    )


def open_chat(settings: Settings, *, cache: bool = True) -> Chat:
    """The model of ``chat_model``; its replies are cached in ``chat-cache.sqlite`` in the home folder.

    Raises:
        NoModel: no model is set, or neither a key nor a server.
        SettingsError: the cache or the URL of the server cannot be used.
    """
    file = settings.home / CACHE if cache else None
    model, address = chat_model(settings), _address(settings)
    secrets = address.login.secrets if address and address.login else ()
    return Chat(model, concurrency=settings.chat_concurrency, cache=file, secrets=secrets)


def _address(settings: Settings) -> Address | None:
    url = settings.openai_base_url
    return Address.of(url, setting="OPENAI_BASE_URL") if url else None
