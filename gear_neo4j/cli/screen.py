"""The console for output drawn with rich: tables, bars, live lines."""

from collections.abc import Collection, Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from gear_neo4j.text.printable import printable, single_line


class Screen(Console):
    """A console that prints text literally, without control characters: no markup, emoji codes or highlighting.

    Titles and names are data: ``[/b]`` in a title would be an error, and ``:Person:`` in Cypher an emoji.

    Example:
        >>> Screen(width=40).print("[b]not bold :snake:")
        [b]not bold :snake:
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def print_line(self, text: str, *, style: str | None = None) -> None:
        """Print a text on one line, neither wrapped nor cut, so that it can be copied."""
        self.print(single_line(text), style=style, soft_wrap=True)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments to print, without control characters except in rich's own codes."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text), style, control)


def listing(*columns: str, numbers: Collection[str] = (), times: Collection[str] = ()) -> Table:
    """A table of names, numbers and times; a name that does not fit goes on in the next line, and nothing is cut.

    Example:
        >>> table = listing("document", "passages", numbers=("passages",))
        >>> table.add_row("docs/a.md", "12")
        >>> Screen(width=24).print(table)
        document   passages
        docs/a.md        12
    """
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(
            column,
            justify="right" if column in numbers else "left",
            no_wrap=column in (*numbers, *times),
            overflow="fold",
        )
    return table


def short_time(time: str) -> str:
    """A time in ISO 8601 for a table: the day and the minute.

    Example:
        >>> short_time("2024-05-31T08:00:12.345Z")
        '2024-05-31 08:00'
    """
    return time[:16].replace("T", " ")


errors = Screen(stderr=True)
