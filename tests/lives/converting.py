"""The process that converts documents, forked from a server that has imported everything: it starts in milliseconds."""

import json
import os
import sys
from dataclasses import asdict
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import langchain_community.document_loaders
import langchain_text_splitters

from gear_neo4j.ingestion import converter, html
from gear_neo4j.ingestion.limits import Limits
from tests.processes import FORKS

# Modules that the converter imports late.
PRELOADED = (html, langchain_community.document_loaders, langchain_text_splitters)


class ForkedConverter:
    """The interface that :class:`gear_neo4j.ingestion.conversion.Converter` needs of a process."""

    def __init__(self, limits: Limits) -> None:
        FORKS.set_forkserver_preload([__name__])
        requests, asked = Pipe(duplex=False)
        answered, replies = Pipe(duplex=False)
        argument = json.dumps(asdict(limits))
        self._process = FORKS.Process(target=_convert, args=(requests, replies, Path.cwd(), argument), daemon=True)
        self._process.start()
        requests.close()
        replies.close()
        self.stdin, self.stdout = _opened(asked, "wb"), _opened(answered, "rb")
        self.pid = self._process.pid

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()

    def __enter__(self) -> "ForkedConverter":
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self.stdout, self.stdin):
            stream.close()
        self._process.join()
        self._process.close()


def _opened(connection: Connection, mode: str):
    file = os.fdopen(os.dup(connection.fileno()), mode)
    connection.close()
    return file


def _convert(requests: Connection, replies: Connection, folder: Path, argument: str) -> None:
    os.chdir(folder)
    os.dup2(requests.fileno(), 0)
    os.dup2(replies.fileno(), 1)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.argv = [converter.__name__, argument]
    requests.close()
    replies.close()
    converter.main()
