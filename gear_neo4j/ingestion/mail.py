"""Reads e-mail, messages (``.eml``) and mailboxes (``.mbox``): what each says, without what it repeats of others."""

import mailbox
import re
from collections.abc import Iterator
from contextlib import closing, suppress
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from typing import Any

from gear_neo4j.ingestion import heads
from gear_neo4j.ingestion.encodings import WESTERN
from gear_neo4j.ingestion.html import to_markdown
from gear_neo4j.ingestion.parts import Part, encodable, explained, shorten

MESSAGE = ".eml"
SUFFIXES = frozenset({MESSAGE, ".mbox"})
# In the text, too: people ask who wrote to whom.
_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_BLANK = re.compile(r"\n{3,}")
# What other programs put before the text of the message that is answered.
_ORIGINAL = re.compile(r"^-{3,}.{0,40}\S.{0,40}-{3,}[ \t]*\n+From: ", re.MULTILINE)


def parts(path: Path, stem: str) -> Iterator[Part]:
    """A part for each message, with its subject as title.

    Raises:
        InputError: it cannot be read.
    """
    # All parts of a document share one head, so a mailbox has no author and no date.
    is_single = path.suffix.lower() == MESSAGE
    with explained("e-mail"):
        for number, message in enumerate(_messages(path), start=1):
            subject = shorten(_header(message, "Subject"))
            shown = [f"{name}: {value}" for name in _SHOWN if (value := _header(message, name))]
            text = encodable("\n\n".join(filter(None, ("\n".join(shown), _body(message)))))
            metadata = _metadata(message) if is_single else {}
            yield Part(subject or stem, text, "message", number, metadata, remark=_unread(message))


def _messages(path: Path) -> Iterator[EmailMessage]:
    parser = BytesParser(EmailMessage, policy=policy.default)
    if path.suffix.lower() == MESSAGE:
        with path.open("rb") as file:
            yield parser.parse(file)
        return
    with closing(mailbox.mbox(path, create=False)) as box:
        for key in box.iterkeys():
            yield parser.parsebytes(box.get_bytes(key))


def _header(message: EmailMessage, name: str) -> str:
    # A malformed header raises when it is read, whatever it likes.
    try:
        return " ".join(str(message[name] or "").split())
    except Exception:
        return ""


def _body(message: EmailMessage) -> str:
    """What the message itself says: its plain text, else its HTML; one that is broken costs only itself."""
    try:
        body = message.get_body(("plain", "html"))
        content = body.get_payload(decode=True) if body else None
        if body is None or not isinstance(content, bytes):
            return ""
        text = _decoded(content, body.get_content_charset("utf-8"))
        if body.get_content_subtype() == "html":
            return to_markdown(text.encode("utf-8", "replace")).text
    except MemoryError:
        raise
    except Exception:
        return ""
    return _own(text.replace("\r\n", "\n"))


def _decoded(content: bytes, charset: str) -> str:
    try:
        return content.decode(charset)
    except (LookupError, UnicodeDecodeError):
        return content.decode(WESTERN, "replace")


def _own(text: str) -> str:
    """A message without the lines that it quotes, and what introduces them: *On Monday Ada wrote:*, in any language."""
    if original := _ORIGINAL.search(text):
        text = text[: original.start()]
    lines: list[str] = []
    is_quoted = False
    for line in text.split("\n"):
        if line.startswith(">"):
            while not is_quoted and lines and not lines[-1].strip():
                lines.pop()
            if not is_quoted and lines and lines[-1].rstrip().endswith(":"):
                lines.pop()
            is_quoted = True
        else:
            is_quoted = False
            lines.append(line)
    return _BLANK.sub("\n\n", "\n".join(lines)).strip()


def _unread(message: EmailMessage) -> str:
    """A remark that names the attachments, none of which is opened."""
    try:
        names = [name for part in message.iter_attachments() if (name := " ".join(str(part.get_filename("")).split()))]
    except Exception:
        # A message that says it has parts, and has none.
        return ""
    return f"attachments were not read: {', '.join(names)}" if names else ""


def _metadata(message: EmailMessage) -> dict[str, Any]:
    date = None
    with suppress(Exception):
        date = message["Date"].datetime
    return heads.described({"author": _header(message, "From"), "date": date})
