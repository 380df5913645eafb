"""Replies as models really write them: usable parts are found, unusable ones are reported, and nothing is evaluated."""

import gc
import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.domain import Fact
from gear_neo4j.models.streaming import VisibleText, shown, without_thoughts
from gear_neo4j.roles.analyst import Outline, parse_analysis
from gear_neo4j.roles.citations import markers
from gear_neo4j.roles.judgements import (
    find_object,
    parse_labels,
    parse_scores,
    parse_statements,
    parse_useful,
    parse_verdicts,
)
from gear_neo4j.roles.lists import parse_indexes, parse_names, parse_numbers, parse_triples
from gear_neo4j.roles.parsers import (
    parse_answer,
    parse_keywords,
    parse_question,
    parse_segment,
    parse_thought,
    parse_verdict,
)
from gear_neo4j.roles.planner import parse_plan
from gear_neo4j.roles.reporter import parse_points, parse_report
from gear_neo4j.roles.text_to_cypher import parse_query

WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(
    lambda text: " ".join(text.split()) == text
)
# A name of only punctuation says nothing, nor do these.
UNSTATED = {"none", "null", "undefined", "unknown", "na", "n/a"}
NAMES = WORDS.filter(lambda text: any(map(str.isalnum, text)) and text.strip(".").casefold() not in UNSTATED)
FACTS = st.lists(st.tuples(NAMES, WORDS, NAMES), min_size=1, max_size=8, unique=True)
HINTON = Fact("Hinton", "studied at", "Edinburgh")


OUTLINE = Outline({"Drug": ["name"]}, ["Drug -[treats]-> Drug"])


def streamed(text):
    visible = VisibleText()
    return [visible.feed(text[index : index + 4]) for index in range(0, len(text), 4)]


PARSERS = {
    "triples": lambda text: parse_triples(text, key="triples"),
    "a list of triples": lambda text: parse_triples('{"triples": [' + text, key="triples"),
    "names": parse_names,
    "a list of names": lambda text: parse_names("[" + text),
    "numbers": lambda text: parse_numbers(text, most=5),
    "places": lambda text: parse_indexes(text, most=5),
    "an object": lambda text: find_object(text, "a"),
    "statements": parse_statements,
    "verdicts": lambda text: parse_verdicts(text, key="a", count=1),
    "scores": lambda text: parse_scores(text, count=1),
    "labels": lambda text: parse_labels(text, labels={"a": ("yes", "no")}),
    "useful": parse_useful,
    "plan": parse_plan,
    "report": parse_report,
    "points": lambda text: parse_points(text, reports=1),
    "analysis": lambda text: parse_analysis(text, OUTLINE),
    "query": parse_query,
    "verdict": parse_verdict,
    "thought": parse_thought,
    "question": parse_question,
    "keywords": parse_keywords,
    "segment": parse_segment,
    "answer": lambda text: parse_answer(text, passages=3, facts=2),
    "thoughts": without_thoughts,
    "visible": shown,
    "streamed": streamed,
}
# Texts that a degenerate reply repeats.
PIECES = [
    "[",
    "]",
    "{",
    "}",
    "(",
    '"',
    "'",
    ",",
    ":",
    "\\",
    " ",
    "\n",
    ".",
    "1",
    "x",
    '{"a":',
    "[1,",
    "Dr. x ",
    "a | ",
    "a —",
    "a ->",
    "<think>",
    "</think>",
]
LABELS = ["", "answerable", "answer", "why", "next question", "So the answer is", '{"a": ', "[F1", "<think>", '["']


def facts(text):
    return parse_triples(text, key="triples").facts


@given(FACTS)
def test_whatever_a_triple_holds_comes_through_json(triples):
    """Brackets, quotes, backslashes and emoji in names change nothing, and the order is kept."""
    reply = json.dumps({"entities": ["a"], "triples": triples}, ensure_ascii=False)

    assert [Fact(*triple) for triple in triples] == list(facts(reply))
    assert [Fact(*triple) for triple in triples] == list(facts(f"Sure, here it is:\n```json\n{reply}\n```\nDone."))


@pytest.mark.parametrize(
    "reply",
    [
        "(Hinton, studied at, Edinburgh)",
        "1. (Hinton, studied at, Edinburgh).",
        "- Hinton —studied at→ Edinburgh",
        "Hinton -> studied at -> Edinburgh",
        "Here they are:\n(Hinton | studied at | Edinburgh)",
        "<triple>Hinton | studied at | Edinburgh</triple>",
        "| Subject | Predicate | Object |\n|---|---|---|\n| Hinton | studied at | Edinburgh |",
        '{"triples": [["Hinton", "studied at", ["Edinburgh"]]]}',
    ],
)
def test_triples_in_other_forms(reply):
    """Lines, tables with heads, tags."""
    assert [HINTON] == list(facts(reply))


def test_an_object_that_is_a_list_makes_several_triples():
    """As a model has it that saves words."""
    found = facts('{"triples": [["Hinton", "studied at", ["Cambridge", "Edinburgh"]]]}')

    assert ["Cambridge", "Edinburgh"] == [fact.object for fact in found]


@pytest.mark.parametrize(
    "end",
    [
        "unknown",
        "N/A",
        "not stated",
        "Not mentioned in the passage",
        "not provided",
        "unclear",
        "none",
        "...",
        "?",
        "unspecified",
    ],
)
def test_what_is_not_stated_is_no_triple(end):
    """It would tie together all that nobody knows."""
    reply = {"triples": [["Hinton", "born in", end], [end, "led", "Hinton"], ["Hinton", "studied at", "Edinburgh"]]}

    assert [HINTON] == list(facts(json.dumps(reply)))
    assert () == facts(json.dumps({"triples": reply["triples"][:1]}))


def test_the_form_itself_is_no_triple():
    """A model that repeats it says nothing."""
    assert () == facts('{"triples": [["subject", "predicate", "object"]]}')
    with pytest.raises(ValueError, match="no list"):
        facts('{"triples": "Hinton | studied at | Edinburgh"}')


@pytest.mark.parametrize("reply", ["| Name | Place | Year |\n|---|---|---|\n| Hinton | Edinburgh | 1978 |", "a, b, c"])
def test_a_table_of_the_passage_holds_no_triples(reply):
    """Nor does a list of words."""
    with pytest.raises(ValueError, match="no list"):
        facts(reply)


@given(FACTS, st.data())
def test_a_reply_that_was_cut_off_keeps_every_whole_triple(triples, data):
    """Cut anywhere after a triple, all triples before the cut are there, and none is made up."""
    reply = json.dumps({"triples": triples}, ensure_ascii=False)
    whole = data.draw(st.integers(1, len(triples)))
    least = len(json.dumps({"triples": triples[:whole]}, ensure_ascii=False)) - 2
    cut = data.draw(st.integers(least, len(reply)))

    found = facts(reply[:cut])

    assert [Fact(*triple) for triple in triples[:whole]] == list(found[:whole])
    assert set(found) <= {Fact(*triple) for triple in triples}


def seconds(parse, text):
    """The processor time until a parser returns or refuses the text; other errors are raised."""
    # A garbage collection would visit the objects of all tests.
    gc.disable()
    try:
        started = time.process_time()
        with suppress(ValueError):
            parse(text)
        return time.process_time() - started
    finally:
        gc.enable()


@pytest.mark.parametrize("parser", PARSERS)
@given(text=st.text() | st.lists(st.sampled_from(PIECES + LABELS)).map("".join))
def test_a_parser_gives_a_value_or_refuses_the_text(parser, text):
    """No text causes another error."""
    with suppress(ValueError):
        PARSERS[parser](text)


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("piece", [*PIECES, '["', '("', "1,", "[[1,2],", '[{"a":', ",1", " :", "- "])
def test_a_degenerate_reply_costs_time_that_grows_linearly_with_it(parser, piece):
    """Ten times the text takes at most thirty times as long; times of milliseconds are not compared."""
    parse = PARSERS[parser]
    for label in LABELS:
        short, long = (label + (piece * length)[:length] for length in (6_400, 64_000))
        slow = seconds(parse, long)
        assert slow < 0.1 or slow < 30 * min(seconds(parse, short) for _ in range(3)) < 30


@pytest.mark.parametrize(
    "reply",
    [
        '[["Hinton", "studied at", "Edinburgh"]]',
        '{"triples": [{"subject": "Hinton", "predicate": "studied at", "object": "Edinburgh"}]}',
        '{"triples": [{"head": "Hinton", "relation": "studied at", "tail": "Edinburgh"}]}',
        '{"triples":[("Hinton","studied at","Edinburgh"),]}',
        "{'triples': [['Hinton', 'studied at', 'Edinburgh']]}",
        'From passage [1]: [["Hinton", "studied at", "Edinburgh"]]',
        '{"entities": ["Hinton"], "triples": [["  Hinton ", "studied\\n at", "Edinburgh"]]}',
    ],
)
def test_forms_that_models_use_for_a_triple(reply):
    """Objects, tuples, single quotes, passage numbers in front."""
    assert (HINTON,) == facts(reply)


@pytest.mark.parametrize(
    "reply", ["", "I cannot do that.", '{"triples": [["Hinton", "studied at"]]}', '{"triples": [1, 2]}', '{"facts":']
)
def test_a_reply_without_any_triple_is_refused(reply):
    """Without a list or a usable item: the model may try again."""
    with pytest.raises(ValueError, match=r"triples"):
        facts(reply)


@pytest.mark.parametrize("reply", ['{"triples": []}', "[]", '```json\n{"entities": [], "triples": [ ]}\n```'])
def test_an_empty_list_is_an_answer(reply):
    """A passage may state no facts."""
    assert () == facts(reply)


def test_what_is_no_triple_is_counted_and_left_out():
    """Two texts, five texts, nothing, a nested list: counted; a year as a number and a repetition are accepted."""
    items = [["a", "b"], ["a", "b", "c", "d", "e"], None, ["a", "", "c"], [["a"], "b", "c"], "a b c", ["x", "in", 1921]]

    found = parse_triples(json.dumps({"triples": [*items, ["x", "in", 1921]]}), key="triples")

    assert ((Fact("x", "in", "1921"),), 6) == (found.facts, found.malformed)


def test_nothing_in_a_reply_is_evaluated():
    """Python code instead of a triple is not run."""
    reply = '{"triples": [__import__("os").system("exit 1"), ("Hinton", "studied at", "Edinburgh")]}'

    assert (HINTON,) == facts(reply)


@pytest.mark.parametrize(
    ("reply", "answerable", "text"),
    [
        ("Answerable: Yes\nAnswer: Edinburgh", True, "Edinburgh"),
        ("**Answerable**: no\n**Why**: the place is missing", False, "the place is missing"),
        ("answerable：yes", True, ""),
        ("**Answerable:** Yes", True, ""),
        ("- Answerable: NO", False, ""),
        ("1. Answerable: Yes\n2. Answer: 7", True, "7"),
        ("## Answerable:\nYes", True, ""),
        ("It is not yet answerable: yes, we need more.\nAnswerable: No\nWhy: the year", False, "the year"),
        ("Answerable: Yes or No?\nThe year is missing.\nAnswerable: No", False, ""),
        ("Answerable? Yes\nAnswer: 7", True, "7"),
        ("Answerable: True\nAnswer: 7", True, "7"),
        ("### Answerable\nNo\nReason: the year", False, "the year"),
        ("| Answerable | Yes |\n| Answer | 7 |", True, "7"),
        ("Answerable: No, because the year is missing.", False, "because the year is missing"),
        ('{"answerable": "yes", "answer": "Edinburgh"}', True, "Edinburgh"),
        ('```json\n{"answerable": false, "why": "the year"}\n```', False, "the year"),
        ("Answerable: Yes\nReason: it is stated.\nAnswer: 7", True, "7"),
        # It contradicts itself, and an answer would be made up.
        ("Answerable: Yes\nAnswer: Not stated in the facts.", False, ""),
        ("Answerable: Yes\nAnswer: unknown", False, ""),
        ("Answerable: Yes\nAnswer: not applicable", False, ""),
        ("Answerable: Yes\nAnswer: Unnamed.", False, ""),
        ("Answerable: Yes\nAnswer: None", True, "None"),
        ("Answerable: Yes\nAnswer: The Unknown Soldier", True, "The Unknown Soldier"),
    ],
)
def test_verdicts(reply, answerable, text):
    """Bold, bullets, any case, full-width colons; the last line counts, and no words inside others."""
    verdict = parse_verdict(reply)

    assert (answerable, text) == (verdict.answerable, verdict.text)


@pytest.mark.parametrize("reply", ["", "Yes", "It is answerable.", "It is answerable: yes."])
def test_a_verdict_must_be_said(reply):
    """A reply without a judgement is not one."""
    with pytest.raises(ValueError, match="Answerable"):
        parse_verdict(reply)


@pytest.mark.parametrize(
    "reply", ["Answerable: Yes/No", "Answerable: yes | no", "Answerable: Yes or no", "Answerable:"]
)
def test_a_form_that_was_not_filled_in_is_no_verdict(reply):
    """The model is asked again."""
    with pytest.raises(ValueError, match='no line "Answerable'):
        parse_verdict(reply)


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("Next question: Where is it?", "Where is it?"),
        ('We lack the place.\nNext Question: "Where is it?"\nThat is all.', "Where is it?"),
        ("Where is it?", "Where is it?"),
        ("Next question:", ""),
        ("The form is Next question: ...\nNext question: Where is it?", "Where is it?"),
        ("**Next question**\n\nWhere is it?", "Where is it?"),
        ("The next question should be: Where is it?", "Where is it?"),
        ("Rewritten question: Where is it? (The place is missing.)", "Where is it?"),
        ("1. Where is it?\n2. Who built it?", "Where is it?"),
        ("The place is missing, so I ask:\nWhere is it?", "Where is it?"),
        ("```\nWhere is it?\n```", "Where is it?"),
        ('{"next_question": "Where is it?"}', "Where is it?"),
        ("place of the harbour board", "place of the harbour board"),
        ("None", ""),
        ("Next question: N/A", ""),
        ("No further questions are needed.", ""),
        ("Next question: [question]", ""),
    ],
)
def test_next_questions(reply, question):
    """The text after the last label, else the whole reply; an empty line means that nothing is left to ask."""
    assert question == parse_question(reply)


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ('{"answer": "In Varna.", "citations": [1, "F1"]}', "In Varna. [1, F1]"),
        ('```json\n{"answer": "In Varna [2]."}\n```', "In Varna [2]."),
        ("Final answer: \\boxed{Varna} [1]", "Varna [1]"),
        ("In Varna.\n\nSources:\n[1] The harbour\n- [F1] a fact", "In Varna. [1, F1]"),
        ("In Varna [2].\n\n**References**\n1. The harbour", "In Varna [2]."),
        ("In Varna.\n\nThe sources:\nthe harbour", "In Varna.\n\nThe sources:\nthe harbour"),
        ("In Varna [Source: 1] [doc_2] [Fact 1].", "In Varna [1] [2] [F1]."),
        ("A pier<sup>1</sup> of 10<sup>2</sup> m", "A pier [1] of 10<sup>2</sup> m"),
    ],
)
def test_answers_in_other_forms(reply, text):
    """In JSON, in a box, with a list of sources below, with words in the markers."""
    assert text == parse_answer(reply, passages=3, facts=1).text


def test_a_marker_without_a_source_is_removed_and_reported():
    """With passages 1 to 3 and fact 1, only those can be cited."""
    draft = parse_answer("Answer: In Edinburgh [2][7], as noted [F1; F4]. See [12][9][3].", passages=3, facts=1)

    assert "In Edinburgh [2], as noted [F1]. See [3]." == draft.text
    assert ((2, 3), (1,), ("7", "F4", "12", "9")) == (draft.passages, draft.facts, draft.removed)


@pytest.mark.parametrize(
    ("reply", "text", "cited"),
    [
        ("Use items[0] and args[1] [2].", "Use items[0] and args[1] [2].", (2,)),
        ("Use items[0], then args[1].", "Use items[0], then args[1].", ()),
        ("Pass args[1] to it", "Pass args[1] to it", ()),
        ("Born in Varna[2] and buried in Kiel[1, 3].", "Born in Varna [2] and buried in Kiel [1, 3].", (2, 1, 3)),
        ("Run `f [1]` or `[3]` [2].", "Run `f [1]` or `[3]` [2].", (2,)),
        ("```python\nf [1]\n\nx = [3]\n```\nSo it is [2].", "```python\nf [1]\n\nx = [3]\n```\nSo it is [2].", (2,)),
        ("```\nf [1]", "```\nf [1]", ()),
        ("A stray ` and a marker [1].", "A stray ` and a marker [1].", (1,)),
        ("Varna [1][2].", "Varna [1][2].", (1, 2)),
        ("Varna [1, 2].", "Varna [1, 2].", (1, 2)),
        ("Varna [1-3].", "Varna [1, 2, 3].", (1, 2, 3)),
        ("Varna [2–5].", "Varna [2, 3].", (2, 3)),
        ("See [1](https://example.org) and [2].", "See [1](https://example.org) and [2].", (2,)),
        ("In [1921] it had error [404] [1].", "In [1921] it had error [404] [1].", (1,)),
        ("An interval [0, 1], or [3-1], or [1-90].", "An interval [0, 1], or [3-1], or [1-90].", ()),
        ("瓦尔纳[1]。", "瓦尔纳[1]。", (1,)),
        ("([1])", "([1])", (1,)),
        ("[1] Varna.\n[3]", "[1] Varna.\n[3]", (1, 3)),
    ],
)
def test_only_markers_are_citations(reply, text, cited):
    """An index, code, a link, a year and an interval are text, and stay unchanged."""
    draft = parse_answer(reply, passages=3, facts=0)

    assert (text, cited) == (draft.text, draft.passages)


@pytest.mark.parametrize(
    ("reply", "text", "cited"),
    [
        ("Varna [f1].", "Varna [F1].", (1,)),
        ("Varna [F1-F2].", "Varna [F1, F2].", (1, 2)),
        ("x[F1] is", "x[F1] is", ()),
    ],
)
def test_markers_of_facts_are_read_by_the_same_rules(reply, text, cited):
    """In lower case, as a range, after a word."""
    draft = parse_answer(reply, passages=0, facts=2)

    assert (text, cited) == (draft.text, draft.facts)


@given(st.text(st.sampled_from("[]()F12, -`a\n."), max_size=40))
def test_a_checked_answer_is_checked_for_good(text):
    """A second check gives the same text and citations, with the right positions."""
    with suppress(ValueError):
        draft = parse_answer(text, passages=2, facts=1)
        again = parse_answer(draft.text, passages=2, facts=1)

        assert (draft.text, draft.passages, draft.facts, ()) == (again.text, again.passages, again.facts, again.removed)
        assert all(marker.label == draft.text[marker.start : marker.end] for marker in markers(draft.text))


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ("An empty list [] would mean none; these help: [2, 1]", (1, 0)),
        ("Such as [3, 1], or [].\n[2]", (1,)),
        ("[2, 1]\n\n[2] says where, and [1] says who.", (1, 0)),
        ("[2, 1]. Fact [3] is of no use", (1, 0)),
        ("Fact [3] is of no use, and so I choose [2, 1].", (1, 0)),
        ("Example: [3]\n**Reply:** [1, 2]", (0, 1)),
        ("Fact [3] is about another board.\n```json\n[]\n```", ()),
        ('{"facts": [2, 3', (1, 2)),
        ("In the year [1921] nothing; [9] neither; none: []", ()),
    ],
)
def test_the_list_that_is_the_answer_is_read(reply, numbers):
    """Not an example, a repeated template or a marker in prose."""
    assert numbers == parse_indexes(reply, most=3)


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ('Here are [2] entities: ["Marie Curie", "Warsaw"]', ("Marie Curie", "Warsaw")),
        ('The form is {"entities": ["name", ...]}.\n{"entities": ["Marie Curie", 1921]}', ("Marie Curie", "1921")),
        ('["Warsaw"] or better: ["Marie Curie"]. See [1].', ("Marie Curie",)),
        ('{"entities": ["name"]}: here {"entities": []}', ()),
    ],
)
def test_the_list_of_names_is_read(reply, names):
    """A bare list of numbers is not one, and a later list is preferred to the template."""
    assert names == parse_names(reply)


def test_the_last_object_and_list_count():
    """Models repeat the template, or revise; nested objects do not count."""
    form = '{"triples": [["subject", "predicate", "object"]], "type": "one of four"}'

    assert (HINTON,) == facts(f'{form}\n{{"triples": [["Hinton", "studied at", "Edinburgh"]]}}')
    assert {"type": "a", "in": {"type": "b"}} == find_object(f'{form} {{"type": "a", "in": {{"type": "b"}}}}', "type")
    assert {"type": "a"} == find_object('{"reply": {"type": "a"}} {"type": "b', "type")
    assert not parse_useful('{"verdict": "yes"} or {"verdict": "no"}: {"why": "no year", "verdict": "no"}')


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("So the answer is: Edinburgh.", "Edinburgh"),
        ("He studied there. The answer is: Edinburgh", "Edinburgh"),
        ("Therefore, the final answer is: **Edinburgh**", "**Edinburgh**"),
        ("Nobody says what the answer is: his town is missing.", None),
    ],
)
def test_a_thought_is_the_answer_only_where_a_sentence_says_so(reply, answer):
    """Elsewhere, "the answer" may be said to be unknown."""
    assert answer == parse_thought(reply).answer


def test_keywords_follow_their_label():
    """Even after a sentence."""
    assert "Ana Petkova, Varna" == parse_keywords("Here they are.\nKeywords: Ana Petkova, Varna")


@given(st.lists(st.integers(-2, 12), max_size=8))
def test_chosen_numbers_are_within_range_and_each_once(numbers):
    """In the order of the reply; an empty list is refused."""
    expected = tuple(dict.fromkeys(number for number in map(abs, numbers) if 1 <= number <= 9))
    reply = f"I choose {json.dumps([abs(number) for number in numbers])}."

    if expected:
        assert expected == parse_numbers(reply, most=9)
    else:
        with pytest.raises(ValueError, match="no list of numbers"):
            parse_numbers(reply, most=9)


def test_a_reply_nested_too_deep_is_refused_by_every_reader_of_objects():
    """Deeper than any JSON parser allows: the model gets the error, and the run continues."""
    deep = '{"type": ' * 3_000
    for key in ("type", "verdict"):
        with pytest.raises(ValueError, match=f'no whole JSON object with "{key}"'):
            find_object(deep, key)
    with pytest.raises(ValueError, match="no whole JSON object"):
        parse_analysis(deep, Outline({"Drug": ["name"]}, []))


@pytest.mark.parametrize(
    "reply",
    [
        '{"triples": [{"source": "Mill", "relation": "built by", "target": "Ada"}]}',
        '{"triples": [{"from": "Mill", "type": "built by", "to": "Ada", "date": 1921}]}',
        '{"Triples": [{"Subject": "Mill", "Predicate": "built by", "Object": "Ada"}]}',
        '{"triples": [{"head": {"name": "Mill"}, "label": "built by", "tail": {"text": "Ada"}}]}',
        '{"triples": [["Mill", "built by", "Ada", "1921"]]}',
        "{“triples”: [[“Mill”, “built by”, “Ada”]]}",
        "Here they are:\n- (Mill | built by | Ada)\n",
        "Mill | built by | Ada",
    ],
)
def test_triples_are_read_as_models_write_them(reply):
    """Other keys, capitals, objects within objects, a fourth part, quotes of prose, and lines with bars."""
    assert (Fact("Mill", "built by", "Ada"),) == parse_triples(reply, key="triples").facts


def test_a_table_is_no_list_of_triples():
    """Its rows begin and end with bars."""
    with pytest.raises(ValueError, match="no list"):
        parse_triples("| a | b |\n|---|---|\n| c | d |", key="triples")


@pytest.mark.parametrize(
    ("reply", "text", "cited"),
    [
        ("**Answer:** Ada built it [1].", "Ada built it [1].", (1,)),
        ("*Answer*: **Ada** built it [1].", "**Ada** built it [1].", (1,)),
        ("Ada built it【1】【2†source】.", "Ada built it [1] [2].", (1, 2)),
        ("Ada built it [Passage 2] [^1].", "Ada built it [2] [1].", (2, 1)),
        ("Ada built it [sources 1 and 3].", "Ada built it [1, 3].", (1, 3)),
        ("Ada built it [1, 2 and 3].", "Ada built it [1, 2, 3].", (1, 2, 3)),
        ("See `【1】` and [1](a.md) and 【注意】.", "See `【1】` and [1](a.md) and 【注意】.", ()),
    ],
)
def test_markers_are_read_as_models_write_them(reply, text, cited):
    """In other brackets, with words, carets and notes; code, links and other text in brackets stay."""
    draft = parse_answer(reply, passages=3, facts=0)

    assert (text, cited) == (draft.text, draft.passages)
