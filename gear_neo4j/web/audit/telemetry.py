"""Gives the entries of the record to OpenTelemetry as log records, if the operator has set up its logs."""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from gear_neo4j.text.printable import json_text

NAME = "gear_neo4j.audit"


def send(lines: Sequence[bytes]) -> None:
    """Send entries that are on the disk, as their lines there; what fails is lost to OpenTelemetry alone."""
    # Whoever sets up a provider has imported this.
    if "opentelemetry._logs" not in sys.modules:
        return
    # An exporter may raise anything.
    with suppress(Exception):
        from opentelemetry._logs import SeverityNumber, get_logger

        logger = get_logger(NAME)
        for line in lines:
            entry = json.loads(line)
            given = {
                name: entry[name] for name in ("number", "request", "address", "outcome", "status") if name in entry
            }
            logger.emit(
                timestamp=int(datetime.fromisoformat(entry["time"]).timestamp() * 1e9),
                severity_number=SeverityNumber.INFO,
                severity_text="INFO",
                event_name=f"gear.audit.{entry['kind']}",
                body=line.decode().rstrip(),
                attributes={f"gear.audit.{name}": value for name, value in given.items()}
                | {"gear.audit.who": json_text(entry.get("who", {}))},
            )
