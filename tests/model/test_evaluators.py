"""Evaluators with real models: a cross-encoder, and the embedding model with calibrated thresholds."""

import json

import pytest

from gear_neo4j.cli.main import main
from gear_neo4j.errors import SettingsError
from gear_neo4j.roles.calibrated import Calibration, load_calibration
from gear_neo4j.roles.evaluators import CrossEncoderEvaluator, Thresholds
from tests import small_models


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory):
    """A folder with a cross-encoder."""
    return small_models.cross_encoder(tmp_path_factory.mktemp("cross-encoder"))


def test_a_cross_encoder_scores_pairs_in_range(cross_encoder):
    """The real class of sentence-transformers with a local model; an empty text gets -1, no texts give nothing."""
    evaluator = CrossEncoderEvaluator(str(cross_encoder))

    found = evaluator.evaluate("Who built it?", ["Ana built it.", "", "A recipe."]).value

    assert -1.0 == found[1]
    assert all(-1 < score < 1 for score in (found[0], found[2]))
    again = evaluator.evaluate("Who built it?", ["Ana built it.", "", "A recipe."]).value
    assert found == pytest.approx(again, abs=1e-6)
    assert () == evaluator.evaluate("Who built it?", []).value


def test_a_cross_encoder_that_is_not_there_is_named(tmp_path):
    """In one line."""
    with pytest.raises(SettingsError, match="cross-encoder .* could not be loaded"):
        CrossEncoderEvaluator(str(tmp_path / "none")).evaluate("Who?", ["x"])


def test_the_command_calibrates_and_keeps(home, tmp_path, capsys, monkeypatch):
    """With the embedding model, on a file of pairs."""
    rows = [
        {"question": "Who built the harbour?", "text": text, "relevant": good}
        for text, good in (
            ("Ana built the harbour.", True),
            ("The harbour was built by Ana.", True),
            ("Bread and butter.", False),
        )
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    with pytest.raises(SystemExit) as ended:
        main(["calibrate", str(tmp_path / "pairs.jsonl"), "--json"])

    told = json.loads(capsys.readouterr().out)
    assert not ended.value.code
    assert load_calibration(home, told["evaluator"]) == Calibration(
        **{key: told[key] for key in ("on", "pairs", "precision", "recall")},
        thresholds=Thresholds(**told["thresholds"]),
    )
    assert (3, 1.0) == (told["pairs"], told["recall"])
