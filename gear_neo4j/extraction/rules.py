"""Triples by rules: the subject of each sentence is linked to every other name and date in it."""

from collections.abc import Iterator, Sequence

from gear_neo4j.domain import Fact, Passage, entity_key
from gear_neo4j.extraction.extractor import FactExtractor, Rules
from gear_neo4j.extraction.language import Language, language_of
from gear_neo4j.extraction.mentions import LONGEST_NAME, Mention, Mentions
from gear_neo4j.extraction.tables import row_facts, split_tables
from gear_neo4j.ingestion.markdown import HEADINGS

FIRST_WORDS = 4
LAST_WORDS = 8
# Eight words are shorter than this; of a long sentence only so much is cut into words.
LONGEST_PART = 200
_MARGIN = ' ,;:()[]–—-"“”„«»'


class RuleExtractor(FactExtractor):
    """Rules that make triples; no model is called, and the same text always gives the same triples."""

    name = Rules.name
    beside = ()

    def facts(self, passage: Passage) -> list[Fact]:
        """See :func:`extract_facts`."""
        return extract_facts(passage.title, passage.text)


def extract_facts(title: str, text: str) -> list[Fact]:
    """The facts in a text under a title, in order, each once.

    The topic is the title, or without one the first name. A name that opens a sentence is its subject, and the
    topic is linked to it; otherwise the topic is the subject. The subject is linked to each later mention by the
    words before that: a triple reads as its sentence does, which is what embeddings compare.

    Example:
        >>> for fact in extract_facts("Marie Curie", "She was born in Warsaw. She studied in Paris until 1894."):
        ...     print(fact)
        Marie Curie —She was born in→ Warsaw
        Marie Curie —She studied in→ Paris
        Marie Curie —She studied in Paris until→ 1894
    """
    rows, prose = split_tables(text)
    language = language_of(prose)
    sentences = language.sentences(prose)
    topic = _topic(title) or _first_name(sentences, language)
    mentions = Mentions(sentences, topic=topic, language=language)
    facts = {_key(fact): fact for row in rows for fact in row_facts(row, topic=topic)}
    for sentence in sentences:
        for fact in _facts(sentence, mentions.find(sentence), topic):
            facts.setdefault(_key(fact), fact)
    return list(facts.values())


def _key(fact: Fact) -> tuple[str, str, str]:
    return entity_key(fact.subject), fact.predicate, entity_key(fact.object)


def _topic(title: str) -> str:
    """The title, or the first of a path of headings; a title in small letters, as many files have it, names nothing."""
    topic = " ".join(title.partition(HEADINGS)[0].split())
    named = any(letter.isalpha() and not letter.islower() for letter in topic)
    return topic if named and len(topic) <= LONGEST_NAME else ""


def _first_name(sentences: Sequence[str], language: Language) -> str:
    """The first name, which may be a single word that opens a sentence: something must be the topic."""
    mentions = Mentions(sentences, topic="", language=language)
    for sentence in sentences[:2]:
        for mention in mentions.find(sentence, any_opening=True):
            if not mention.is_date:
                return mention.name
    return ""


def _facts(sentence: str, mentions: Sequence[Mention], topic: str) -> Iterator[Fact]:
    if not mentions:
        return
    subject, *others = mentions
    implied = Mention(0, 0, topic)
    if topic and subject.name != topic:
        if not subject.is_date and not any(map(str.isalnum, sentence[: subject.start])):
            yield from _fact(sentence, implied, subject)
        else:
            subject, others = implied, list(mentions)
    for other in others:
        yield from _fact(sentence, subject, other)


def _fact(sentence: str, subject: Mention, object: Mention) -> Iterator[Fact]:
    if entity_key(subject.name) != entity_key(object.name):
        predicate = _predicate(sentence, subject.end, object.start)
        yield Fact(subject.name, predicate, object.name)


def _predicate(sentence: str, start: int, end: int) -> str:
    """The words between two positions; a long stretch keeps only its first and last words."""
    if end - start > 2 * LONGEST_PART:
        first, last = sentence[start : start + LONGEST_PART].split(), sentence[end - LONGEST_PART : end].split()[1:]
        words = [*first, *last]
    else:
        words = sentence[start:end].split()
    if len(words) > FIRST_WORDS + LAST_WORDS:
        words = [*words[:FIRST_WORDS], "…", *words[-LAST_WORDS:]]
    return " ".join(words).strip(_MARGIN) or "mentions"
