"""Loaders of LangChain for tests: one that gives what a test says, and the same class for the command line."""

import json
from pathlib import Path
from zipfile import ZipFile

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from pydantic import BaseModel


def page(key, text, **metadata):
    """A document with a source."""
    return Document(page_content=text, metadata={"source": key, **metadata})


class Pages(BaseLoader):
    """Gives documents, and fails at an exception among them."""

    def __init__(self, *documents):
        self.documents = documents
        self.loads = 0

    def lazy_load(self):
        """The documents before the first exception."""
        self.loads += 1
        for document in self.documents:
            if isinstance(document, Exception):
                raise document
            yield document


class JsonPages(BaseLoader):
    """Reads documents from a file of JSON; ``token`` must be right."""

    def __init__(self, path, token="", limit=None):
        self.path = Path(path)
        self.token = token
        self.limit = limit

    def lazy_load(self):
        """The documents up to the limit, at which the connection breaks."""
        if not self.path.exists():
            raise ConnectionError(f"the server refuses the token {self.token}")
        for number, row in enumerate(json.loads(self.path.read_text())):
            if number == self.limit:
                raise ConnectionError(f"the server hangs up on {self.token}")
            yield Document(page_content=row.pop("text"), metadata=row)


def slack_export(path, **channels):
    """Write an export of Slack: the messages of each channel."""
    with ZipFile(path, "w") as file:
        file.writestr("channels.json", json.dumps([{"name": name, "id": name} for name in channels]))
        for name, texts in channels.items():
            rows = [{"user": "ada", "ts": f"170000000{n}.0", "text": text} for n, text in enumerate(texts)]
            file.writestr(f"{name}/2024-05-31.json", json.dumps(rows))


class NoLoader:
    """Looks like a loader, but is none."""


class Picky(BaseModel, BaseLoader):
    """A model of pydantic, whose errors quote what it was given."""

    path: str
    token: int

    def lazy_load(self):
        """Nothing."""
        return iter(())
