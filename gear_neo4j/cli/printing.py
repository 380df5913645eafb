"""The one module that prints: it removes control characters, because titles and texts come from anybody.

Output drawn with rich goes through :mod:`gear_neo4j.cli.screen`, which does the same.
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

# ASCII replacements for the marks in our own output.
_MARKS = {"→": "->", "←": "<-", "—": "-", "–": "-", "…": "...", "·": "-", "✓": "+", "×": "x", "•": "*"}
_FOREIGN = re.compile(r"[^\x00-\x7f]")


def show_what_can_be_shown() -> None:
    """Let the standard streams replace characters that their encoding lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_stand_in.__name__)


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    # JSON's escapes, which Cypher also reads.
    return "".join(_MARKS.get(sign) or json.dumps(sign)[1:-1] for sign in lacking), error.end


codecs.register_error(_stand_in.__name__, _stand_in)


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print plain lines to standard output or, with ``err``, to standard error."""
    # Without file, click would write UTF-8 to an ASCII stream, where rich writes ASCII.
    click.echo(printable(text), file=sys.stderr if err else sys.stdout, err=err, nl=nl)


def say_json(value: object, *, indent: int | None = None) -> None:
    """Print a value as JSON; control characters are escaped, so that no data is lost."""
    say(json_text(value, indent=indent, only_ascii=not _takes_utf_8()))


def say_toml(text: str) -> None:
    """Print TOML."""
    say(text if _takes_utf_8() else _FOREIGN.sub(lambda letter: f"\\U{ord(letter[0]):08x}", text))


def _takes_utf_8() -> bool:
    """Whether standard output takes JSON and TOML unescaped: programs expect them in UTF-8."""
    return codecs.lookup(getattr(sys.stdout, "encoding", None) or "utf-8").name == "utf-8"


def flushed() -> bool:
    """Flush the standard streams; False if that fails, which Python reports as it exits."""
    # A stream closed before the process started is None.
    open_streams = [stream for stream in (sys.stdout, sys.stderr) if stream is not None]
    try:
        for stream in open_streams:
            stream.flush()
    except (OSError, ValueError):
        return False
    return True


class LogLines(logging.Handler):
    """Prints log records to standard error as Python does without a handler, but without control characters.

    It leaves out records below ``level``. A message takes one line; a traceback may follow it.

    Usage::

        logging.getLogger().addHandler(LogLines())
    """

    def __init__(self, level: int = logging.WARNING) -> None:
        super().__init__(level)
        self.setFormatter(_OneLine())

    def emit(self, record: logging.LogRecord) -> None:
        """Print a record, with its traceback, if any."""
        try:
            say(redacted(self.format(record)), err=True)
        except Exception:
            self.handleError(record)


class _OneLine(logging.Formatter):
    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        return single_line(super().formatMessage(record))


@contextmanager
def output_kept_clear() -> Iterator[None]:
    """Send what libraries print in the block to standard error: scripts read standard output."""
    with redirect_stdout(sys.stderr):
        yield
