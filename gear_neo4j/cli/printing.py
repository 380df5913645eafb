"""The one module that prints: whatever a command writes to the terminal is printable, whoever wrote the text.

What is drawn with rich goes through :mod:`gear_neo4j.cli.screen`, which asks the same of its text.
"""

import codecs
import io
import json
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

import click

from gear_neo4j.text.printable import json_text, printable, single_line
from gear_neo4j.text.redaction import redacted

# The marks of our own output, for a stream that cannot show them.
_MARKS = {"→": "->", "←": "<-", "—": "-", "–": "-", "…": "...", "·": "-", "✓": "+", "×": "x", "•": "*"}
_FOREIGN = re.compile(r"[^\x00-\x7f]")


def show_what_can_be_shown() -> None:
    """Let the standard streams write another sign for each that their encoding lacks; that was an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_stand_in.__name__)


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    # Cypher reads the escapes of JSON, too.
    return "".join(_MARKS.get(sign) or json.dumps(sign)[1:-1] for sign in lacking), error.end


codecs.register_error(_stand_in.__name__, _stand_in)


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print plain lines to standard output or, with ``err``, to standard error."""
    # By itself click writes UTF-8 to a stream of ASCII, to which rich writes ASCII.
    click.echo(printable(text), file=sys.stderr if err else sys.stdout, err=err, nl=nl)


def say_json(value: object, *, indent: int | None = None) -> None:
    """Print a value as JSON; control characters are escaped, so that nothing of the data is lost."""
    say(json_text(value, indent=indent, only_ascii=not _takes_utf_8()))


def say_toml(text: str) -> None:
    """Print TOML."""
    say(text if _takes_utf_8() else _FOREIGN.sub(lambda letter: f"\\U{ord(letter[0]):08x}", text))


def _takes_utf_8() -> bool:
    """Whether standard output can be sent JSON and TOML as they are: whoever reads a file of them expects UTF-8."""
    return codecs.lookup(getattr(sys.stdout, "encoding", None) or "utf-8").name == "utf-8"


def flushed() -> bool:
    """Flush what was printed; False if it cannot be written, which Python reports as it exits."""
    # A stream that was closed before the start is None.
    open_streams = [stream for stream in (sys.stdout, sys.stderr) if stream is not None]
    try:
        for stream in open_streams:
            stream.flush()
    except (OSError, ValueError):
        return False
    return True


class LogLines(logging.Handler):
    """Prints the log of the libraries to standard error, as Python does without a handler, but only what is printable.

    Like Python, it leaves out what is below ``level``. A message takes one line; a traceback may follow it.

    Usage::

        logging.getLogger().addHandler(LogLines())
    """

    def __init__(self, level: int = logging.WARNING) -> None:
        super().__init__(level)
        self.setFormatter(_OneLine())

    def emit(self, record: logging.LogRecord) -> None:
        """Print a record, with the traceback that it may have."""
        try:
            say(redacted(self.format(record)), err=True)
        except Exception:
            self.handleError(record)


class _OneLine(logging.Formatter):
    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return single_line(super().formatMessage(record))


@contextmanager
def output_kept_clear() -> Iterator[None]:
    """A block whose libraries print to standard error: what a script reads is not theirs."""
    with redirect_stdout(sys.stderr):
        yield
