"""Passages for people: title, score, location, why they were found, and the beginning of their text."""

import math
from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from gear_neo4j.cli.screen import Screen
from gear_neo4j.domain import Hit, Hits, Passage
from gear_neo4j.models.embeddings import DEFAULT_MODEL
from gear_neo4j.retrieval.reasons import found_by
from gear_neo4j.text.printable import single_line

SHOWN_LINES = 3
INDENT = 5
# Chosen on three corpora, with all-MiniLM-L6-v2: of 135 questions about their corpus none has a nearest passage less
# similar than this, and of 60 about other things 16 have. None of 520 questions of cranfield, mtrag and hotpotqa has:
# the lowest similarity is 0.25. Other models have other similarities.
LOW_SIMILARITY = 0.15


def print_hits(console: Screen, hits: Hits) -> None:
    """Print each passage over the width of the console, with the first lines of its text."""
    if not hits:
        console.print("no passage found in this scope" if hits.scope else "no passage found")
        return
    decimals = _decimals(hits)
    for hit in hits:
        score = "" if decimals is None else f"{hit.score:.{decimals}f}"
        for line in _entry(console, hit, hits, score=score):
            # Wrapped already; rich would break a title at another width than its score expects.
            console.print(line, soft_wrap=True)


def warning_of(hits: Hits, *, model: str) -> str:
    """A line for hits of which none seems to fit the question, else an empty one.

    Args:
        model: the name of the embedding model.

    Example:
        >>> warning_of(Hits("Who?", "scout", (), similarity=0.12), model=DEFAULT_MODEL)
        'Nothing fits well: the nearest passage has a similarity of 0.12 to the question'
        >>> warning_of(Hits("Who?", "scout", (), similarity=0.62), model=DEFAULT_MODEL)
        ''
    """
    if hits.similarity is None or model != DEFAULT_MODEL or hits.entities or hits.figure:
        return ""
    if hits.similarity >= LOW_SIMILARITY:
        return ""
    return f"Nothing fits well: the nearest passage has a similarity of {hits.similarity:.2f} to the question"


def body_of(passage: Passage) -> str:
    """The text of a passage on one line, without a first line that repeats its title.

    Example:
        >>> body_of(Passage("p1", "Guide > Install", "## Install\\n\\nUse pip."))
        'Use pip.'
    """
    head, _, rest = passage.text.strip().partition("\n")
    titles = {passage.title, passage.title.rpartition(" > ")[2]}
    text = rest if head.lstrip("#").strip() in titles else passage.text
    return single_line(" ".join(text.split()))


def _entry(console: Screen, hit: Hit, hits: Hits, *, score: str) -> Iterator[Text]:
    passage, width, indent = hit.passage, console.width, " " * INDENT
    room = max(width - INDENT - len(score) - 2, 10)
    title = _wrapped(console, single_line(passage.title or passage.id), width=room)
    for number, line in enumerate(title):
        left = f"{hit.rank:3}  " if number == 0 else indent
        right = " " * (room - cell_len(line) + 2) + score if number == 0 and score else ""
        yield Text.assemble(left, (line, "bold"), right)
    place = " · ".join(filter(None, (single_line(passage.location), found_by(hit, question=hits.question))))
    for line in _wrapped(console, single_line(place), width=width - INDENT):
        yield Text.assemble(indent, (line, "cyan"))
    if path := hits.path_to(passage.id):
        for line in _wrapped(console, f"via {single_line(str(path))}", width=width - INDENT):
            yield Text.assemble(indent, (line, "magenta"))
    for near in (*hit.before, passage, *hit.after):
        where = "" if near is passage else f"[{near.position}] "
        for line in _cut(console, f"{where}{body_of(near)}", width=width - INDENT):
            yield Text.assemble(indent, (line, "dim"))


def _wrapped(console: Screen, text: str, *, width: int) -> list[str]:
    """The lines of a text, broken between words."""
    return [line.plain.rstrip() for line in Text(text).wrap(console, max(width, 10))] if text else []


def _cut(console: Screen, text: str, *, width: int) -> list[str]:
    """The first lines of a text, cut after a word."""
    lines = _wrapped(console, text, width=width)
    if len(lines) <= SHOWN_LINES:
        return lines
    last = lines[SHOWN_LINES - 1]
    if cell_len(last) + 2 > width:
        # A script without spaces has no words to cut at.
        last = last.rpartition(" ")[0] or set_cell_size(last, width - 2).rstrip()
    return [*lines[: SHOWN_LINES - 1], f"{last} …"]


def _decimals(hits: Hits) -> int | None:
    """The decimals that show two digits of the best score; None if the retriever gives no scores."""
    best = max(hit.score for hit in hits)
    return max(2, 1 - math.floor(math.log10(best))) if best > 0 else None
