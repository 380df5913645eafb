"""Files are written completely or not at all, whatever the disk does."""

import json
import logging
import os
import stat
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.agents.answer import Trace
from gear_neo4j.cli.printing import LogLines
from gear_neo4j.domain import Passage
from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.formats.writing import Rows, written_once
from gear_neo4j.graph.connection.query_log import log_to, logged, stop
from gear_neo4j.ingestion.admin.export import AdminExport
from gear_neo4j.ingestion.admin.tables import ARGUMENTS
from gear_neo4j.ingestion.sources import files_to_ingest
from gear_neo4j.retrieval.rank.colbert import ColBERT
from gear_neo4j.roles.calibrated import Calibration, load_calibration, save_calibration
from gear_neo4j.roles.evaluators import Thresholds
from gear_neo4j.text.files import write_file
from gear_neo4j.wire import read_trace, write_trace
from tests.disk import full_disk, refused


@given(text=st.text(st.characters(codec="utf-8")))
def test_a_text_is_written_as_it_is(text, tmp_path_factory):
    """Over an existing file, too, and with its own line ends."""
    file = tmp_path_factory.getbasetemp() / "text"

    write_file(file, text)

    assert text.encode() == file.read_bytes()


def test_a_full_disk_leaves_the_old_file_or_none(tmp_path):
    """And no partial new one, under any name."""
    (tmp_path / "old.json").write_text("old")

    refused(tmp_path, lambda: write_file(tmp_path / "old.json", "x" * 5_000))
    refused(tmp_path, lambda: write_file(tmp_path / "new.json", "x" * 5_000))


def test_a_file_keeps_its_mode_and_a_link_its_target(tmp_path):
    """Only the content is replaced."""
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "real.json").chmod(0o640)
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")

    write_file(tmp_path / "link.json", "new")

    assert (tmp_path / "link.json").is_symlink()
    assert ("new", 0o640) == (
        (tmp_path / "real.json").read_text(),
        stat.S_IMODE((tmp_path / "real.json").stat().st_mode),
    )


def test_a_device_and_a_pipe_are_written_to_and_stay(tmp_path):
    """``--json /dev/stdout`` is common."""
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()))
    reader.start()

    write_file(tmp_path / "pipe", "text")
    write_file(Path("/dev/null"), "text")
    reader.join()

    assert ["text"] == read
    assert (tmp_path / "pipe").is_fifo()
    assert Path("/dev/null").is_char_device()
    with pytest.raises(InputError, match="/dev/full cannot be written: No space left on device"):
        write_file(Path("/dev/full"), "text")


def test_a_trace_that_does_not_fit_leaves_the_last_one(tmp_path):
    """That can still be replayed."""
    file = tmp_path / "trace.json"
    write_trace(Trace("Who?", "m", answer="short"), file)

    refused(tmp_path, lambda: write_trace(Trace("Who?", "m", answer="long " * 1_000), file))

    assert "short" == read_trace(file).answer


def test_a_calibration_that_does_not_fit_leaves_the_others(tmp_path):
    """They were expensive."""
    kept = Calibration(Thresholds(upper=0.5, lower=0.25), "pairs", 10, 0.5, 0.5)
    save_calibration(tmp_path, "similarity", kept)
    large = Calibration(Thresholds(upper=0.5, lower=0.25), "p" * 2_000, 10, 0.5, 0.5)

    refused(tmp_path, lambda: save_calibration(tmp_path, "another", large))

    assert kept == load_calibration(tmp_path, "similarity")


class Letters:
    """A vector per word."""

    name = "letters"

    def queries(self, texts):
        return self.passages(texts)

    def passages(self, texts):
        return [np.eye(32, dtype=np.float32)[[len(word) % 32 for word in text.split()]] for text in texts]


def test_an_index_of_tokens_that_does_not_fit_is_one_line(tmp_path):
    """The previous one stays, and is used again."""
    texts = [Passage(f"p{number}", "", "some words " * 20) for number in range(20)]
    ColBERT(texts[:1], encoder=Letters(), folder=tmp_path)

    refused(tmp_path, lambda: ColBERT(texts, encoder=Letters(), folder=tmp_path))


def test_a_converted_data_set_that_does_not_fit_is_one_line(tmp_path):
    """A partial one is not mistaken for the whole next time."""
    (tmp_path / "source").write_text("x")

    class Large:
        name, files = "large", (tmp_path / "source",)

        def rows(self):
            return Rows([{"id": str(number), "text": "text"} for number in range(1_000)], [{"question": "Who?"}])

    refused(tmp_path, lambda: written_once(Large(), tmp_path / "home"))
    assert ["source"] == [path.name for path in tmp_path.rglob("*") if path.is_file()]

    assert 1_000 == len((written_once(Large(), tmp_path / "home") / "corpus.jsonl").read_text().splitlines())


@pytest.mark.parametrize("after", [0, 10, 1_000, 9_000, 20_000])
def test_an_export_that_does_not_fit_leaves_an_empty_folder(tmp_path, embedder, after):
    """Whichever file meets the full disk first: headers, ids, or a table; then the same command works."""
    rows = [{"id": f"p{number}", "text": "some words " * 20} for number in range(200)]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    facts = [{"id": f"p{number}", "triples": [[f"a{number}", "is", "b"]]} for number in range(200)]
    (tmp_path / "triples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in facts))
    files, folder = files_to_ingest([tmp_path]), tmp_path / "out"

    refused(tmp_path, lambda: AdminExport(folder, embedder).run(files), after=after)

    assert [] == list(folder.iterdir())
    assert 200 == AdminExport(folder, embedder).run(files).triples
    assert (folder / ARGUMENTS).is_file()
    assert not list(folder.glob("*.part"))


@pytest.fixture
def log_lines():
    """The log as the command line prints it."""
    logging.getLogger().addHandler(handler := LogLines())
    yield
    logging.getLogger().removeHandler(handler)


def test_a_log_of_queries_that_does_not_fit_ends_with_one_line(tmp_path, capsys, log_lines):
    """Queries continue, and nothing else is reported."""
    handler = log_to(tmp_path / "queries.jsonl")
    with full_disk(after=1_000):
        for _ in range(100):
            with logged("counts", database="neo4j"):
                pass
        stop(handler)

    (line,) = capsys.readouterr().err.splitlines()
    assert "queries.jsonl cannot be written ([Errno 27] File too large): no further query is logged" in line
    assert json.loads((tmp_path / "queries.jsonl").read_text().splitlines()[0])["query"] == "counts"
