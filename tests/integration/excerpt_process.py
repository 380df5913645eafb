"""Read one untrusted answer, and print by how many MiB the process grew at most."""

import resource
import sys

from gear_neo4j.errors import DatabaseError
from gear_neo4j.graph.connection.database import Database


def main():
    """The arguments are address, user, password, database and statement."""
    uri, username, password, name, text = sys.argv[1:]
    with Database.connect(uri, username=username, password=password, name=name) as database:
        database.read_text("RETURN 1 AS a")
        before = peak()
        try:
            rows = len(database.read_text(text, timeout=60).rows)
        except DatabaseError as error:
            rows = str(error)
        sys.stdout.write(f"{rows}\t{peak() - before:.0f}\n")


def peak():
    """The peak memory of this process in MiB; macOS reports bytes, Linux KiB."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (2**20 if sys.platform == "darwin" else 2**10)


if __name__ == "__main__":
    main()
