"""A killed evaluation continues where it stopped, and paid replies are never lost with a file."""

import json
import shutil

import pytest

from tests.loops import Script
from tests.processes import GEAR, started
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.one_server_line

NAMES = ("Ada", "Bo", "Cy", "Di")


@pytest.fixture
def questions(folder):
    """Four questions about the passages of the data set."""
    rows = [
        {"id": name, "question": f"Where did {name} write a thesis?", "gold": ["p2"], "answers": ["Edinburgh"]}
        for name in NAMES
    ]
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


class Reader(Script):
    """A model that answers every question; ``on_asked`` is called first with each request."""

    def __init__(self, on_asked=lambda text: None):
        super().__init__(
            answer="Answer: Edinburgh [1].",
            retrieve={"retrieve": "yes"},
            reflect={"relevant": "yes", "support": "fully", "use": 5},
        )
        self.on_asked = on_asked

    def __call__(self, messages):
        self.on_asked(messages[-1]["content"])
        return super().__call__(messages)


def timeless(file):
    """A report without its times."""
    report = json.loads(file.read_text())
    for part in (report, *report["per_question"]):
        part.pop("latency_ms")
        part.pop("seconds", None)
    return report


def test_a_killed_evaluation_goes_on_and_reports_what_an_undisturbed_one_does(
    gear, checked, questions, server, monkeypatch, tmp_path
):
    """SIGKILL at the first request of the third question: the same figures, and only that request is sent again."""
    monkeypatch.setenv("GEAR_CHAT_MODEL", "reader")
    command = ("evaluate", str(questions), "--agent", "selfrag", "--ks", "1,2", "--json")
    with ScriptedServer(Reader()) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        code, _, err = gear(*command, tmp_path / "one.json")
        assert 0 == code, err
        needed = len(model.requests)

    processes = []

    def kill(text):
        if "Cy" in text and processes and processes[0].poll() is None:
            processes[0].kill()
            processes[0].wait()

    monkeypatch.setenv("GEAR_HOME", str(shutil.copytree(checked, tmp_path / "cut")))
    with ScriptedServer(Reader(kill)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        with started([*GEAR, *command, tmp_path / "two.json"]) as process:
            processes.append(process)
            assert process.wait() < 0
        assert not (tmp_path / "two.json").exists()
        code, _, err = gear(*command, tmp_path / "two.json")
        sent = len(model.requests)

    assert 0 == code, err
    assert "2 of 4 kept from an interrupted run (--fresh starts anew)" in err
    assert needed + 1 == sent
    assert timeless(tmp_path / "one.json") == timeless(tmp_path / "two.json")
    assert not list((tmp_path / "cut" / "evaluations").iterdir())


def test_fresh_asks_everything_again(gear, questions, monkeypatch, tmp_path):
    """After a run whose report could not be written."""
    monkeypatch.setenv("GEAR_CHAT_MODEL", "reader")
    monkeypatch.setenv("GEAR_CHAT_CACHE", "off")
    out = tmp_path / "out"
    command = ("evaluate", questions, "--agent", "selfrag", "--ks", "2", "--json", out / "report.json")

    with ScriptedServer(Reader(lambda _: shutil.rmtree(out, ignore_errors=True))) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        out.mkdir()
        code, printed, err = gear(*command)
        needed = len(model.requests)
        # The results are shown, one line says what is missing, and the same command writes it at no cost.
        assert (2, True) == (code, "recall %" in printed)
        assert "report.json cannot be written: No such file or directory" in err
        out.mkdir()
        code, _, err = gear(*command)
        assert (0, needed) == (code, len(model.requests)), err
        assert "4 of 4 kept" in err
        assert len(NAMES) == len(json.loads((out / "report.json").read_text())["per_question"])

        out.mkdir(exist_ok=True)
        gear(*command)
        assert 2 * needed == len(model.requests)
        out.mkdir(exist_ok=True)
        code, _, err = gear(*command, "--fresh")
        assert ("kept" in err, 3 * needed) == (False, len(model.requests))


def test_a_trace_that_cannot_be_written_loses_no_answer(gear, questions, monkeypatch, tmp_path):
    """The answer is shown first; then one line and exit code 2."""
    monkeypatch.setenv("GEAR_CHAT_MODEL", "reader")
    assert 0 == gear("ingest", questions)[0]
    out = tmp_path / "out"
    command = ("ask", "Where did Ada write a thesis?", "--agent", "selfrag", "--trace", out / "trace.json")

    with ScriptedServer(Reader(lambda _: shutil.rmtree(out, ignore_errors=True))) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        for options in ((), ("--json",)):
            out.mkdir()
            code, printed, err = gear(*command, *options, "--no-cache")
            lines = [line for line in err.splitlines() if line.startswith("gear: ")]
            assert (2, True) == (code, "Edinburgh" in printed)
            assert [True] == ["trace.json cannot be written: No such file or directory" in line for line in lines]
