"""The templates of the graph's owner: stored in the database, and run behind the guard."""

from collections.abc import Mapping
from functools import lru_cache

from gear_neo4j.errors import InputError, NothingFound
from gear_neo4j.graph.connection.database import Database
from gear_neo4j.graph.guard.excerpt import Excerpt
from gear_neo4j.graph.guard.template import ROWS, Template
from gear_neo4j.text.wording import did_you_mean

# All of them are read for each question, and described in one prompt.
MOST = 100
SECONDS = 10.0
# The guard takes a millisecond a text, and every question reads all of them.
_parsed = lru_cache(maxsize=4 * MOST)(Template.parse)


class TemplateStore:
    """The templates of one database.

    They read the user's own nodes, so under a scope that may hide some of these, all methods raise ScopeRefusal.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[Template, ...]:
        """The templates by name; one round trip. Each text passes the guard once a process."""
        return tuple(_parsed(**row) for row in self._database.call("templates"))

    def get(self, name: str) -> Template:
        """The template with a name.

        Raises:
            NothingFound: there is none; the message names a similar one.
        """
        templates = {template.name: template for template in self.all()}
        if name not in templates:
            raise NothingFound(
                f"there is no template {name!r}: {did_you_mean(name, templates)}"
                f"there are {', '.join(templates) or 'none'}"
            )
        return templates[name]

    def add(self, template: Template, *, replace: bool = False) -> None:
        """Store a template that the server has explained.

        Raises:
            InputError: there is one of that name, unless ``replace``; or there are as many as may be.
        """
        names = {known.name for known in self.all()}
        if len(names - {template.name}) >= MOST:
            raise InputError(f"there are {MOST} templates, and no more are read: remove one first")
        written = self._database.call(
            "write_template",
            name=template.name,
            description=template.description,
            text=template.text,
            replace=replace,
        )
        if not written:
            raise InputError(f"there is a template {template.name} already: replace it (--replace), or choose a name")

    def remove(self, name: str) -> None:
        """Delete a template.

        Raises:
            NothingFound: there is none of that name.
        """
        if not self._database.call("delete_template", name=name):
            raise NothingFound(f"there is no template {name!r}: 'gear templates' lists them")

    def run(self, template: Template, values: Mapping[str, object]) -> Excerpt:
        """The first rows of a template as plain data, within ten seconds; the transaction cannot write.

        Args:
            values: those of :meth:`Template.bind`.

        Raises:
            QueryTimeout: it took longer.
            DatabaseError: the server refused it, or a single row is too large.
        """
        return self._database.read_text(
            template.statement, parameters=values, limit=ROWS, timeout=SECONDS, scope="graph"
        )
