"""No control character is ever output, on the terminal, in the log, or on a page."""

import io
import json
import logging
import tomllib
import unicodedata
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path as File

import click
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gear_neo4j.adoption.profile import Entities, Profile
from gear_neo4j.adoption.profile_file import dump, parse
from gear_neo4j.adoption.survey import Label, Survey, Type
from gear_neo4j.agents.answer import Answer, Citation, Trace
from gear_neo4j.agents.run import Event
from gear_neo4j.cli import adopt, ask, communities, compare, doctor, evaluate, main, passages, progress, search, table
from gear_neo4j.cli.live import Live
from gear_neo4j.cli.printing import LogLines, say, say_json
from gear_neo4j.cli.reporting import report_problem
from gear_neo4j.cli.screen import Screen
from gear_neo4j.communities.hierarchy import Community, Hierarchy
from gear_neo4j.domain import Cypher, EntityHit, Fact, Figure, FoundBy, Hit, Hits, Passage, Path, make_triple
from gear_neo4j.errors import InputError, ModelError
from gear_neo4j.evaluate.report import write_report
from gear_neo4j.explain import communities as treemap
from gear_neo4j.explain import page, script
from gear_neo4j.explain.saved import saved_from
from gear_neo4j.gear.doctor import Examination, Finding
from gear_neo4j.ingestion.lines import Problem
from gear_neo4j.roles.reporter import Report
from gear_neo4j.text.printable import escaped, json_text, printable
from gear_neo4j.wire import run_from
from tests.examples import examples
from tests.saved_runs import run
from tests.unit.test_report import row
from tests.unit.test_report import table as report_of

BIDIRECTIONAL = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
CLIPBOARD = "\x1b]52;c;cm0gLXJmIH4=\x07"
NASTY = (
    CLIPBOARD,
    "\x1b[2J",
    "\x9b2J",
    "\x7f\x08\r",
    "\u202ecod.exe",
    "\u2066x\u2069",
    "\x85\x0b\x0c\x00",
    "[/b] :snake:",
)
texts = st.lists(st.one_of(st.sampled_from(NASTY), st.characters(), st.text(max_size=8)), max_size=6).map("".join)


def unprintable(text):
    """The characters of a text that must not reach a terminal or a page."""
    return sorted(
        {c for c in text if (unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t") or c in BIDIRECTIONAL}
    )


def drawn(draw):
    """The console output of a function, without colours, so that every escape comes from the text."""
    file = io.StringIO()
    draw(Screen(file=file, width=100, color_system=None, force_terminal=True))
    return file.getvalue()


def hits(text):
    """A search with this text in every field."""
    one, two = make_triple("p1", text, text, text), make_triple("p1", text, "x", text)
    cypher = Cypher("MATCH (n) WHERE n.name = $p0 RETURN n", {"p0": text})
    found = EntityHit("4:x:1", text, (text,), 1, text, cypher, text, 0.9)
    return Hits(
        text,
        "naive",
        (Hit(Passage("p1", text, text, text, text), 0.5, 1, (FoundBy("bm25", 1),)), Hit(Passage(text, "", ""), 0.5, 2)),
        (Path((one, two), 1.5, (0.8, 0.7)),),
        entities=(found,),
        figure=Figure(text, text, cypher, 0.5),
        doubt=text,
    )


def search_shown(text):
    """The output of ``gear search --paths``."""
    told = hits(text)

    def draw(console):
        search.print_entities(console, told.entities, figure=told.figure, doubt=told.doubt)
        passages.print_hits(console, told)
        search.print_paths(console, told.paths, told.entities[0].cypher)

    return drawn(draw)


def answer_shown(text):
    """The output of ``gear ask``: the steps, the pieces of the answer, the answer, its citations."""
    citations = (Citation("1", hits(text)[0].passage), Citation("F1", fact=Fact(text, text, text)))
    answer = Answer(
        text, f"a{text}", hits(text), Trace(text, "model"), "answerable", citations, (text,), grounded=False
    )

    def draw(console):
        live = Live(console, console)
        for kind in ("question", "verdict", "failure", "token"):
            live.show(Event(kind, 1, text))
        live.show(Event("facts", 1, facts=(Fact(text, text, text),)))
        ask._print_answer(console, answer, streamed="")

    return drawn(draw)


def examination_shown(text):
    """The output of ``gear doctor``."""
    return drawn(
        lambda console: doctor.show(console, Examination((Finding("ok", text, text, text),), busiest=((text, 9),)))
    )


def evaluation_shown(text):
    """The output of ``gear evaluate --table`` and ``gear evaluate``."""
    report = report_of(row(text, [1, 0]), missing=[{"label": text, "reason": text}]) | {"dataset": text, "claim": text}
    shown = report["rows"][0] | {"dataset": text, "title": text, "ks": [2]}
    shown["latency_ms"] |= {part: {"p50": 1.0} for part in evaluate.runs.PARTS}
    shown["llm"] |= {"cached": 0, "estimated": False}

    def draw(console):
        table.print_table(console, report)
        console.print(evaluate._table(shown, (2,)))

    return drawn(draw)


def plain_lines(text):
    """Output without rich: lines, errors, the log, lines of progress, JSON."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(out):
        say(text)
        say_json({"title": text})
        main._explain(InputError(text), debug=False)
        main._explain(InputError(text), debug=True)
        main._explain(click.UsageError(text), debug=False)
        report_problem(Problem(text, 3, text))
        progress.Lines(progress._print).show(text, 1, 2, text)
        log = logging.LogRecord("library", logging.WARNING, __file__, 1, "about %s", (text,), None)
        LogLines().emit(log)
    return out.getvalue()


def survey_shown(text):
    """The output of ``gear adopt`` for a graph."""
    survey = Survey(
        1, {text: Label(text, 1)}, {text: Type(text, 1, {text: 1}, {text: 1})}, ((text, "RANGE", text, text),)
    )
    with redirect_stderr(io.StringIO()) as out:
        adopt._print_survey(survey)
    return out.getvalue() + dump(Profile(name="mine", entities={f"a{text}": Entities(names=("name",))}))


def hierarchy(text):
    """A single community with a report."""
    return Hierarchy({"c1": Community("c1", 0, 3, 2, None, ("4:1",), Report(text, text, 1.0, (text,)))})


def communities_shown(text):
    """The output of ``gear communities show``, and its page."""
    named = {"c1": (treemap.Member(text, (text,), 4),)}
    with redirect_stdout(io.StringIO()) as out:
        communities._print(hierarchy(text), named)
    return out.getvalue() + treemap.page(hierarchy(text), named, database=text)


def pages(text):
    """The page and the script of each kind of saved run; JSON cannot contain half of a surrogate pair."""
    text = text.encode("utf-8", "replace").decode()
    saved = [
        run_from(
            run(kind=kind, question=f"q{text}", name=f"n{text}", predicate=text, title=text, text=text, answer=text)
        )
        for kind in ("search", "answer", "trace")
    ]
    return "".join(page(one) + script(one) for one in map(saved_from, saved))


SURFACES = (
    search_shown,
    answer_shown,
    examination_shown,
    evaluation_shown,
    plain_lines,
    survey_shown,
    communities_shown,
)


@given(texts)
def test_a_printable_text_has_no_control_characters_and_keeps_all_others(text):
    """In the same order and number, except halves of surrogate pairs, which cannot be sent to a terminal."""
    halves = ["\ufffd" if unicodedata.category(c) == "Cs" else c for c in text]

    assert [c for c in halves if not unprintable(c)] == list(printable(text))
    assert printable(text) == printable(printable(text))


@given(st.dictionaries(texts, texts))
def test_json_keeps_the_text_and_escapes_what_a_terminal_would_obey(value):
    """A reader gets every character back."""
    for indent in (None, 2):
        assert value == json.loads(json_text(value, indent=indent))
        assert [] == unprintable(json_text(value, indent=indent))


@given(st.text(st.sampled_from([*BIDIRECTIONAL, "\x1b", "\x7f", "\x9b", "a", '"', "\\"])))
def test_toml_keeps_the_names_of_a_profile(text):
    """A name with such a character is adopted unchanged."""
    profile = Profile(name="mine", entities={f"a{text}": Entities(names=("name",))})

    assert profile == parse(dump(profile), file="mine.toml")
    assert [] == unprintable(dump(profile))
    assert {"a": text} == tomllib.loads(f"a = {json_text(text)}")


@pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.__name__)
@settings(max_examples=examples(40))
@given(texts)
@example("".join(NASTY))
def test_no_control_character_reaches_the_terminal(surface, text):
    """Every printed text is hostile at once."""
    assert [] == unprintable(surface(text))


@pytest.mark.parametrize(
    "surface", [search_shown, examination_shown, evaluation_shown, survey_shown], ids=lambda s: s.__name__
)
def test_a_name_cannot_forge_a_line(surface):
    """A single line stays single; a second one could look like ours."""
    assert [] == [line for line in surface("x\ngear: forged").splitlines() if line.startswith("gear: forged")]


def test_no_message_forges_a_line(capsys):
    """Steps of an agent, citations, problems, errors, stages and log entries."""
    forged = "x\n\u2028gear: forged"
    live = Live(Screen(), Screen())
    for kind in ("question", "verdict", "failure"):
        live.show(Event(kind, 1, forged))
    live.show(Event("facts", 1, facts=(Fact(forged, forged, forged),)))
    ask._print_answer(Screen(), Answer("q", "", hits(forged), Trace("q", "model"), "answerable"), streamed="")
    report_problem(Problem(forged, 3, forged))
    main._explain(InputError(forged), debug=False)
    progress.Lines(progress._print).show(forged, 1, 2)
    LogLines().emit(logging.LogRecord("library", logging.WARNING, __file__, 1, "about %s", (forged,), None))

    printed = "".join(capsys.readouterr())
    assert "gear: forged" in printed
    assert [] == [line for line in printed.splitlines() if line.startswith("gear: forged")]


@settings(max_examples=25)
@given(texts)
@example("".join(NASTY))
def test_no_control_character_is_on_a_page(text):
    """Pages of a search, an answer and a trace, and their scripts."""
    assert [] == unprintable(pages(text))


def test_no_control_character_is_in_a_report(tmp_path):
    """Neither in the page nor in its plots, where one would make invalid XML."""
    nasty = "".join(NASTY)
    report = report_of(row(nasty, [1, 2]), row("b", [0, 2]), missing=[{"label": nasty, "reason": nasty}])

    write_report(report | {"dataset": nasty, "claim": nasty}, tmp_path)

    assert [] == unprintable("".join(file.read_text(encoding="utf-8") for file in tmp_path.iterdir()))
    assert "]52;c;" in (tmp_path / "recall.svg").read_text(encoding="utf-8")


def test_bars_and_waits_show_what_is_printable(monkeypatch):
    """A stage is often named after a file; only the codes that move the cursor are rich's own."""
    file = io.StringIO()
    screen = Screen(file=file, force_terminal=True, force_interactive=True, width=300, color_system=None)
    monkeypatch.setattr(progress, "errors", screen)

    with progress.stages() as show:
        show(f"stage {CLIPBOARD}", 1, 2, "note \u202e\x9b2J")
    with progress.waiting(f"wait [/b] {CLIPBOARD}") as report:
        report(f"still [b] {CLIPBOARD}")

    assert "]52;c;" in file.getvalue()
    assert "\x1b]" not in file.getvalue()
    assert {"\x1b", "\r"} >= set(unprintable(file.getvalue()))


def test_markup_and_emoji_codes_of_a_text_are_text():
    """``(n:Person:Movie)`` is Cypher to copy, and ``[/b]`` part of a title."""
    text = "MATCH (n:Person:Movie) [bold]x[/bold] [/b] :snake:"

    assert f"{text}\n" == drawn(lambda console: console.print(text))
    assert text in drawn(
        lambda console: passages.print_hits(console, Hits("q", "n", (Hit(Passage("p", text, ""), 1, 1),)))
    )


def test_a_problem_with_markup_in_it_is_one_line(capsys):
    """An unusable line of a file is quoted unchanged."""
    report_problem(Problem("a[/b].jsonl", 3, "[link=http://evil]no JSON[/link]"))

    assert "a[/b].jsonl" in capsys.readouterr().err


@given(texts)
def test_an_error_can_be_logged_as_it_is(text):
    """By programs that use the package and print its errors themselves."""
    assert [] == unprintable(str(InputError(text)))
    assert [] == unprintable("".join(ModelError(text).args))


def test_the_parameters_of_a_query_keep_what_they_say():
    """They are pasted into Neo4j Browser, which understands the escapes."""
    shown = str(Cypher("MATCH (n {name: $p0}) RETURN n", {"p0": "a\x7f\x9b\u202eb"}))

    assert ':param p0 => "a\\u007f\\u009b\\u202eb";' == shown.splitlines()[0]
    assert "\\u007f" == escaped("\x7f")


def test_a_command_prints_the_text_of_a_saved_run_without_its_escapes(tmp_path, capsys):
    """From the file to the terminal and the page."""
    saved = run(
        kind="answer", question=f"Who{CLIPBOARD}?", name=f"Hinton{CLIPBOARD}", title=CLIPBOARD, answer=CLIPBOARD
    )
    (tmp_path / "run.json").write_text(json.dumps(saved))

    with pytest.raises(SystemExit):
        main.main(["explain", str(tmp_path / "run.json")])

    printed = capsys.readouterr()
    written = "".join(File(tmp_path / f"run.{end}").read_text(encoding="utf-8") for end in ("html", "cypher"))
    assert "Who]52;c;" in printed.out
    assert [] == unprintable(printed.out + printed.err + written)


def test_a_name_that_cannot_be_encoded_does_not_stop_a_message(capsys):
    """File names may contain bytes that are not text; Python represents them as surrogates."""
    with pytest.raises(SystemExit) as ended:
        main.main(["explain", "gone\udcff.json"])

    assert 2 == ended.value.code
    assert "gone\ufffd.json" in capsys.readouterr().err


def test_a_traceback_is_printable_and_its_exit_code_is_that_of_the_error(tmp_path, capsys):
    """With --debug a user sees all of it, without control characters."""
    with pytest.raises(SystemExit) as ended:
        main.main(["--debug", "explain", str(tmp_path / f"gone{CLIPBOARD}.json")])

    shown = capsys.readouterr().err
    assert 2 == ended.value.code
    assert "Traceback" in shown
    assert [] == unprintable(shown)


def test_compared_questions_are_printable():
    """The questions of two evaluations."""
    gold = (CLIPBOARD,)
    question = compare.QuestionResult(id=CLIPBOARD, question=CLIPBOARD, gold=gold, retrieved=gold, figures={})
    lines = compare._lines(compare.Contrast(question, question, 1.0))

    assert [] == unprintable(drawn(lambda console: console.print(compare.Text("\n".join(lines)))))
