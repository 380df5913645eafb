"""A process that brings a database up to date and kills itself before one of its writes: URI, user, password, which."""

import os
import signal
import sys

from gear_neo4j.graph.database import Database
from gear_neo4j.graph.preparation import prepare


class Killed(Database):
    """A database whose process dies before the last of some writes."""

    left = 0

    def run(self, query, /, **parameters):
        if query.writes:
            Killed.left -= 1
            if Killed.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return super().run(query, **parameters)


if __name__ == "__main__":
    uri, username, password, number = sys.argv[1:]
    Killed.left = int(number)
    with Killed.connect(uri, username=username, password=password) as database:
        prepare(database, model="fake", dimension=8)
