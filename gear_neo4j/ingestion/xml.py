"""Reads XML without entities and without the network, and finds its elements in any namespace."""

from typing import Any


def parsed(content: bytes) -> Any:
    """The root of a document.

    Raises:
        XMLSyntaxError: it is broken.
    """
    from lxml.etree import XMLParser, fromstring

    return fromstring(content, XMLParser(resolve_entities=False, no_network=True))


def first(element: Any, name: str) -> Any:
    """The first element of a name.

    Raises:
        StopIteration: there is none.
    """
    return next(element.iter(f"{{*}}{name}"))


def name(element: Any) -> str:
    """The name of an element, without its namespace."""
    return str(element.tag).rpartition("}")[2]


def texts(element: Any) -> dict[str, str]:
    """The texts of all elements by name; those of one name together, with commas.

    Example:
        >>> texts(parsed(b"<meta><title>Elbe</title><keyword>a</keyword><keyword>b</keyword></meta>"))
        {'title': 'Elbe', 'keyword': 'a, b'}
    """
    found: dict[str, list[str]] = {}
    for one in element.iter("{*}*"):
        if one.text and one.text.strip():
            found.setdefault(name(one), []).append(one.text)
    return {key: ", ".join(values) for key, values in found.items()}
