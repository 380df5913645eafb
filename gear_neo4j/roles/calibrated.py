"""Stores calibrated thresholds in a file, by the name of their evaluator."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gear_neo4j.errors import InputError, SettingsError
from gear_neo4j.roles.evaluators import Thresholds
from gear_neo4j.text.files import write_file

FILE = "evaluators.json"


@dataclass(frozen=True, slots=True)
class Calibration:
    """Thresholds, the data set of the calibration, its number of pairs, and precision and recall on them."""

    thresholds: Thresholds
    on: str
    pairs: int
    precision: float
    recall: float


def load_calibration(home: Path, evaluator: str) -> Calibration | None:
    """The calibration of an evaluator, or None.

    Raises:
        InputError: the file is damaged.
    """
    row = _read(home / FILE).get(evaluator)
    try:
        return Calibration(**{**row, "thresholds": Thresholds(**row["thresholds"])}) if row else None
    except (TypeError, KeyError, SettingsError) as error:
        raise InputError(f"{home / FILE} is damaged: remove it, and calibrate again") from error


def save_calibration(home: Path, evaluator: str, calibration: Calibration) -> Path:
    """Save a calibration; returns its file.

    Raises:
        InputError: the file cannot be written, or is damaged.
    """
    file = home / FILE
    rows = _read(file) | {evaluator: asdict(calibration)}
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror or error}") from error
    write_file(file, json.dumps(rows, indent=1) + "\n")
    return file


def _read(file: Path) -> dict[str, dict[str, Any]]:
    if not file.exists():
        return {}
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{file} is damaged: remove it, and calibrate again") from error
    if not isinstance(rows, dict):
        raise InputError(f"{file} is damaged: remove it, and calibrate again")
    return rows
