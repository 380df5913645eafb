"""The schema of a graph as prompt text: labels with their properties, types with the labels they connect."""

import re
from collections.abc import Iterable, Sequence, Set

from gear_neo4j.adoption.survey import Label, Property, Survey, Type
from gear_neo4j.text.wording import pluralize

LONGEST_EXAMPLE = 40
PROPERTIES = 20
EXAMPLES = 2
ENDS = 4
_PLAIN = re.compile(r"[A-Za-z_]\w*")


def schema_text(graph_survey: Survey, *, longest: int = 8_000, linked: Set[str] = frozenset()) -> str:
    """A line for each label and type, cut at about ``longest`` characters.

    Those in ``linked``, to which a question was linked, come first, then the most frequent ones.

    Example:
        >>> person = Label("Person", 2, 2, {"name": Property("name", 2, examples=["Ana"])})
        >>> print(schema_text(Survey(2, {"Person": person}, {"KNOWS": Type("KNOWS", 1, {"Person": 1}, {"Person": 1})})))
        (:Person) 2 nodes: name (such as "Ana")
        (:Person)-[:KNOWS]->(:Person) 1 relationship
    """
    labels = sorted(
        graph_survey.labels.values(), key=lambda label: (label.name not in linked, -label.nodes, label.name)
    )
    types = sorted(
        graph_survey.types.values(), key=lambda type: (type.name not in linked, -type.relationships, type.name)
    )
    # Types get at most a third, so that neither labels nor types crowd out the others.
    ends = _fit([_type(type) for type in types], longest // 3)
    return "\n".join([*_fit([_label(label) for label in labels], longest - sum(map(len, ends))), *ends])


def _label(label: Label) -> str:
    known = sorted(label.properties.values(), key=lambda property: (-property.nodes, property.name))[:PROPERTIES]
    listed = ", ".join(map(_property, known))
    return f"(:{_name(label.name)}) {pluralize(label.nodes, 'node')}" + (f": {listed}" if listed else "")


def _property(property: Property) -> str:
    kind = property.kinds.most_common(1)[0][0] if property.kinds else "value"
    quote = '"' if kind in ("text", "texts") or not property.kinds else ""
    examples = [f"{quote}{_short(example)}{quote}" for example in dict.fromkeys(property.examples)][:EXAMPLES]
    words = {"text": ["text"], "texts": ["list of texts"], "list": ["list"]}.get(kind, [])
    details = ", ".join([*words, *([f"such as {', '.join(examples)}"] if examples else [])])
    return f"{_name(property.name)} ({details})" if details else _name(property.name)


def _type(type: Type) -> str:
    count = pluralize(type.relationships, "relationship")
    line = f"{_ends(type.starts)}-[:{_name(type.name)}]->{_ends(type.ends)} {count}"
    names = [_name(name) for name, _ in (type.texts + type.numbers).most_common(PROPERTIES)]
    return f"{line}: {', '.join(names)}" if names else line


def _ends(counts: dict[str, int]) -> str:
    best = sorted(counts, key=lambda name: (-counts[name], name))[:ENDS]
    return f"(:{'|'.join(map(_name, best))})" if best else "()"


def _name(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else f"`{name.replace('`', '``')}`"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_EXAMPLE else f"{line[:LONGEST_EXAMPLE]}…"


def _fit(lines: Sequence[str], longest: int) -> Iterable[str]:
    fitting: list[str] = []
    for line in lines:
        # A label of twenty long properties may still be cut.
        fitting.append(line[:longest])
        if sum(map(len, fitting)) > longest:
            return [*fitting[:-1], f"(and {len(lines) - len(fitting) + 1} more)"] if len(fitting) > 1 else fitting
    return fitting
