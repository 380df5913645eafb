"""The address of the service in links to passages."""

from gear_neo4j.web.service import Call


def public_url(call: Call) -> str:
    """Below which the page shows passages: the public address of the service, or the one that the request came to."""
    return call.service.options.public_url or str(call.request.base_url)
