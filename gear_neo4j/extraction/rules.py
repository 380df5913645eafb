"""Extracts triples by rules: the subject of each sentence is linked to every other name and date in it."""

from collections.abc import Iterator, Sequence

from gear_neo4j.domain import Fact, Passage, entity_key
from gear_neo4j.extraction.extractor import FactExtractor, Rules
from gear_neo4j.extraction.language import Language, language_of
from gear_neo4j.extraction.mentions import LONGEST_NAME, Mention, Mentions
from gear_neo4j.extraction.prose import Turn, prose_of, split_turns
from gear_neo4j.extraction.tables import row_facts, split_items, split_tables
from gear_neo4j.ingestion.markdown import HEADINGS

FIRST_WORDS = 4
LAST_WORDS = 8
# Eight words are shorter than this; only this much of each end of a long sentence is split into words.
LONGEST_PART = 200
_MARGIN = ' ,;:()[]–—-"“”„«»|#>*'


class RuleExtractor(FactExtractor):
    """Extracts triples by rules, without a model; the same text always gives the same triples."""

    name = Rules.name
    beside = ()

    def facts(self, passage: Passage) -> list[Fact]:
        """See :func:`extract_facts`."""
        return extract_facts(passage.title, passage.text)


def extract_facts(title: str, text: str) -> list[Fact]:
    """The facts in a text with a title, in order, each once.

    The topic is the title, else the first name. A name at the start of a sentence is its subject, and the topic is
    linked to it; otherwise the topic is the subject. The subject is linked to each later mention by the words between
    them, so that a triple reads like its sentence, which suits embeddings.

    Example:
        >>> for fact in extract_facts("Marie Curie", "She was born in Warsaw. She studied in Paris until 1894."):
        ...     print(fact)
        Marie Curie —She was born in→ Warsaw
        Marie Curie —She studied in→ Paris
        Marie Curie —She studied in Paris until→ 1894
    """
    items, prose = split_items(prose_of(text))
    rows, prose = split_tables(prose)
    turns, prose = split_turns(prose)
    language = language_of(prose)
    sentences = language.sentences(prose)
    topic = _topic(title) or _first_name(sentences, language)
    mentions = Mentions(sentences, topic=topic, language=language)
    facts = {_key(fact): fact for row in (*items, *rows) for fact in row_facts(row, topic=topic)}
    found = [fact for sentence in sentences for fact in _facts(sentence, mentions.find(sentence), topic)]
    found += [fact for turn in turns for fact in _turn_facts(turn, topic=topic, language=language)]
    for fact in found:
        facts.setdefault(_key(fact), fact)
    return list(facts.values())


def _turn_facts(turn: Turn, *, topic: str, language: Language) -> Iterator[Fact]:
    """The facts in a turn of a dialogue; the speaker is the subject of sentences that name none."""
    speaker = turn.speaker if len(turn.speaker) > 1 else topic
    sentences = language.sentences(turn.words)
    mentions = Mentions(sentences, topic=speaker, language=language)
    for sentence in sentences:
        yield from _facts(sentence, mentions.find(sentence), speaker)


def _key(fact: Fact) -> tuple[str, str, str]:
    return entity_key(fact.subject), fact.predicate, entity_key(fact.object)


def _topic(title: str) -> str:
    """The title, or the first heading of a path; empty for a lower-case title, which is often just a file name."""
    topic = " ".join(title.partition(HEADINGS)[0].split())
    named = any(letter.isalpha() and not letter.islower() for letter in topic)
    return topic if named and len(topic) <= LONGEST_NAME else ""


def _first_name(sentences: Sequence[str], language: Language) -> str:
    """The first name, even a single word at the start of a sentence: there must be a topic."""
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
    """The words between two offsets; a long span keeps only its first and last words."""
    if end - start > 2 * LONGEST_PART:
        first, last = sentence[start : start + LONGEST_PART].split(), sentence[end - LONGEST_PART : end].split()[1:]
        words = [*first, *last]
    else:
        words = sentence[start:end].split()
    if len(words) > FIRST_WORDS + LAST_WORDS:
        words = [*words[:FIRST_WORDS], "…", *words[-LAST_WORDS:]]
    return " ".join(words).strip(_MARGIN) or "mentions"
