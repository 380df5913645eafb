"""Texts that are longer than an embedding model reads, or should read: their parts, and the vector of the whole."""

import math
import re
from collections.abc import Callable, Sequence

import numpy as np

from gear_neo4j.models.onnx_encoder import Vectors

# A text that is less than twice as long is cut: a second part costs as much as the first, and gains nothing.
LONGER = 2.0
# The longest first line that is a title, and is repeated in every part.
LONGEST_TITLE = 200
# UUIDs, and other hexadecimal numbers of at least twenty digits.
_ILLEGIBLE = re.compile(
    r"(?<![^\W_])([0-9a-f]{8})(?:-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{12,})(?![^\W_])",
    re.IGNORECASE,
)


def parts_of(text: str, *, reads: int, count: Callable[[str], int]) -> list[str]:
    """The parts of a text as long as the model reads, each with the title; the text itself if it is short enough.

    Args:
        reads: the number of tokens that the model reads.
        count: the number of tokens of a text.

    Example:
        >>> parts_of("Harbour\\nIt opens in May. It closes in June.", reads=4, count=lambda text: len(text.split()))
        ['Harbour\\nIt opens in', 'Harbour\\nMay. It', 'Harbour\\ncloses in June.']
    """
    # No token is shorter than a character.
    if len(text) <= LONGER * reads or (tokens := count(text)) <= LONGER * reads:
        return [text]
    title, line, rest = text.partition("\n")
    if not line or len(title) > LONGEST_TITLE or not rest.strip():
        title, rest = "", text
    room = max(reads - count(title), reads // 2) if title else reads
    pieces = _divided(rest, math.ceil(tokens / room))
    return [f"{title}\n{piece}" if title else piece for piece in pieces]


def pooled(vectors: Vectors, sizes: Sequence[int]) -> Vectors:
    """The sums of the vectors of each text's parts, the first twice: shape (len(sizes), dimension), not normalised.

    A text begins with what it is about. This was chosen on two sets of passages (docs/documents.md).

    Example:
        >>> pooled(np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float32), [2, 1]).tolist()
        [[2.0, 1.0], [2.0, 2.0]]
    """
    starts = np.cumsum([0, *sizes[:-1]])
    return np.asarray(np.add.reduceat(vectors, starts) + vectors[starts], dtype=np.float32)


def _divided(text: str, number: int) -> list[str]:
    """About equally long pieces of a text, divided between words if it has spaces."""
    pieces, start = [], 0
    for left in range(number, 0, -1):
        end = len(text) if left == 1 else start + math.ceil((len(text) - start) / left)
        space = max(text.rfind(mark, start + 1, end + 1) for mark in " \n")
        # A script without spaces has none nearby.
        if left > 1 and space > start + (end - start) // 2:
            end = space
        pieces.append(text[start:end].strip())
        start = end
    return [piece for piece in pieces if piece]


def legible(text: str) -> str:
    """A text with hashes and UUIDs cut to eight characters: the others tell a model nothing, and take most of its time.

    Example:
        >>> legible("0f5c9a7e-1b2c-4d3e-8f90-a1b2c3d4e5f6 calls 84f5574fd9d6df3e2da38f7d")
        '0f5c9a7e calls 84f5574f'
    """
    return _ILLEGIBLE.sub(r"\1", text)
