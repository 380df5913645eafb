"""Reads text in pictures with the program Tesseract, if it is installed."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from gear_neo4j.errors import SettingsError

AUTO = "auto"
OFF = "off"
PROGRAM = "tesseract"
NOT_INSTALLED = "OCR needs the program Tesseract: on Debian and Ubuntu, apt install tesseract-ocr"
# Data of Tesseract that reads no language: it finds the orientation of a page.
ORIENTATION = "osd"
# Each further language takes longer, and is another way to misread a word.
MOST_LANGUAGES = 4
# No page takes longer, unless it is noise.
SECONDS = 60.0
# The columns of a word in Tesseract's table, and the level of the rows that are words.
WORD = "5"
PAGE, CONFIDENCE, TEXT = 1, 10, 11
PARAGRAPH, LINE = slice(1, 4), slice(1, 5)


@dataclass(frozen=True, slots=True)
class Reading:
    """The text of a page, and its confidence between 0 and 1: the mean over its words."""

    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Tesseract:
    """Tesseract with the languages that it reads, such as ``eng+deu``."""

    languages: str

    def read(self, picture: Path | bytes) -> list[Reading]:
        """The pages of a picture in a file or in memory; a page without text has an empty one.

        Raises:
            OSError, subprocess.SubprocessError: the picture cannot be read, or takes too long.
        """
        name, data = ("stdin", picture) if isinstance(picture, bytes) else (str(picture), b"")
        orientation = "1" if ORIENTATION in _installed() else "3"
        command = [PROGRAM, name, "stdout", "-l", self.languages, "--psm", orientation, "tsv"]
        # Its threads wait for each other: with one, a page takes less time.
        environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
        done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, env=environment, check=True)
        rows = [line.split("\t") for line in done.stdout.decode(errors="replace").splitlines()[1:]]
        return [_reading([row for row in page if row[0] == WORD]) for _, page in groupby(rows, itemgetter(PAGE))]


def chosen(choice: str) -> Tesseract | None:
    """Tesseract for a choice: ``off``, ``auto``, or languages such as ``deu`` or ``eng+deu``; None for no OCR.

    With ``auto``, Tesseract reads the languages that it has, English first, at most four; without it, there is no OCR.

    Raises:
        SettingsError: Tesseract is not installed or does not have the languages.
    """
    if choice == OFF:
        return None
    available = sorted(_installed() - {ORIENTATION}, key=lambda name: (name != "eng", name))
    if choice == AUTO:
        return Tesseract("+".join(available[:MOST_LANGUAGES])) if available else None
    if not available:
        raise SettingsError(NOT_INSTALLED)
    if unknown := [name for name in choice.split("+") if name not in available]:
        raise SettingsError(
            f"Tesseract has no language {unknown[0]!r}, only {', '.join(available)}: "
            f"on Debian and Ubuntu, apt install tesseract-ocr-{unknown[0] or 'deu'}"
        )
    return Tesseract(choice)


@cache
def _installed() -> frozenset[str]:
    """The names of the data that Tesseract has: languages and the orientation; none if it is not installed."""
    if not shutil.which(PROGRAM):
        return frozenset()
    try:
        done = subprocess.run([PROGRAM, "--list-langs"], capture_output=True, timeout=SECONDS, text=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return frozenset()
    # Scripts are in a folder of their own, and models for equations are no language.
    return frozenset(name for name in done.stdout.split("\n")[1:] if name and "/" not in name and name != "equ")


def _reading(words: list[list[str]]) -> Reading:
    """The text of the words of a page: a line each, and a blank line between paragraphs."""
    read = [word for word in words if word[TEXT].strip()]
    confidence = sum(float(word[CONFIDENCE]) for word in read) / (100 * len(read)) if read else 0.0
    return Reading("\n\n".join(_paragraphs(read)), confidence)


def _paragraphs(words: list[list[str]]) -> Iterator[str]:
    for _, paragraph in groupby(words, itemgetter(PARAGRAPH)):
        lines = groupby(paragraph, itemgetter(LINE))
        yield "\n".join(" ".join(word[TEXT] for word in line) for _, line in lines)
