"""Triples by rules: names, subjects of sentences, tables; and no text breaks them."""

import time
import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.domain import Passage, make_triple
from gear_neo4j.extraction.language import language_of
from gear_neo4j.extraction.mentions import LONGEST_NAME, Mentions
from gear_neo4j.extraction.rules import RuleExtractor, extract_facts
from gear_neo4j.extraction.tables import row_facts, split_tables
from gear_neo4j.ingestion.lines import is_triple

# Letters, capitals, digits, marks and blanks of every kind, and beginnings of patterns of the rules.
TEXTS = st.text() | st.lists(
    st.sampled_from(
        [
            "Marie",
            "Curie",
            "the",
            "of",
            "in",
            ". ",
            ", ",
            "\n",
            "\n\n",
            "|",
            "|---|",
            "a: b\n",
            "1867",
            "May",
            "《",
            "》",
        ]
    ),
    max_size=60,
).map(" ".join)


def names(text, topic=""):
    mentions = Mentions([text], topic=topic, language=language_of(text))
    return [mention.name for mention in mentions.find(text)]


def facts(text, title=""):
    return [str(fact) for fact in extract_facts(title, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He met Marie Curie.", ["Marie Curie"]),
        ("He saw the University of Warsaw there.", ["University of Warsaw"]),
        ("He worked with J. R. R. Tolkien at Leeds.", ["J. R. R. Tolkien", "Leeds"]),
        ("He lives in the U.S. state of Texas.", ["U.S.", "Texas"]),
        ("It was Poland's capital.", ["Poland"]),
        ("They work for Northwick Works 19.", ["Northwick Works 19"]),
        ("They watched Apollo 11 and SpaceX.", ["Apollo 11", "SpaceX"]),
        ("It opened on 3 May 1990 and closed in June 2001.", ["3 May 1990", "June 2001"]),
        ("It ran from 1914 to the 1920s.", ["1914", "1920s"]),
        ("However, nothing happened.", []),
        ("Construction began early.", []),
        ("It is said that The Beatles split.", ["Beatles"]),
        ("THE HISTORY OF ROME", ["HISTORY OF ROME"]),
        ("Er las an der Universität ein Buch von Max Weber.", ["Max Weber"]),
        ("Il est né à Besançon avec la famille Hugo.", ["Besançon", "Hugo"]),
        ("Он родился в Москве, и он учился в Царском Селе.", ["Москве", "Царском Селе"]),
        ("他写了《狂人日记》。", ["狂人日记"]),
    ],
)
def test_names_and_dates_are_found(text, expected):
    """Runs of capitalised words, joined by small ones; no stop words, and no noun that only begins a sentence."""
    assert expected == names(text)


def test_a_topic_is_found_in_small_letters_but_not_inside_of_a_longer_name():
    """The title of a passage, as spelt in its text."""
    assert ["Cell membrane", "Golgi"] == names("A cell membrane is near the Golgi.", topic="Cell membrane")
    assert ["Marie Curie", "Paris"] == names("We saw Marie Curie in Paris.", topic="Curie")


def test_a_single_word_that_opens_a_sentence_counts_where_it_stands_with_a_capital_elsewhere():
    """Napoleon is a name, Construction is not; as a topic, either may be one."""
    text = "It began. Napoleon came. Construction ended. Many saw Napoleon there."
    sentences = language_of(text).sentences(text)
    mentions = Mentions(sentences, topic="", language=language_of(text))

    assert [[], ["Napoleon"], [], ["Napoleon"]] == [
        [mention.name for mention in mentions.find(sentence)] for sentence in sentences
    ]
    assert ["Construction"] == [mention.name for mention in mentions.find("Construction ended.", any_opening=True)]


def test_the_topic_is_the_subject_of_sentences_that_do_not_name_one():
    """This is enough for pronouns."""
    assert [
        "Marie Curie —She was born in→ Warsaw",
        "Marie Curie —In→ 1903",
        "Marie Curie —In 1903 she met→ Henri Becquerel",
    ] == facts("She was born in Warsaw. In 1903 she met Henri Becquerel.", "Marie Curie")


def test_a_name_that_opens_a_sentence_is_its_subject():
    """The topic is linked to it."""
    assert [
        "Poland —mentions→ Marie Curie",
        "Marie Curie —was born in→ Warsaw",
    ] == facts("Marie Curie was born in Warsaw.", "Poland")


def test_without_a_title_that_names_anything_the_first_name_is_the_topic():
    """A file name in lower case is not a name; of a path of headings, the first is used."""
    assert ["Ada Lovelace —She wrote to→ Babbage"] == facts("Ada Lovelace was there. She wrote to Babbage.", "notes_2")
    assert ["Tesla —It is in→ Berlin"] == facts("## Plants\n\nIt is in Berlin.", "Tesla > Plants")


def test_of_many_words_between_two_names_the_first_and_last_are_kept():
    """Twelve words in all."""
    words = " ".join(f"w{number}" for number in range(30))

    assert ["Curie —w0 w1 w2 w3 … w22 w23 w24 w25 w26 w27 w28 w29→ Paris"] == facts(f"Curie {words} Paris.", "Curie")


def test_headings_of_markdown_are_no_sentences():
    """With or without a blank line after them; a tag is not a heading."""
    assert ["Tesla —It is in→ Berlin"] == facts("# Tesla\nIt is in Berlin.\n## Models\n", "Tesla")
    assert ["Tesla —cars It is in→ Berlin"] == facts("#cars It is in Berlin.", "Tesla")


def test_sentences_go_on_over_the_ends_of_lines_and_end_with_items_of_lists():
    """Texts are wrapped."""
    assert ["Tesla —It was founded by Martin→ Eberhard"] != facts("It was founded by Martin\nEberhard.", "Tesla")
    assert ["Tesla —It was founded by→ Martin Eberhard"] == facts("It was founded by Martin\nEberhard.", "Tesla")
    assert ["Musk —runs→ Tesla", "Musk —mentions→ SpaceX", "SpaceX —makes→ Falcon 9"] == facts(
        "- Musk runs Tesla\n- SpaceX makes Falcon 9"
    )


def test_tables_give_a_fact_for_each_cell():
    """Markdown, and CSV rows from our loader; a column without a header gives none."""
    table = "Before.\n\n| city | river | |\n|:--|:-:|--|\n| Dresden | Elbe | x |\n| Bonn | Rhine | |\n\nAfter."

    rows, rest = split_tables(table)
    assert ["Dresden —river→ Elbe", "Bonn —river→ Rhine"] == [str(f) for row in rows for f in row_facts(row, topic="")]
    assert "Before.\n\n\nAfter." == rest
    assert ["Ada Lovelace —born→ London"] == facts("id: 7\nname: Ada Lovelace\nborn: London\nemployer:")[1:]
    assert "Ada Lovelace —id→ 7" == facts("id: 7\nname: Ada Lovelace\nborn: London")[0]
    assert ([], "One line: no table.") == split_tables("One line: no table.")


def test_a_box_beside_an_article_is_about_its_topic():
    """Rows of two cells without headers; tables with more columns, or without a topic, need headers."""
    box = "|  |  |\n| --- | --- |\n| Founded | 1886 |\n| Based in | Stuttgart |"

    assert ["Bosch —Founded→ 1886", "Bosch —Based in→ Stuttgart"] == facts(box, "Bosch")
    assert [] == facts(box)
    assert [] == facts("|  |  |  |\n|---|---|---|\n| Founded | 1886 | by Robert |", "Bosch")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "The dog is in the house and it was there before."),
        ("de", "Der Hund ist in dem Haus und war auch vorher dort."),
        ("fr", "Le chien est dans la maison et il y était avant."),
        ("es", "El perro está en la casa y estaba allí antes."),
        ("ar", "ولد في القاهرة ثم سافر إلى باريس من أجل هذا"),
        ("zh", "他写了这个故事，而且他把它给了我们。"),
        ("en", "Ada Lovelace, London"),
        ("en", ""),
    ],
)
def test_the_language_is_that_of_the_stop_words(code, text):
    """Without any stop words, English."""
    assert code == language_of(text).code


@pytest.mark.parametrize(
    ("title", "text", "names"),
    [
        (
            "Bosch",
            "Das Unternehmen wurde 1886 von Robert Bosch gegründet. Der Hauptsitz liegt heute in Gerlingen. "
            "Die Werkstatt für Feinmechanik war klein.",
            "1886, Robert Bosch",
        ),
        (
            "Marie Curie",
            "Elle est née à Varsovie en 1867. Avec Pierre Curie, elle a découvert le radium à Paris. Le prix Nobel de "
            "physique lui fut remis en 1903.",
            "Varsovie, 1867, Pierre Curie, Paris, Nobel, 1903",
        ),
        (
            "Gabriela Mistral",
            "Nació en Vicuña en 1889. Recibió el Premio Nobel de Literatura en Estocolmo. La escuela de su hermana "
            "estaba en el Valle de Elqui.",
            "Vicuña, 1889, Premio Nobel de Literatura, Estocolmo, Valle de Elqui",
        ),
        (
            "Дмитрий Менделеев",
            "Он родился в Тобольске в 1834 году. Профессор работал в Санкт-Петербурге, и там он открыл закон.",
            "Тобольске, 1834, Санкт-Петербурге",
        ),
        ("鲁迅", "他于1881年出生在绍兴。他写了《狂人日记》,而且后来住在上海。", "1881, 狂人日记"),
        ("夏目漱石", "彼は1867年に東京で生まれた。『吾輩は猫である』を1905年に書いた。", "1867, 吾輩は猫である, 1905"),
        ("نجيب محفوظ", "ولد في القاهرة عام 1911 ثم حصل على جائزة نوبل في عام 1988.", "1911, 1988"),
    ],
    ids=["German", "French", "Spanish", "Russian", "Chinese", "Japanese", "Arabic"],
)
def test_what_the_rules_find_in_other_languages(title, text, names):
    """German nouns, places in scripts without capitals, and verbs that begin a sentence are not names."""
    found = dict.fromkeys(name for fact in extract_facts(title, text) for name in (fact.subject, fact.object))

    assert [title, *names.split(", ")] == list(found)


@given(title=TEXTS, text=TEXTS)
def test_any_text_gives_valid_triples(title, text):
    """Three storable texts each; names of at most 80 characters, with a letter or digit, not a stop word."""
    text = text.encode("utf-8", "replace").decode()
    title = title.encode("utf-8", "replace").decode()
    stop_words = language_of(split_tables(text)[1]).stop_words
    for fact in extract_facts(title, text):
        assert is_triple([fact.subject, fact.predicate, fact.object])
        for name in (fact.subject, fact.object):
            assert len(name) <= LONGEST_NAME
            assert any(map(str.isalnum, name))
        triple = make_triple("p", fact.subject, fact.predicate, fact.object)
        assert triple.text == fact.text
    for name in names(" ".join(text.split())):
        assert name.casefold() not in stop_words or not name.islower()


@given(text=TEXTS)
def test_the_same_text_gives_the_same_triples(text):
    """Their ids depend on it."""
    first, again = (RuleExtractor().facts(Passage("p", "Title", text)) for _ in range(2))
    assert first == again


@pytest.mark.parametrize(
    "code",
    [
        "```python\nfrom Orders import Client\n```\n",
        "~~~\nBaseModel\n```\nDecimal\n~~~\n",
        "```\nclass Invoice:\n    total = 1",
    ],
)
def test_code_makes_no_facts(code):
    """The sentences around it do, also in a passage that begins or ends within the code."""
    sentence = "Ada Byron wrote it in London."
    alone = extract_facts("Invoices", sentence)

    assert alone == extract_facts("Invoices", f"{code}\n{sentence}" if code.endswith("\n") else f"{sentence}\n{code}")
    assert alone == extract_facts("Invoices", f"    total = Decimal(1)\n```\n\n{sentence}")


def test_a_dialogue_is_no_row_of_a_table():
    """Neither by its speakers, who speak twice, nor by its sentences; a row with one sentence stays a row."""
    talk = "Ines: Did you repair the bridge?\nOtto: Yes, in Lyon.\nInes: When was that?"
    predicates = {fact.predicate for fact in extract_facts("", talk)}
    twice = extract_facts("", "Ines: Did you repair it?\nOtto: Yes, in Lyon.")

    assert not predicates & {"Ines", "Otto"}
    assert not {fact.predicate for fact in twice} & {"Ines", "Otto"}
    assert ["Elbe —note→ It rises in Bohemia."] == list(
        map(str, extract_facts("", "river: Elbe\nnote: It rises in Bohemia."))
    )


@pytest.mark.parametrize(
    "piece",
    [
        "Marie Curie met Pierre in 1903 ",
        "a",
        "A",
        "A ",
        "A.",
        "1900 ",
        "| a ",
        "x: y\n",
        "May ",
        "of A ",
        "《a",
        "'s ",
        "- A\n",
    ],
)
def test_time_grows_with_the_text_and_no_faster(piece):
    """Ten times the text takes at most thirty times as long, whatever it repeats.

    Processor time of several runs in turn, so that other programs on the machine do not matter.
    """

    def seconds(text):
        return timeit.timeit(lambda: extract_facts("Marie Curie", text), timer=time.process_time, number=1)

    extract_facts("", "Warm.")
    assert any(seconds(piece * 10_000) < 30 * max(seconds(piece * 1_000), 0.002) for _ in range(5))


def test_a_list_of_heads_and_values_is_about_the_topic():
    """As an infobox; items that are sentences, and one alone, are prose."""
    items = "- **Founder:** Ada Marlow\n* Town: [Lund](l.md)\n- Note: It was sold by Tom Ash."
    facts = set(map(str, extract_facts("Norvik", f"It is a firm.\n\n{items}\n\nBen Okoro leads it.")))

    assert {"Norvik —Founder→ Ada Marlow", "Norvik —Town→ Lund"} <= facts
    assert not any("—Note→" in fact for fact in facts)
    assert "Norvik —Founder→ Ada Marlow" in map(str, extract_facts("Norvik", "- Founder: Ada Marlow"))
    assert [] == extract_facts("", "- Founder: Ada Marlow\n- Town: Lund")
