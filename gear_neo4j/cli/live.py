"""Live output of an agent: steps on standard error, and the answer as the model streams it."""

from rich.console import Console
from rich.markup import escape

from gear_neo4j.agents.run import Event


class Live:
    """Shows the events of a run.

    Args:
        console: receives the answer, streamed if it is a terminal.
        steps: receives the steps.
    """

    def __init__(self, console: Console, steps: Console) -> None:
        self.console = console
        self._steps = steps
        self._pieces: list[str] = []

    @property
    def streamed(self) -> str:
        """The part of the answer that was streamed to the terminal."""
        return "".join(self._pieces)

    def show(self, event: Event) -> None:
        """Show one event."""
        match event.kind:
            case "question":
                self._line(f"[bold]step {event.step}[/bold]  {escape(event.text)}", markup=True)
            case "facts":
                for fact in event.facts:
                    self._line(f"        + {fact}", style="cyan")
                if not event.facts:
                    self._line("        no new fact", style="dim")
            case "verdict":
                self._line(f"        {event.text}", style="dim")
            case "failure":
                self._line(f"        {event.text}", style="yellow")
            case "token" if self.console.is_terminal:
                if not self._pieces:
                    self.console.print()
                self._pieces.append(event.text)
                self.console.print(event.text, end="", style="bold", markup=False, highlight=False, soft_wrap=True)

    def _line(self, text: str, *, style: str | None = None, markup: bool = False) -> None:
        self._steps.print(text, style=style, markup=markup, highlight=False, soft_wrap=True)
