"""The schemas of replies: each belongs to a prompt, accepts the prompt's own example, and every parser reads it."""

import json
from importlib.resources import files

import jsonschema
import pytest

from gear_neo4j.roles import prompts
from gear_neo4j.roles.json_reader import JsonReader
from gear_neo4j.roles.lists import parse_triples

FOLDER = files(prompts)
NAMES = sorted(file.name.removesuffix(".json") for file in FOLDER.iterdir() if file.name.endswith(".json"))


def schema_of(name):
    return json.loads(FOLDER.joinpath(f"{name}.json").read_text("utf-8"))


def examples_of(name):
    """The JSON objects that a prompt shows, except those with dots for what is left out."""
    text = FOLDER.joinpath(f"{name}.txt").read_text("utf-8").partition("---\n")[0]
    read = (JsonReader(text).value(start) for start, sign in enumerate(text) if sign == "{")
    return [value for value, _ in filter(None, read) if isinstance(value, dict) and "..." not in json.dumps(value)]


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_and_closed(name):
    """Servers that enforce schemas want every property required, and no other."""
    schema = schema_of(name)

    jsonschema.Draft202012Validator.check_schema(schema)
    assert FOLDER.joinpath(f"{name}.txt").is_file()
    assert (sorted(schema["properties"]), False) == (sorted(schema["required"]), schema["additionalProperties"])


@pytest.mark.parametrize("name", ["reader", "gist", "extraction"])
def test_the_examples_of_a_prompt_follow_its_schema(name):
    """And nothing to note is a reply, too: a model must not be forced to invent."""
    schema, shown = schema_of(name), examples_of(name)
    empty = {key: [] for key in schema["properties"]}

    assert shown
    for value in (*shown, empty):
        jsonschema.validate(value, schema)
        key = "facts" if "facts" in value else "triples"
        assert len(value[key]) == len(parse_triples(json.dumps(value), key=key).facts)
