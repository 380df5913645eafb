"""Every error that gear-neo4j raises on purpose; the message says what is wrong and what to do.

GearError
├── SettingsError        a setting or option that cannot be used
├── InputError           a file, a line or a question that cannot be used
│   ├── NothingFound     what was named is not there
│   └── TemporaryFailure it could not be read this time; another time it may be
├── PartialResult        the command did its work, but not all of it
├── ModelError           the language model cannot be used, or failed
│   ├── NoModel          none is set
│   └── ReplyError       it answered, but the reply cannot be used
├── SearchError          a search outside the graph failed
├── TooManyCalls         as many calls run as may
├── CallTimeout          a call took longer than it may
├── DatabaseError        the Neo4j server refused or failed a request
│   ├── ServerUnavailable
│   ├── AuthenticationFailed
│   ├── DatabaseNotFound
│   ├── UnsupportedServer
│   ├── IndexUnavailable an index is missing, or still being built
│   ├── QueryTimeout     a query took longer than it may
│   ├── GuardError       an untrusted query may not be run
│   ├── ScopeRefusal     under a scope, what was requested would show more than the scope admits
│   ├── ForeignGraph     our labels are in use by other data
│   ├── EmbeddingMismatch
│   └── MigrationError
└── LocalServerError     the local development server could not be started or stopped
    └── NoLocalServer    there is no local server of that name
"""

from enum import IntEnum
from typing import ClassVar

from gear_neo4j.text.printable import single_line
from gear_neo4j.text.redaction import redacted
from gear_neo4j.usage import Usage


class ExitCode(IntEnum):
    """How a command ends; scripts rely on these numbers, and docs/cli.md explains them."""

    DONE = 0
    NOTHING_FOUND = 1
    ERROR = 2
    NO_SERVER = 3
    PARTIAL = 4
    BUG = 70
    INTERRUPTED = 130
    UNREAD = 141
    TERMINATED = 143


class GearError(Exception):
    """The root of all errors raised on purpose; ``str(error)`` is one line a user can act on.

    Whatever a message quotes, it holds no control characters, no line end and no user info of a URL: it may be
    printed or logged.

    Example:
        >>> print(GearError("no answer from bolt://neo4j:secret@db\\x1b[2J"))
        no answer from bolt://***@db[2J
        >>> GearError.exit_code.name, ServerUnavailable.exit_code.name
        ('ERROR', 'NO_SERVER')
    """

    exit_code: ClassVar[ExitCode] = ExitCode.ERROR

    def __init__(self, message: str = "") -> None:
        super().__init__(redacted(single_line(message)))


class SettingsError(GearError):
    """A setting or option that cannot be used."""


class InputError(GearError):
    """A file, a line or a question that cannot be used."""


class NothingFound(InputError):
    """What was named is not there, such as a passage or a source."""

    exit_code = ExitCode.NOTHING_FOUND


class TemporaryFailure(InputError):
    """A document could not be read or converted this time, and may be another time: what is stored of it stays."""


class PartialResult(GearError):
    """The command did its work, but some of its input could not be used or is left over."""

    exit_code = ExitCode.PARTIAL


class ModelError(GearError):
    """The language model cannot be used, or failed for good; ``usage`` is the cost of the question so far."""

    def __init__(self, message: str = "", *, usage: Usage = Usage()) -> None:
        super().__init__(message)
        self.usage = usage


class NoModel(ModelError):
    """No language model is set."""


class ReplyError(ModelError):
    """The language model gave an unusable reply twice."""


class SearchError(GearError):
    """A search outside the graph failed."""


class TooManyCalls(GearError):
    """As many calls run at once as may; this one was not begun."""


class CallTimeout(GearError):
    """A call took longer than it may; it ends at its next step."""


class DatabaseError(GearError):
    """The Neo4j server refused or failed a request; ``code`` is what the server calls that, empty if it has no name."""

    def __init__(self, message: str = "", *, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class ServerUnavailable(DatabaseError):
    """No Neo4j server answers at the address."""

    exit_code = ExitCode.NO_SERVER


class AuthenticationFailed(DatabaseError):
    """The server is there but does not accept the user name and password."""


class DatabaseNotFound(DatabaseError):
    """The server has no database of that name."""


class UnsupportedServer(DatabaseError):
    """The server is older than Neo4j 5.26."""


class IndexUnavailable(DatabaseError):
    """A query needs an index that is missing, or still being built."""


class QueryTimeout(DatabaseError):
    """A query took longer than it may; the server broke it off."""


class GuardError(DatabaseError):
    """A query of a model, or of a template, does more than read the graph, or might; it was not run."""


class ScopeRefusal(DatabaseError):
    """Under a scope, what was requested would show more than the scope admits."""


class ForeignGraph(DatabaseError):
    """The labels that gear-neo4j needs are in use by other data."""


class EmbeddingMismatch(DatabaseError):
    """The database was built with another embedding model than the one in use."""


class MigrationError(DatabaseError):
    """The schema in the database is not the one that the migrations describe."""


class LocalServerError(GearError):
    """The local development server could not be started or stopped."""

    exit_code = ExitCode.NO_SERVER


class NoLocalServer(LocalServerError):
    """There is no local server of that name; the message names those that exist."""


def is_outage(error: BaseException) -> bool:
    """Whether the database is at fault, and not what was requested of it.

    What it says is for those who run it: it names addresses, users and data.

    Example:
        >>> is_outage(ServerUnavailable("no answer from db:7687")), is_outage(GuardError("the query writes"))
        (True, False)
    """
    of_the_request = (GuardError, ScopeRefusal, QueryTimeout)
    return isinstance(error, DatabaseError | LocalServerError) and not isinstance(error, of_the_request)
