"""A Gear with a chat model that a test scripts."""

from contextlib import contextmanager

from langchain_openai import ChatOpenAI

from gear_neo4j.models.chat import Chat
from tests.graphs import opened
from tests.scripted_server import ScriptedServer


@contextmanager
def opened_with_model(server, embedder, reply):
    """A Gear whose chat model replies by a script, and the scripted server with the requests that it received."""
    with ScriptedServer(reply) as model:
        client = ChatOpenAI(model="toy", api_key="none", base_url=model.url, max_retries=0, timeout=5)
        with opened(server, embedder, chat=Chat(client)) as gear:
            yield gear, model
