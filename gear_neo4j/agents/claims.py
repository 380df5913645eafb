"""The sentences of an answer, each with its citations."""

import re
from collections.abc import Iterator

from gear_neo4j.extraction.language import language_of
from gear_neo4j.roles.citations import markers, without_markers

# The sentences of an answer that are compared with one passage.
MOST_CLAIMS = 5


def claims(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """The sentences of an answer without their markers, each with the labels of these, also of those right behind it.

    Example:
        >>> list(claims("Hinton studied at Edinburgh [2]. It is a city. [3] He was born in 1947."))
        [('Hinton studied at Edinburgh.', frozenset({'2'})), ('It is a city.', frozenset({'3'}))]
    """
    pending: tuple[str, frozenset[str]] = "", frozenset()
    for sentence in language_of(text).sentences(text):
        behind = re.match(r"(?:\s*\[[^\[\]]*\])*", sentence)
        cut = behind.end() if behind and pending[0] else 0
        last = {marker.label for marker in markers(f" {sentence[:cut]}")}
        if pending[1] | last:
            yield pending[0], pending[1] | last
        own = sentence[cut:]
        pending = without_markers(own).strip(), frozenset(marker.label for marker in markers(own))
    if pending[1]:
        yield pending
