"""Displays results: as HTML without scripts in notebooks, and as pandas data frames."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any

from gear_neo4j.errors import SettingsError
from gear_neo4j.provided import provided
from gear_neo4j.text.printable import printable

_CELL = "text-align:left;vertical-align:top;white-space:normal"
_FAINT = "opacity:.65"


class Displayed:
    """The base of results that Jupyter displays as tables and pictures."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """HTML for Jupyter: every text escaped, no script."""
        shown: str = provided("notebook").html(self)
        return shown


def html_text(text: str) -> str:
    """A text as HTML.

    Example:
        >>> html_text("a < b\\u202e")
        'a &lt; b'
    """
    return escape(printable(text))


def html_note(text: str) -> str:
    """A faint paragraph; empty for an empty text."""
    return f'<p style="{_FAINT}" dir="auto">{html_text(text)}</p>' if text else ""


def html_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the cells are HTML.

    Example:
        >>> html_table(["name"], [["<b>Curie</b>"]]).count("<td")
        1
    """
    head = "".join(f'<th style="{_CELL}">{html_text(column)}</th>' for column in columns)
    body = "".join("<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def data_frame(rows: Sequence[Mapping[str, Any]], *, columns: Sequence[str]) -> Any:
    """Rows as a ``pandas.DataFrame``, which has its columns even without rows.

    Raises:
        SettingsError: pandas is not installed.
    """
    try:
        pandas = import_module("pandas")
    except ImportError as error:
        raise SettingsError("to_pandas needs pandas: run 'pip install pandas'") from error
    return pandas.DataFrame(list(rows), columns=list(columns))
