"""The benchmarks run from end to end on a very small corpus, without rivals that are not installed."""

import json

import pytest

from benchmarks import __main__ as bench


# It takes some minutes on a busy machine; neo4j-graphrag warns about its own next version.
@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore:The default returned 'id' field:DeprecationWarning")
def test_the_benchmarks_measure_load_walk_search_and_write_what_they_found(tmp_path, monkeypatch):
    """A table, plots and JSON, in which a batched step takes less than one query per beam."""
    monkeypatch.setattr("sys.argv", ["benchmarks", "--size", "smoke", "--out", str(tmp_path)])

    bench.main()

    (found,) = json.loads((tmp_path / "results-smoke.json").read_text())
    assert (200, 2_000) == (found["load"]["passages"], found["load"]["triples"])
    assert found["expansion"]["without_hub"]["step_ratio"]["median"] > 1
    assert found["expansion"]["without_hub"]["whole_ratio"]["median"] > 1
    assert found["searches"]["naive over sbert"]["recall_at_10"] > found["searches"]["sbert"]["recall_at_10"]
    assert found["hub_recall"]["paths"] == 1.0
    assert "| triples | 2,000 |" in (tmp_path / "table-smoke.md").read_text()
    assert "</svg>" in (tmp_path / "plots-smoke.svg").read_text()
