"""Live output of an agent: steps on standard error, and the answer as the model streams it."""

from rich.text import Text

from gear_neo4j.agents.run import Event
from gear_neo4j.cli.screen import Screen
from gear_neo4j.text.printable import single_line


class Live:
    """Shows the events of a run.

    Args:
        console: receives the answer, streamed if it is a terminal.
        steps: receives the steps.
    """

    def __init__(self, console: Screen, steps: Screen) -> None:
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
                question = Text.assemble((f"step {event.step}", "bold"), f"  {single_line(event.text)}")
                self._steps.print(question, soft_wrap=True)
            case "facts":
                for fact in event.facts:
                    self._steps.print_line(f"        + {fact}", style="cyan")
                if not event.facts:
                    self._steps.print_line("        no new fact", style="dim")
            case "verdict":
                self._steps.print_line(f"        {event.text}", style="dim")
            case "failure":
                self._steps.print_line(f"        {event.text}", style="yellow")
            case "token" if self.console.is_terminal:
                if not self._pieces:
                    self.console.print()
                self._pieces.append(event.text)
                self.console.print(event.text, end="", style="bold", soft_wrap=True)
