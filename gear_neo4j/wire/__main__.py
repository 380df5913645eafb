"""``python -m gear_neo4j.wire`` prints the JSON Schema that is published as ``docs/wire.schema.json``."""

import json
import sys

from gear_neo4j.wire.documents import json_schema

if __name__ == "__main__":
    sys.stdout.write(json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n")
