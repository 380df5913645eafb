"""Converts HTML to Markdown, so that its headings and tables are read like those of other documents."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from sys import getrecursionlimit
from typing import TYPE_CHECKING, Any

from gear_neo4j.ingestion import heads
from gear_neo4j.ingestion.encodings import WESTERN, encoding
from gear_neo4j.ingestion.html_tree import tidy

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

# Elements without visible text. Not the whole head: if it is not closed, the parser puts the page's text into it.
_HIDDEN = ("title", "script", "style", "template", "noscript", "iframe", "object", "audio", "video", "canvas")
# What leads around a page, or asks for something, is no text of it.
_FURNITURE = ("nav", "footer", "button", "select", "datalist", "textarea", "dialog")
_FURNITURE_ROLES = ("navigation", "search", "dialog", "alertdialog", "contentinfo", "menu", "menubar", "toolbar")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary")
_INVISIBLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|(?:left|top|text-indent)\s*:\s*-\d{3}",
    re.IGNORECASE,
)
# Inline marks and the addresses of links would interrupt sentences.
_UNMARKED = ("a", "img", "b", "strong", "i", "em", "code", "kbd", "samp", "s", "del")
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its title, its text as Markdown, and the metadata of its head."""

    title: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


def to_markdown(content: bytes, *, is_data: bool = False) -> Page:
    """A page with its text as Markdown; without a main heading, its title becomes one.

    ``is_data``: its tables hold data, and do not arrange the page. They have heads as a rule, marked or not.

    Raises:
        UnicodeDecodeError, LookupError: the page is neither UTF-8 nor in the encoding that it declares.
        RecursionError: its elements are nested too deeply.

    Example:
        >>> to_markdown(b"<title>Elbe</title><h2>Course</h2><p>It rises in <b>Bohemia</b>.").text
        '# Elbe\\n\\n## Course\\n\\nIt rises in Bohemia.'
    """
    from bs4 import BeautifulSoup, Tag
    from markdownify import ATX, MarkdownConverter

    class Soup(BeautifulSoup):
        """A tree that refuses elements nested more deeply than the converter can handle."""

        def pushTag(self, tag: Tag) -> None:  # noqa: N802
            super().pushTag(tag)
            if len(self.tagStack) > getrecursionlimit():
                raise RecursionError("elements are nested too deeply")

    soup = Soup(content.decode(_encoding(content)), "lxml")
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    metadata = heads.from_html(soup)
    for element in [*soup(_HIDDEN + _FURNITURE), *soup(_is_hidden)]:
        # The heading of an answer is often a button that shows it.
        if not element.decomposed and (element.name != "button" or not element.find_parent(_HEADINGS)):
            element.decompose()
    tidy(soup, is_data=is_data)
    body = _main(soup)
    converter = MarkdownConverter(
        heading_style=ATX,
        bullets="-",
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
        strip=list(_UNMARKED),
    )
    text = _TRAILING.sub("", converter.convert_soup(body)).strip("\n")
    if title and body.h1 is None:
        text = f"# {title}\n\n{text}"
    return Page(title, text, metadata)


def _main(soup: "BeautifulSoup") -> "Tag":
    """What a page says of itself: the rest is about other pages. Some pages leave it empty."""
    for main in (soup.main, soup.find(role="main")):
        if main is not None and main.get_text(strip=True):
            return main
    articles = [article for article in soup("article") if article.find_parent("article") is None]
    # A page of several articles is about all of them, and a short one may be beside the text.
    if len(articles) == 1 and 2 * len(articles[0].get_text()) >= len(soup.get_text()):
        return articles[0]
    return soup


def _is_hidden(element: Any) -> bool:
    """Whether an element is hidden from readers, or says that it leads around the page."""
    return (
        element.has_attr("hidden")
        or element.get("aria-hidden") == "true"
        or element.get("role") in _FURNITURE_ROLES
        or bool(_INVISIBLE.search(str(element.get("style", ""))))
    )


def _encoding(content: bytes) -> str:
    """That of the text; if it is not in UTF-8, first the one that the page declares."""
    from bs4.dammit import EncodingDetector

    found = encoding(content)
    try:
        content.decode(found)
    except UnicodeDecodeError:
        pass
    else:
        if found != WESTERN:
            return found
    declared = EncodingDetector.find_declared_encoding(content, is_html=True)
    return declared or found
