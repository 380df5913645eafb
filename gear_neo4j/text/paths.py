"""Paths as names: one spelling for each folder and file, on any machine and however the user wrote it."""

import os
import unicodedata
from pathlib import Path


def composed(text: str) -> str:
    """A text in Unicode's composed form (NFC), because file systems store names in either form.

    Example:
        >>> len("u\\u0308"), len(composed("u\\u0308"))
        (2, 1)
    """
    return unicodedata.normalize("NFC", text)


def folder_name(folder: Path) -> str:
    """The absolute path of a folder, with slashes, without links, and in the spelling of the file system."""
    return composed(_as_spelled(Path(os.path.realpath(folder))).as_posix())


def is_below(path: str, root: str) -> bool:
    """Whether a path is equal to a folder, or below it; both are written with slashes.

    Example:
        >>> is_below("/a/b", "/a"), is_below("/ab", "/a"), is_below("/a", "/")
        (True, False, True)
    """
    return path == root or path.startswith(f"{root.rstrip('/')}/")


def public_address(address: str) -> str:
    """An address without its login, and without its query if it is a web address, because both may contain a secret.

    Example:
        >>> public_address("https://me:secret@host/docs/a.parquet?sig=secret")
        'https://host/docs/a.parquet'
    """
    scheme, separator, rest = address.partition("://")
    if not separator:
        return address
    if scheme.lower().startswith("http"):
        rest = rest.partition("?")[0].partition("#")[0]
    login, at, host = rest.rpartition("@")
    # Without a colon before the first slash, the @ is in the path, as in https://host/@me/a.md.
    has_login = at and ("/" not in login or ":" in login.partition("/")[0])
    return f"{scheme}{separator}{host if has_login else rest}"


def _as_spelled(path: Path) -> Path:
    """The path with names as its folders list them: some file systems also find "Docs" as "docs"."""
    spelled = Path(path.anchor)
    for part in path.parts[1:]:
        spelled /= _entry(spelled, part)
    return spelled


def _entry(folder: Path, name: str) -> str:
    try:
        entries = {entry.name: entry for entry in folder.iterdir()}
        if name in entries:
            return name
        alike = (entry for entry in entries.values() if composed(entry.name).casefold() == composed(name).casefold())
        return next((entry.name for entry in alike if entry.samefile(folder / name)), name)
    except OSError:
        # A folder may allow entering but not listing.
        return name
