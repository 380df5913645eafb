"""The schema of a graph as a prompt shows it: labels with their properties, types with what stands at their ends."""

import re
from collections.abc import Iterable, Sequence

from gear_neo4j.adoption.survey import Label, Property, Survey, Type
from gear_neo4j.wording import counted

LONGEST_EXAMPLE = 40
PROPERTIES = 20
EXAMPLES = 2
ENDS = 4
_PLAIN = re.compile(r"[A-Za-z_]\w*")


def schema_text(found: Survey, *, longest: int = 8_000) -> str:
    """A line for each label and type, those with most nodes and relationships first; cut at about ``longest``.

    Example:
        >>> person = Label("Person", 2, 2, {"name": Property("name", 2, examples=["Ana"])})
        >>> print(schema_text(Survey(2, {"Person": person}, {"KNOWS": Type("KNOWS", 1, {"Person": 1}, {"Person": 1})})))
        (:Person) 2 nodes: name (such as "Ana")
        (:Person)-[:KNOWS]->(:Person) 1 relationship
    """
    labels = sorted(found.labels.values(), key=lambda one: (-one.nodes, one.name))
    types = sorted(found.types.values(), key=lambda one: (-one.relationships, one.name))
    # Types take at most a third, so that neither crowds the other out.
    ends = _fitting([_type(one) for one in types], longest // 3)
    return "\n".join([*_fitting([_label(one) for one in labels], longest - sum(map(len, ends))), *ends])


def _label(label: Label) -> str:
    known = sorted(label.properties.values(), key=lambda one: (-one.nodes, one.name))[:PROPERTIES]
    listed = ", ".join(map(_property, known))
    return f"(:{_name(label.name)}) {counted(label.nodes, 'node')}" + (f": {listed}" if listed else "")


def _property(one: Property) -> str:
    kind = one.kinds.most_common(1)[0][0] if one.kinds else "value"
    quote = '"' if kind in ("text", "texts") or not one.kinds else ""
    shown = [f"{quote}{_short(example)}{quote}" for example in dict.fromkeys(one.examples)][:EXAMPLES]
    words = {"text": ["text"], "texts": ["list of texts"], "list": ["list"]}.get(kind, [])
    told = ", ".join([*words, *([f"such as {', '.join(shown)}"] if shown else [])])
    return f"{_name(one.name)} ({told})" if told else _name(one.name)


def _type(one: Type) -> str:
    line = f"{_ends(one.starts)}-[:{_name(one.name)}]->{_ends(one.ends)} {counted(one.relationships, 'relationship')}"
    names = [_name(name) for name, _ in (one.texts + one.numbers).most_common(PROPERTIES)]
    return f"{line}: {', '.join(names)}" if names else line


def _ends(counts: dict[str, int]) -> str:
    best = sorted(counts, key=lambda name: (-counts[name], name))[:ENDS]
    return f"(:{'|'.join(map(_name, best))})" if best else "()"


def _name(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else f"`{name.replace('`', '``')}`"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_EXAMPLE else f"{line[:LONGEST_EXAMPLE]}…"


def _fitting(lines: Sequence[str], longest: int) -> Iterable[str]:
    kept: list[str] = []
    for line in lines:
        # A label of twenty long properties may still be cut.
        kept.append(line[:longest])
        if sum(map(len, kept)) > longest:
            return [*kept[:-1], f"(and {len(lines) - len(kept) + 1} more)"] if len(kept) > 1 else kept
    return kept
