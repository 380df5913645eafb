"""The prompts, one text file each: the system prompt above the line ``---``, the user prompt below it.

Beside a prompt whose reply is a JSON object of a fixed form is its schema.
"""

import json
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

from gear_neo4j.models.chat import Prompt


def fill(name: str, /, **values: object) -> Prompt:
    """The prompt of a file with its ``$names`` filled in; the values are inserted literally.

    Raises:
        KeyError: a name in the file has no value.

    Example:
        >>> prompt = fill("extraction", passage="Curie was born in $Warsaw.")
        >>> prompt.user.splitlines()[0]
        'Passage: Curie was born in $Warsaw.'
    """
    system, user = _templates(name)
    return Prompt(system.substitute(values).strip(), user.substitute(values).strip(), schema=_schema(name))


@cache
def _templates(name: str) -> tuple[Template, Template]:
    text = files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
    system, _, user = text.partition("---\n")
    return Template(system), Template(user)


@cache
def _schema(name: str) -> dict[str, Any] | None:
    file = files(__name__).joinpath(f"{name}.json")
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
