"""The audit record in OpenTelemetry's logs: the same entries, once they are on the disk."""

import json
import sys

import pytest
from opentelemetry import _logs
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor

from gear_neo4j.web.audit.writing import ChainWriter

ENTRY = {
    "request": "4bf9",
    "who": {"key": "ada", "id": "9b2c"},
    "address": "127.0.0.1",
    "kind": "search",
    "what": {"passages": ["study"]},
    "outcome": "done",
    "status": 200,
}


@pytest.fixture
def exported(monkeypatch):
    """The log records so far, of a provider for this test."""
    exporter, provider = InMemoryLogRecordExporter(), LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    monkeypatch.setattr(_logs, "get_logger", lambda name: provider.get_logger(name))
    return lambda: [data.log_record for data in exporter.get_finished_logs()]


def written(folder, *entries):
    """The lines on the disk after some entries, without that of the new file."""
    writer = ChainWriter(folder)
    writer.append(entries)
    writer.close()
    (file,) = folder.glob("*.jsonl")
    return file.read_text("utf-8").splitlines()[1:]


def test_each_entry_is_a_log_record(tmp_path, exported):
    """Its body is the line of the file, whose hash proves the ones before it."""
    lines = written(tmp_path / "audit", ENTRY, ENTRY | {"kind": "answer"})
    records = exported()

    assert lines == [record.body for record in records]
    assert ["gear.audit.search", "gear.audit.answer"] == [record.event_name for record in records]
    assert {"gear.audit.status": 200, "gear.audit.outcome": "done", "gear.audit.address": "127.0.0.1"}.items() <= dict(
        records[0].attributes
    ).items()
    assert ENTRY["who"] == json.loads(records[0].attributes["gear.audit.who"])


def test_an_exporter_that_fails_changes_nothing(tmp_path, monkeypatch):
    """The file has the entry, and the request goes on."""

    def broken(_):
        raise RuntimeError("no collector")

    monkeypatch.setattr(_logs, "get_logger", broken)

    assert 1 == len(written(tmp_path / "audit", ENTRY))


def test_without_opentelemetry_there_is_only_the_file(tmp_path, monkeypatch, exported):
    """Its package is an extra."""
    monkeypatch.delitem(sys.modules, "opentelemetry._logs")

    assert 1 == len(written(tmp_path / "audit", ENTRY))
    assert [] == exported()


def test_what_is_not_on_the_disk_is_not_exported(tmp_path, monkeypatch, exported):
    """A full disk is no reason to say that something was recorded."""
    writer = ChainWriter(tmp_path / "audit")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gear_neo4j.web.audit.writing._append", full)
    with pytest.raises(OSError, match="No space"):
        writer.append([ENTRY])
    assert [] == exported()
