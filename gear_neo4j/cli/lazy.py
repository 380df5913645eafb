"""A group whose commands are imported on invocation."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import click

Groups = Mapping[str, Mapping[str, tuple[str, str]]]
# For these commands, --json takes a file with any suffix, as existing scripts expect.
ANY_FILE = frozenset({"evaluate"})


def json_to_output(args: Sequence[str]) -> Iterator[str]:
    """The arguments with ``--json`` as ``--json=-``, unless a ``.json`` file follows.

    Otherwise a source after the flag would be taken for the output file, and overwritten.

    Example:
        >>> list(json_to_output(["--json", "Who?"])), list(json_to_output(["Who?", "--json", "hits.json"]))
        (['--json=-', 'Who?'], ['Who?', '--json', 'hits.json'])
    """
    literal = False
    for index, arg in enumerate(args):
        literal = literal or arg == "--"
        alone = arg == "--json" and not "".join(args[index + 1 : index + 2]).lower().endswith(".json")
        yield "--json=-" if alone and not literal else arg


class LazyGroup(click.Group):
    """A group that holds its commands by name and help line, and imports one only to run or complete it.

    Args:
        groups: by the heading of a group, the location of each command (``module:attribute``) and a line about it.
    """

    def __init__(self, *args: Any, groups: Groups, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._groups = groups
        self._lazily = {name: command for group in groups.values() for name, command in group.items()}
        for name, (_, line) in self._lazily.items():
            # A placeholder for the help of the group and for completion.
            self.add_command(click.Command(name, help=line))

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by group, each with its whole line."""
        # Of one width, so that the lines of all groups begin in the same column.
        width = max(map(len, self._lazily))
        for heading, group in self._groups.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), line) for name, (_, line) in group.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name, imported, and the remaining arguments."""
        name, command, rest = super().resolve_command(ctx, args)
        rest = rest if name in ANY_FILE else list(json_to_output(rest))
        return name, self.load(name) if name and name in self._lazily else command, rest

    def load(self, name: str) -> click.Command:
        """Import a command."""
        module, _, attribute = self._lazily[name][0].partition(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{module}:{attribute} is not a command")
        return command
