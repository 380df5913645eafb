"""``gear help``: what ``--help`` of a command prints."""

import click

from gear_neo4j.cli.printing import say


@click.command("help")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def help_command(context: click.Context, words: tuple[str, ...]) -> None:
    """Show the help of a command, such as gear help keys add."""
    shown = context.find_root()
    for word in words:
        group = shown.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{shown.command_path} has no command {word!r}", context)
        name, command, _ = group.resolve_command(shown, [word])
        assert command is not None  # an unknown one is a usage error
        shown = click.Context(command, info_name=name, parent=shown)
    say(shown.get_help())
