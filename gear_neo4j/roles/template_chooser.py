"""Lets a language model choose the template that answers a question, and the values of its parameters."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from gear_neo4j.errors import InputError
from gear_neo4j.graph.guard.template import Template
from gear_neo4j.models.chat import ChatModel, Reply
from gear_neo4j.roles.judgements import find_object
from gear_neo4j.roles.prompts import fill

Chosen = tuple[Template, Mapping[str, object]]
NONE = "none"


class TemplateChooser(Protocol):
    """Chooses a template."""

    @property
    def name(self) -> str:
        """The model's name."""

    def choose_template(self, question: str, templates: Sequence[Template]) -> Reply[Chosen | None]:
        """The template that answers the question, with the value of each parameter; None if none does."""


class PromptedTemplateChooser:
    """A language model that chooses, with one prompt."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    @property
    def name(self) -> str:
        """The model's name."""
        return self._chat.name

    def choose_template(self, question: str, templates: Sequence[Template]) -> Reply[Chosen | None]:
        """The template that answers the question."""
        prompt = fill("template", templates="\n\n".join(map(described, templates)), question=question)
        return self._chat.ask(prompt, parse=lambda text: parse_chosen(text, templates))


def described(template: Template) -> str:
    """A template in a prompt: its name, which questions it answers, and its parameters.

    Example:
        >>> text = "// $age (integer)\\nMATCH (p {age: $age}) RETURN p"
        >>> print(described(Template.parse("aged", "people of an age", text)))
        aged: people of an age
          $age (integer)
    """
    return "\n".join([f"{template.name}: {template.description}", *(f"  {one}" for one in template.parameters)])


def parse_chosen(text: str, templates: Sequence[Template]) -> Chosen | None:
    """The template of a reply ``{"template": NAME, "parameters": {...}}`` with its values; None for ``none``.

    Raises:
        ValueError: there is no such object, no such template, or a value is missing or not of its kind.

    Example:
        >>> parse_chosen('{"template": "none"}', []) is None
        True
    """
    reply = find_object(text, "template")
    name, given = reply["template"], reply.get("parameters") or {}
    if name is None or str(name).casefold() == NONE:
        return None
    template = next((one for one in templates if one.name == name), None)
    if template is None or not isinstance(given, dict):
        raise ValueError('"template" is the name of no query, or "parameters" is no object')
    try:
        return template, template.bind(given)
    except InputError as error:
        raise ValueError(str(error)) from error
