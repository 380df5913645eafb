"""The process that converts documents: it reads a line of JSON per document, and writes a line for each passage.

The last line of a reply is an object, with what all passages share or the reason for which there are none. A line ``0``
comes after each page of OCR: the time limit begins again.

``conversion.py`` starts and ends it.
"""

import json
import math
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

from gear_neo4j.domain import Passage
from gear_neo4j.errors import InputError, TemporaryFailure
from gear_neo4j.ingestion.chunking import convert
from gear_neo4j.ingestion.limits import Limits
from gear_neo4j.ingestion.parts import TOO_MUCH_MEMORY, shorten

# An orphan exits this many seconds after its parent would have killed it.
GRACE = 10


def main() -> None:
    """Convert the documents named on standard input, until it ends."""
    limits = Limits(**json.loads(sys.argv[1]))
    _bound_memory(limits.memory)
    # Output of libraries must not get between the replies.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def go_on() -> None:
        _set_alarm(math.ceil(limits.seconds) + GRACE)
        replies.write(b"0\n")
        replies.flush()

    for line in sys.stdin.buffer:
        _set_alarm(math.ceil(limits.seconds) + GRACE)
        for part in _reply(json.loads(line), limits, go_on):
            replies.write(json.dumps(part, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
        replies.flush()
        _set_alarm(0)


def _reply(
    request: dict[str, Any], limits: Limits, on_page: Callable[[], None]
) -> Iterator[tuple[Any, ...] | dict[str, Any]]:
    passages: list[Passage] = []
    end: dict[str, Any]
    try:
        path, options = Path(request["path"]), {name: request[name] for name in ("size", "name", "source")}
        converted = convert(path, limits=limits, on_page=on_page, **options)
        passages = converted.passages
        end = {"metadata": passages[0].metadata, "remarks": converted.remarks}
    except TemporaryFailure as error:
        end = {"failure": str(error)}
    except InputError as error:
        end = {"problem": str(error)}
    except MemoryError:
        end = {"failure": TOO_MUCH_MEMORY}
    except Exception as error:
        end = {"failure": f"cannot be converted: {shorten(f'{type(error).__name__}: {error}')}"}

    for passage in passages:
        yield astuple(replace(passage, metadata={}))
    yield end | {"last": _is_large(limits)}


def _bound_memory(size: int) -> None:
    # Data, not address space: libraries map far more than they use. Only Linux enforces it.
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def _is_large(limits: Limits) -> bool:
    """Whether this process has used so much memory that the next document might lack it."""
    return _peak() > limits.memory // 4


def _peak() -> int:
    """The peak memory of this process, in bytes; 0 if unknown."""
    # Linux's getrusage includes the memory of the parent process.
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text("ascii").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    with suppress(ImportError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return 0


def _set_alarm(seconds: int) -> None:
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


if __name__ == "__main__":
    main()
