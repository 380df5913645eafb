"""``gear.overlay.templates``: Cypher queries with parameters that the owner of an adopted graph wrote."""

from collections.abc import Mapping

from gear_neo4j.errors import InputError
from gear_neo4j.gear.session import Session
from gear_neo4j.graph.guard.excerpt import Excerpt
from gear_neo4j.graph.guard.guard import admit
from gear_neo4j.graph.guard.template import ROWS, Template
from gear_neo4j.graph.read.graph_schema import GraphSchema
from gear_neo4j.retrieval.question import checked
from gear_neo4j.retrieval.templates.finder import TemplateAnswer
from gear_neo4j.text.wording import did_you_mean


class Templates:
    """The templates of one graph.

    Under a scope that may hide nodes of the graph, :meth:`answer` finds none, and every other method raises
    ScopeRefusal.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._graph = session.graph

    def list(self) -> tuple[Template, ...]:
        """The templates by name; none before a graph is adopted.

        Raises:
            InputError: the database is empty.
        """
        self._graph.require_record()
        return self._graph.own_templates.all()

    def get(self, name: str) -> Template:
        """The template with a name.

        Raises:
            NothingFound: there is none.
        """
        self._graph.require_record()
        return self._graph.own_templates.get(name)

    def add(self, name: str, *, query: str, description: str, replace: bool = False) -> Template:
        """Add a template, once the guard and the server's EXPLAIN have found that it only reads.

        Args:
            query: its Cypher; comments before it may describe the parameters: ``// $day (date): the day of the crime``.
            description: which questions it answers, in a sentence.
            replace: whether to replace a template of the same name.

        Raises:
            InputError: the name, the description or a parameter cannot be used, there is a template of that name, or no
                graph was adopted.
            GuardError: the query may do more than read the graph.
            DatabaseError: the server cannot parse it.
        """
        template = Template.parse(name, description, query)
        self._graph.require_record()
        schema = self._graph.patterns.schema()
        if schema is None:
            raise InputError("a template is a query over an adopted graph: run 'gear adopt' first")
        _check_properties(template, schema)
        admit(self._graph, template.text, limit=ROWS, parameters=[one.name for one in template.parameters])
        self._graph.own_templates.add(template, replace=replace)
        return template

    def remove(self, name: str) -> None:
        """Remove a template.

        Raises:
            NothingFound: there is none of that name.
        """
        self._graph.require_record()
        self._graph.own_templates.remove(name)

    def run(self, name: str, values: Mapping[str, object] | None = None) -> Excerpt:
        """The first 100 rows of a template as plain data, within ten seconds.

        Args:
            values: the value of each parameter; a date may be a text such as ``2024-05-31``.

        Raises:
            NothingFound: there is no template of that name.
            InputError: a value is missing, or is not of its parameter's kind.
            QueryTimeout: it took longer.
            DatabaseError: the server refused it.
        """
        template = self.get(name)
        return self._graph.own_templates.run(template, template.bind(values or {}))

    def answer(self, question: str) -> TemplateAnswer | None:
        """The rows of the template that a question certainly asks for; None if there is none, or it has no rows.

        No language model is called.

        Raises:
            InputError: the question is blank.
        """
        return self._session.templates.answer(checked(question))


def _check_properties(template: Template, schema: GraphSchema) -> None:
    """Refuse a parameter whose values are those of a property that the graph does not have."""
    known = [f"{label}.{name}" for label, properties in schema.labels.items() for name in properties]
    for parameter in template.parameters:
        if parameter.property and parameter.kind not in known:
            hint = did_you_mean(parameter.kind, known)
            raise InputError(f"${parameter.name} has the values of {parameter.kind}, which is not in the graph: {hint}")
