"""Finds the names and dates in a sentence by rules: capitalised words, the title of the passage, dates and years."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gear_neo4j.extraction.language import FIRST_UNSPACED, Language

LONGEST_NAME = 80
MOST_MENTIONS = 30
# Lower-case words that may join the capitalised words of a name.
_JOINERS = "of the for de del della di da do dos du des la le les van von der den zu zum zur y e al el bin ibn"
JOINERS = frozenset(_JOINERS.split(" "))
MOST_JOINERS = 2
# Articles between a verb at the start of a sentence and its object, as in Recibió el Premio.
_ARTICLES = frozenset(("el", "la", "le", "les"))
_MONTH = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December"
    "|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)"
)
_YEAR = "(?:1[0-9]{3}|20[0-9]{2})"
_DAY = r"[0-9]{1,2}\.?"
_DATE = re.compile(
    rf"(?<![0-9A-Za-z_])"
    rf"(?:{_DAY} {_MONTH}(?:,? {_YEAR})?|{_MONTH} [0-9]{{1,2}}(?:, {_YEAR})?|{_MONTH} {_YEAR}|{_YEAR}s?)"
    rf"(?![0-9A-Za-z_])"
)
# Chinese and Japanese mark the titles of works with these brackets.
_QUOTED = re.compile(r"(?<=[《「『])[^《》「」『』]{2,40}(?=[》」』])")
_WORD = re.compile(r"[^\W_]+(?:[.'’&/‐‑–-][^\W_]+)*\.?")
_LAST_WORD = re.compile(r"(\w+) $")
_NEXT_WORD = re.compile(r" (\w+)")
_POSSESSIVE = re.compile(r"['’]s$")
# A full stop belongs to initials (J. K.), to a few letters with full stops (U.S.), and to these.
_ABBREVIATED = re.compile(
    r"(?:[^\W\d_]\.)+"
    r"|(?:Mr|Mrs|Ms|Dr|St|Jr|Sr|Prof|Gen|Col|Lt|Capt|Sgt|Rev|Mt|Ft|Gov|Sen|Rep|Inc|Ltd|Co|Corp|Bros|No|Vol)\."
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name or date in a sentence, from ``start`` to before ``end``; an implied topic has an empty span."""

    start: int
    end: int
    name: str

    @property
    def is_date(self) -> bool:
        """Whether it is a date or a year."""
        return _DATE.fullmatch(self.name) is not None


class Mentions:
    """The mentions in the sentences of one passage.

    A single capitalised word at the start of a sentence is a name only if the passage capitalises it elsewhere, too. In
    a language that capitalises every noun, this applies to every single word.

    Args:
        topic: the topic of the passage, matched in any case; may be empty.
    """

    def __init__(self, sentences: Sequence[str], *, topic: str, language: Language) -> None:
        self._topic = topic
        self._language = language
        self._titled = _as_words(topic) if topic else None
        self._names = set(_bare_words(topic)) | set(self._words_of_names(sentences))

    def find(self, sentence: str, *, any_opening: bool = False) -> list[Mention]:
        """The first 30 mentions of a sentence, in order; with ``any_opening``, any capitalised first word is a name.

        Example:
            >>> from gear_neo4j.extraction.language import language_of
            >>> text = "In 1903 Marie Curie of Warsaw shared the Nobel Prize."
            >>> mentions = Mentions([text], topic="", language=language_of(text))
            >>> [mention.name for mention in mentions.find(text)]
            ['1903', 'Marie Curie of Warsaw', 'Nobel Prize']
        """
        taken = bytearray(len(sentence))
        marked = (Mention(*match.span(), match[0]) for mark in (_QUOTED, _DATE) for match in mark.finditer(sentence))
        fixed = [*self._topics(sentence), *marked]
        mentions = [mention for mention in fixed if _take(taken, mention)]
        mentions.extend(mention for mention in self._runs(sentence, taken, any_opening) if _take(taken, mention))
        return sorted(mentions, key=lambda mention: mention.start)[:MOST_MENTIONS]

    def _topics(self, sentence: str) -> Iterator[Mention]:
        """The occurrences of the topic, except inside a longer name."""
        for match in self._titled.finditer(sentence) if self._titled else ():
            before = _LAST_WORD.search(sentence[max(0, match.start() - LONGEST_NAME) : match.start()])
            after = _NEXT_WORD.match(sentence, match.end())
            if not any(word and not self._is_filler(word[1], False) for word in (before, after)):
                yield Mention(*match.span(), self._topic)

    def _runs(self, sentence: str, taken: bytearray, any_opening: bool) -> Iterator[Mention]:
        words = list(_WORD.finditer(sentence))
        in_capitals = sentence.upper() == sentence
        index = 0
        while index < len(words):
            if not _begins_name(words[index], taken):
                index += 1
                continue
            last = self._end_of_run(sentence, words, index, taken)
            first = self._trim(words, index, last, in_capitals)
            if first <= last and self._is_name(words[first : last + 1], lone=last == 0, any_opening=any_opening):
                name = _name(sentence, words[first], words[last])
                if 1 < len(name) <= LONGEST_NAME:
                    start = words[first].start()
                    yield Mention(start, start + len(name), name)
            index = last + 1

    def _end_of_run(self, sentence: str, words: Sequence[re.Match[str]], index: int, taken: bytearray) -> int:
        """The index of the last word of the run that begins at an index.

        If every noun is capitalised, only names of two words or more are joined to another one: *das Buch von Ada* is
        not one name.
        """
        last = index
        while True:
            joined = last > index or not self._language.has_noun_capitals
            following = _next_in_run(sentence, words, last, taken, most=MOST_JOINERS if joined else 0)
            if following is None or (following > last + 1 and self._is_verb_with_article(words, last)):
                return last
            last = following

    def _is_verb_with_article(self, words: Sequence[re.Match[str]], index: int) -> bool:
        """Whether a word opens the sentence, is not a known name, and is followed by an article."""
        return index == 0 and words[1][0] in _ARTICLES and _bare(words[0][0]) not in self._names

    def _trim(self, words: Sequence[re.Match[str]], first: int, last: int, in_capitals: bool) -> int:
        """The index of the run's first word that is not a stop word such as ``The`` or ``In``."""
        while first <= last and self._is_filler(words[first][0], in_capitals):
            first += 1
        return first

    def _is_filler(self, word: str, in_capitals: bool) -> bool:
        """Whether a word cannot begin a name; US and WHO can, unless the sentence is all in capitals."""
        acronym = word.isupper() and len(word) > 1 and not in_capitals
        return not word[0].isupper() or (_bare(word).casefold() in self._language.stop_words and not acronym)

    def _is_name(self, words: Sequence[re.Match[str]], *, lone: bool, any_opening: bool) -> bool:
        if len(words) > 1 or not (lone or self._language.has_noun_capitals):
            return True
        word = _bare(words[0][0])
        return (
            word in self._names
            or any(map(str.isupper, word[1:]))
            or any(map(str.isdigit, word))
            or (any_opening and not self._language.has_noun_capitals)
        )

    def _words_of_names(self, sentences: Sequence[str]) -> Iterator[str]:
        """The capitalised words inside sentences; if every noun is capitalised, only those after another one."""
        for sentence in sentences:
            words = list(_WORD.finditer(sentence))
            for index in range(1, len(words)):
                if not words[index][0][0].isupper():
                    continue
                before = words[index - 1]
                if not self._language.has_noun_capitals or (
                    not self._is_filler(before[0], False) and sentence[before.end() : words[index].start()] == " "
                ):
                    yield _bare(words[index][0])


def _as_words(topic: str) -> re.Pattern[str]:
    """A pattern that matches the topic as whole words, or anywhere in scripts without spaces."""
    begin = "" if topic[0] > FIRST_UNSPACED else r"(?<!\w)"
    end = "" if topic[-1] > FIRST_UNSPACED else r"(?!\w)"
    return re.compile(f"{begin}{re.escape(topic)}{end}", re.IGNORECASE)


def _take(taken: bytearray, mention: Mention) -> bool:
    """Claim the characters of a mention, unless another mention has any of them."""
    if any(taken[mention.start : mention.end]):
        return False
    taken[mention.start : mention.end] = b"\x01" * (mention.end - mention.start)
    return True


def _begins_name(word: re.Match[str], taken: bytearray) -> bool:
    return word[0][0].isupper() and not taken[word.start()]


def _next_in_run(
    sentence: str, words: Sequence[re.Match[str]], index: int, taken: bytearray, *, most: int
) -> int | None:
    text = words[index][0]
    if _POSSESSIVE.search(text) or (text.endswith(".") and not _ABBREVIATED.fullmatch(text)):
        return None
    for following in range(index + 1, min(index + 2 + most, len(words))):
        word = words[following]
        if sentence[words[following - 1].end() : word.start()] != " ":
            return None
        if _begins_name(word, taken):
            return following
        number = word[0].removesuffix(".")
        if following == index + 1 and number.isdigit() and len(number) < 4 and not taken[word.start()]:
            return following
        if word[0] not in JOINERS:
            return None
    return None


def _name(sentence: str, first: re.Match[str], last: re.Match[str]) -> str:
    name = sentence[first.start() : last.end()]
    return name if _ABBREVIATED.fullmatch(last[0]) else _POSSESSIVE.sub("", name.removesuffix("."))


def _bare(word: str) -> str:
    return _POSSESSIVE.sub("", word.removesuffix("."))


def _bare_words(text: str) -> Iterator[str]:
    return (_bare(match[0]) for match in _WORD.finditer(text))
