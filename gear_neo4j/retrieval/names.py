"""Finds the names in a question without a language model: the longest runs of words that are entities of the graph."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from gear_neo4j.domain import entity_key
from gear_neo4j.retrieval.lucene import LEAST_LETTERS
from gear_neo4j.retrieval.patterns.language import stop_words
from gear_neo4j.text.name_keys import is_unspaced

LONGEST_NAME = 8
# A question is a sentence or two; a pasted page must not cause thousands of look-ups.
MOST_WORDS = 200
# Maximum number of words for the fuzzy look-up, which costs more.
MOST_UNKNOWN = 40
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Span:
    """A run of words in a question, from ``start`` to before ``end``, and the key of the entity that it would name.

    ``capital`` says whether it looks like a name: it has a digit, or a capital that is not in the first word of the
    question.
    """

    start: int
    end: int
    key: str
    capital: bool

    def is_apart_from(self, others: Iterable["Span"]) -> bool:
        """Whether it shares no word with any of them."""
        return all(self.end <= other.start or other.end <= self.start for other in others)


def spans(question: str) -> list[Span]:
    """The runs of at most eight words that may be a name, longest first.

    If a question has capitals beyond its first word, a name must have a capital or a digit: "country" and "author" are
    entities of many graphs, and a walk from them leads anywhere. Otherwise any run may be a name.

    Example:
        >>> [span.key for span in spans("Who wrote Brand?")]
        ['who wrote brand', 'wrote brand', 'brand']
        >>> [span.key for span in spans("who wrote brand?")]
        ['who wrote brand', 'who wrote', 'wrote brand', 'wrote', 'brand']
    """
    words = list(_words(question))[:MOST_WORDS]
    upper = [index > 0 and any(map(str.isupper, word)) for index, (word, _, _) in enumerate(words)]
    capitals = [is_upper or any(map(str.isdigit, word)) for is_upper, (word, _, _) in zip(upper, words, strict=True)]
    cased = any(upper)
    runs = []
    for length in range(min(LONGEST_NAME, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            end = start + length
            capital = any(capitals[start:end])
            if capital or (not cased and _may_name(words[start:end])):
                key = entity_key(question[words[start][1] : words[end - 1][2]])
                runs.append(Span(start, end, key, capital))
    return runs


def split_words(text: str) -> Iterator[str]:
    """The words of a text; in scripts without spaces, each letter is a word."""
    return (word for word, _, _ in _words(text))


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """The words of a text with their spans."""
    for match in _WORD.finditer(text):
        start = match.start()
        for index in range(match.start(), match.end()):
            if is_unspaced(text[index]):
                if index > start:
                    yield text[start:index], start, index
                yield text[index], index, index + 1
                start = index + 1
        if match.end() > start:
            yield text[start : match.end()], start, match.end()


def _may_name(words: Sequence[tuple[str, int, int]]) -> bool:
    """Whether words without a capital may be a name: not a single letter, and not one or two stop words.

    Three or more may be a title, such as *All of Me*.
    """
    texts = [word.casefold() for word, _, _ in words]
    return len("".join(texts)) > 1 and (len(texts) > 2 or not all(text in stop_words() for text in texts))


def names(candidates: Sequence[Span], *, known: Mapping[str, str]) -> list[Span]:
    """The spans that are known names, longest first; a word belongs to one name only.

    Args:
        known: the names of entities as spelled in the graph, by key. In a question without capitals, only entities with
            a capital or digit in the graph count as names.

    Example:
        >>> known = {"new york city": "New York City", "new york": "New York", "york": "York"}
        >>> [span.key for span in names(spans("Is New York City in York?"), known=known)]
        ['new york city', 'york']
        >>> [span.key for span in names(spans("who wrote brand?"), known={"brand": "Brand", "wrote": "wrote"})]
        ['brand']
    """
    chosen: list[Span] = []
    for span in sorted(candidates, key=lambda span: span.start - span.end):
        name = known.get(span.key)
        if name is not None and (span.capital or _is_written_like_a_name(name)) and span.is_apart_from(chosen):
            chosen.append(span)
    return chosen


def possible_words(candidates: Iterable[Span], *, known: Mapping[str, str]) -> list[str]:
    """The keys that may be names or ordinary words in a question without capitals; the passages tell which.

    Example:
        >>> possible_words(spans("who wrote brand?"), known={"brand": "Brand"})
        ['brand']
        >>> possible_words(spans("Who wrote Brand?"), known={"brand": "Brand"})
        []
    """
    keys = (span.key for span in candidates if not span.capital and span.key.replace(" ", "").isalpha())
    return list(dict.fromkeys(key for key in keys if any(map(str.isupper, known.get(key, "")))))


def unknown_words(candidates: Sequence[Span], *, named: Sequence[Span]) -> list[str]:
    """The words that may belong to a misspelt name; empty if names already cover all words that are long enough.

    Example:
        >>> unknown_words(spans("Is Lord Byrno from London?"), named=[Span(4, 5, "london", capital=True)])
        ['lord', 'byrno', 'london']
        >>> unknown_words(spans("Is it from London?"), named=[Span(3, 4, "london", capital=True)])
        []
    """
    # Folding turns one letter into "(1)", which a query would read as an operator.
    words = [span for span in candidates if span.end - span.start == 1 and span.key.isalnum()][:MOST_UNKNOWN]
    unknown = any(len(span.key) >= LEAST_LETTERS and span.is_apart_from(named) for span in words)
    return list(dict.fromkeys(span.key for span in words)) if unknown else []


def misspelt_names(candidates: Sequence[Span], *, similar: Mapping[str, str], words: Collection[str]) -> list[Span]:
    """The spans that are misspelt or plural names of entities, each with the entity's key.

    Args:
        similar: the names of entities by key, most similar first.
        words: the words that occur in passages, and so are spelt correctly.

    Example:
        >>> similar = {"lord byron": "Lord Byron"}
        >>> [span.key for span in misspelt_names(spans("Is Lord Byrno in?"), similar=similar, words={"lord"})]
        ['lord byron']
    """
    return [
        replace(span, key=key)
        for span in candidates
        for key in similar
        if (is_plural(span.key, of=key) and (span.capital or " " in key)) or is_slip(span.key, of=key, words=words)
    ]


def is_plural(written: str, *, of: str) -> bool:
    """Whether a name is the English plural of another.

    Example:
        >>> is_plural("gila monsters", of="gila monster"), is_plural("paris", of="pari")
        (True, False)
    """
    return len(of) > LEAST_LETTERS and written in (f"{of}s", f"{of}es")


def is_slip(written: str, *, of: str, words: Collection[str] = ()) -> bool:
    """Whether a name differs from another by one typo: a letter too many, missing, wrong or swapped, or a sign.

    A wrong letter is a typo only in a word of at least five letters that is not among ``words``. A wrong digit never
    is: World War I is not World War II.

    Example:
        >>> [is_slip(written, of="lord byron") for written in ("lord byrno", "lord-byron", "lord byrons", "lord brno")]
        [True, True, True, False]
    """
    if abs(len(written) - len(of)) > 1:
        return False
    start = _shared(written, of)
    tail = _shared(written[start:][::-1], of[start:][::-1])
    changed, original = written[start : len(written) - tail], of[start : len(of) - tail]
    swapped = len(changed) == 2 and changed == original[::-1]
    if changed == original or not (swapped or max(len(changed), len(original)) <= 1):
        return False
    if not any(letter.isalnum() for letter in changed + original):
        # Ignoring a space would turn the end of "Bonetti's team" into "steam".
        return changed + original != " "
    wrong, right = _word_at(written, start), _word_at(of, start)
    return wrong not in words and (wrong + right).isalpha() and len(wrong) >= LEAST_LETTERS < len(right)


def _shared(first: str, second: str) -> int:
    """The length of the common prefix."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _word_at(text: str, index: int) -> str:
    return next((match[0] for match in _WORD.finditer(text) if match.start() <= index <= match.end()), "")


def _is_written_like_a_name(name: str) -> bool:
    """Whether a name has a capital or a digit, or its script has no capitals.

    Example:
        >>> [_is_written_like_a_name(name) for name in ("Brand", "brand", "鲁迅", "מים")]
        [True, False, True, True]
    """
    return any(letter.isupper() or letter.isdigit() for letter in name) or name.upper() == name.lower()
