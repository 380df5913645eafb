"""As much of JSON Schema as the published file needs, to check documents against the file itself."""

TYPES = {"string": str, "number": (int, float), "integer": int, "boolean": bool, "null": type(None)}
KNOWN = {"$ref", "anyOf", "oneOf", "const", "enum", "type", "properties", "required", "items", "minItems"}
WORDS = {"$schema", "$defs", "title", "description", "default", "discriminator", "additionalProperties"}


def violations(value, schema, *, root, location="it"):
    """The errors in a value, one per line; a keyword that is unknown here is an error, too."""
    lines = [f"unknown keyword {word}" for word in schema.keys() - KNOWN - WORDS]
    if "$ref" in schema:
        lines += violations(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root=root, location=location)
    for word in ("anyOf", "oneOf"):
        fitting = [part for part in schema.get(word, ()) if not violations(value, part, root=root, location=location)]
        if word in schema and not (fitting if word == "anyOf" else len(fitting) == 1):
            lines.append(f"{location}: {word} has {len(fitting)} that fit")
    if "const" in schema and schema["const"] != value:
        lines.append(f"{location} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        lines.append(f"{location} is none of {schema['enum']}")
    return lines + _typed(value, schema, root, location)


def _typed(value, schema, root, location):
    kind = schema.get("type")
    if kind == "object" and isinstance(value, dict):
        lines = [f"{location} lacks {name}" for name in schema.get("required", ()) if name not in value]
        parts, others = schema.get("properties", {}), schema.get("additionalProperties", {})
        shapes = {name: parts.get(name, others if isinstance(others, dict) else {}) for name in value}
    elif kind == "array" and isinstance(value, list):
        lines = [f"{location} is too short"] if len(value) < schema.get("minItems", 0) else []
        shapes = dict.fromkeys(range(len(value)), schema["items"])
    else:
        fits = kind is None or (
            isinstance(value, TYPES.get(kind, ())) and (kind == "boolean" or not isinstance(value, bool))
        )
        return [] if fits else [f"{location} is not of type {kind}"]
    for key, shape in shapes.items():
        lines += violations(value[key], shape, root=root, location=f"{location}.{key}")
    return lines
