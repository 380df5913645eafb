"""Uploads: a form with files and fields, all checked before anything is stored."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, BinaryIO, TypeVar
from unicodedata import normalize

from pydantic import BaseModel, Field
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from gear_neo4j.errors import InputError
from gear_neo4j.ingestion.job import FileKind
from gear_neo4j.ingestion.loaders import is_document, refusal, suffixes
from gear_neo4j.ingestion.membership import CollectionAccess
from gear_neo4j.scope import DEFAULT_COLLECTION
from gear_neo4j.text.printable import is_storable
from gear_neo4j.web.jobs.files import LINES, Sent, document_names
from gear_neo4j.web.jobs.queue import unkept
from gear_neo4j.web.jobs.store import Extract, JobOptions

Value = TypeVar("Value")
LONGEST_NAME = 200
LONGEST_FIELD = 1_000
MOST_FIELDS = 120
KINDS: dict[str, FileKind] = {"files": "passages", "triples": "triples"}
EXTRACT: dict[str, Extract] = {"auto": "auto", "rules": "rules", "none": "none"}
_File = Annotated[str, Field(json_schema_extra={"format": "binary"})]
SWITCH = {"true": True, "false": False}
ACCEPTED = (*suffixes(), LINES)
# The only charset accepted for names and fields: Python's other decoders would have to be trusted.
_UTF8 = re.compile(r"charset\s*=\s*\"?utf-?8\"?\s*(;|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Upload:
    """An upload: the files, the collection as the client wrote it, and how to ingest the files."""

    sent: tuple[Sent, ...]
    collection: str
    options: JobOptions

    @property
    def documents(self) -> tuple[str, ...]:
        """The names of the files that replace an earlier version of themselves."""
        return document_names(self.sent)


class UploadForm(BaseModel):
    """The form, for the OpenAPI document."""

    files: list[_File] = []
    triples: list[_File] = []
    collection: str = DEFAULT_COLLECTION
    readers: list[str] | None = None
    replace: bool = False
    extract: Extract = "auto"


FIELDS = UploadForm.model_fields.keys() - KINDS.keys()


@asynccontextmanager
async def received(request: Request, *, most_files: int) -> AsyncIterator[Upload]:
    """The upload of a request, whose files exist only in the block.

    Raises:
        HTTPException: 400, it is not a form; 507, the disk is full.
        InputError, SettingsError: a field, a name or a file cannot be used.
    """
    form = await _form(request, most_files)
    try:
        yield _upload(form)
    finally:
        await form.close()


async def _form(request: Request, most_files: int) -> FormData:
    header = request.headers.get("content-type", "").lower()
    if not header.startswith("multipart/form-data") or ("charset" in header and not _UTF8.search(header)):
        raise InputError("the body is not a form: send multipart/form-data in UTF-8, with files in the field 'files'")
    try:
        return await request.form(max_files=most_files, max_fields=MOST_FIELDS, max_part_size=LONGEST_FIELD * 4)
    except OSError as error:
        raise HTTPException(507, unkept(error.strerror)) from error


def _upload(form: FormData) -> Upload:
    fields: dict[str, list[str]] = {}
    sent: list[Sent] = []
    for name, value in form.multi_items():
        if isinstance(value, UploadFile) and name in KINDS:
            sent.append(_sent(value.filename or "", KINDS[name], value))
        elif isinstance(value, str) and name in FIELDS:
            fields.setdefault(name, []).append(value)
        else:
            raise InputError(f"the field {name[:40]!r} is unknown, or of the wrong kind: see the documentation")
    if not sent:
        raise InputError("no file was sent: send some in the field 'files' or 'triples'")
    _require_names_differ(sent)
    collection = _single(fields, "collection") or DEFAULT_COLLECTION
    membership = CollectionAccess.of(collection, fields.get("readers"))
    options = JobOptions(
        readers=membership.readers,
        replace=_choice(SWITCH, _single(fields, "replace") or "false", "replace"),
        extract=_choice(EXTRACT, _single(fields, "extract") or "auto", "extract"),
    )
    return Upload(tuple(sent), membership.collection, options)


def _sent(filename: str, kind: FileKind, file: UploadFile) -> Sent:
    name = file_name(filename)
    path = Path(name)
    suffix = path.suffix.lower()
    if suffix != LINES and not (kind == "passages" and is_document(path)):
        reason = refusal(path, verb="send") if kind == "passages" else f"holds no triples: send {LINES}"
        raise InputError(f"{name} {reason}")
    if not file.size:
        raise InputError(f"{name} is empty: send a file with text")
    content: BinaryIO = file.file
    return Sent(name, kind, suffix, content)


def file_name(sent: str) -> str:
    """The name of a file as a source, without any folders in the name that was sent.

    Raises:
        InputError: it cannot be used.

    Example:
        >>> file_name("../../etc/report.md"), file_name("C:\\\\docs\\\\a.txt")
        ('report.md', 'a.txt')
    """
    name = normalize("NFC", re.split(r"[/\\]", sent)[-1]) if is_storable(sent) else ""
    if not name or name != name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError("the name of a file cannot be used: it must be printable, and have at most 200 characters")
    return name


def _require_names_differ(sent: list[Sent]) -> None:
    names = [(file.kind, file.name) for file in sent]
    twice = next((name for kind, name in names if names.count((kind, name)) > 1), None)
    if twice:
        raise InputError(f"{twice} was sent twice: the second would replace the first; rename it")


def _single(fields: dict[str, list[str]], name: str) -> str | None:
    values = fields.get(name, [])
    if len(values) > 1:
        raise InputError(f"the field {name!r} was sent {len(values)} times: send it once")
    return values[0] if values else None


def _choice(choices: Mapping[str, Value], value: str, name: str) -> Value:
    if value not in choices:
        raise InputError(f"{name} is {value[:40]!r}: it must be one of {', '.join(choices)}")
    return choices[value]
