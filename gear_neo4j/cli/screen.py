"""The console for output drawn with rich: tables, bars, live lines."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

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


errors = Screen(stderr=True)
