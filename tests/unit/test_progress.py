"""Progress if standard error is not a terminal: lines, timed by the test's own clock."""

from queue import Queue
from threading import Event

import pytest
from rich.console import Console

from gear_neo4j.cli import progress
from gear_neo4j.cli.progress import Lines, counting, repeated, stages, waiting


class Pauses(Event):
    """Waits that end when the test says so; records the duration of each."""

    def __init__(self):
        super().__init__()
        self.lengths, self.over = [], Queue()

    def wait(self, timeout=None):
        self.lengths.append(timeout)
        return self.over.get(timeout=5)

    def set(self):
        self.over.put(True)
        super().set()


@pytest.mark.parametrize(("options", "lengths"), [({}, [30, 30, 30]), ({"first": 2}, [2, 30, 30])])
def test_a_line_comes_every_half_minute(options, lengths):
    """Even if the work reports nothing; none comes after its end."""
    pauses, beats = Pauses(), Queue()

    with repeated(lambda: beats.put("beat"), ended=pauses, **options):
        for _ in range(2):
            pauses.over.put(False)
            assert "beat" == beats.get(timeout=5)

    assert lengths == pauses.lengths
    assert beats.empty()


def test_a_stage_has_a_line_at_its_start_at_each_beat_and_at_its_end():
    """A new stage ends the previous one; a stage without a size shows no percentage."""
    lines, now = [], [0.0]
    shown = Lines(lines.append, clock=lambda: now[0])

    shown.beat()
    shown.show("passages", 0, 1_000, "0 written")
    shown.show("passages", 500, 1_000, "20 written")
    now[0] = 30.0
    shown.beat()
    shown.show("passages", 1_000, 1_000, "41 written")
    now[0] = 50.0
    shown.show("index")
    now[0] = 55.0
    shown.end()
    shown.end()

    assert [
        "passages: started",
        "passages: 50 %, 20 written, 30 s",
        "passages: complete, 41 written, 50 s",
        "index: started",
        "index: complete, 5 s",
    ] == lines


def test_stages_that_alternate_begin_and_end_once():
    """As when a sync reads documents and writes their passages in turns."""
    lines = []
    shown = Lines(lines.append, clock=lambda: 0.0)

    for done in range(1, 31):
        shown.show("documents", done, 40)
        shown.show("passages", done, 30)
    shown.end()

    assert ["documents: started", "passages: started", "documents: complete, 0 s", "passages: complete, 0 s"] == lines


def test_items_are_counted(capsys):
    """One line at the start and one at the end go to standard error, nothing to standard output."""
    with counting("questions", 1_500) as advance:
        advance()
        advance(1_499)

    printed = capsys.readouterr()
    assert ["questions: started", "questions: complete, 1,500 of 1,500, 0 s"] == printed.err.splitlines()
    assert "" == printed.out


def test_an_error_leaves_a_line_that_says_how_far_it_was(capsys):
    """A user wants to know how much was done."""

    def work():
        with counting("questions", 4) as advance:
            advance()
            raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        work()

    assert "questions: 25 %, 1 of 4, 0 s" == capsys.readouterr().err.splitlines()[-1]


def test_a_short_wait_says_nothing_and_a_long_one_what_it_is_for(capsys, monkeypatch):
    """A quick command leaves nothing in a log."""
    with waiting("connecting"):
        pass
    assert "" == capsys.readouterr().err

    monkeypatch.setattr(progress, "SHORT", 0.01)
    with waiting("connecting") as report:
        report("starting Neo4j")
        Event().wait(0.3)
    assert "starting Neo4j\n" == capsys.readouterr().err


def test_a_terminal_gets_bars(monkeypatch, capsys):
    """Drawn by rich, with a row per stage and its note."""
    monkeypatch.setattr(
        progress, "errors", Console(stderr=True, force_terminal=True, force_interactive=True, width=120)
    )

    with stages() as show:
        show("passages", 1, 2, "1 written")
        show("GeAR [oracle]", 3, 3, "3 of 3")
    with waiting("connecting") as report:
        report("starting Neo4j")

    drawn = capsys.readouterr().err
    assert "50%" in drawn
    assert "1 written" in drawn
    assert "GeAR [oracle]" in drawn
    assert "started" not in drawn
