"""Clients of model servers that sign in with the login of a URL."""

import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from gear_neo4j.address import Login

Client = TypeVar("Client")


def signed_in(make: Callable[..., Client], login: Login | None, /, **options: Any) -> Client:
    """A LangChain client of OpenAI's protocol that sends a login, if there is one, with each request.

    The HTTP library would take it from the URL as well, and then write the whole URL into its log.
    """
    if login is None:
        return make(**options)
    from openai import DefaultHttpxClient

    http = DefaultHttpxClient(auth=(login.user, login.password))
    client = make(http_client=http, **options)
    # A client that was not made by the library is not closed by it either.
    weakref.finalize(client, http.close)
    return client
