"""The analysis of a question about a knowledge graph: a prompt, and a parser that checks the graph's names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from gear_neo4j.models.chat import ChatModel, Reply
from gear_neo4j.roles.judgements import find_object
from gear_neo4j.roles.prompts import fill

Kind = Literal["one-hop", "multi-hop", "intersection", "attribute", "relation"]
KINDS: tuple[str, ...] = get_args(Kind)
NEEDED = {"intersection": 2, "relation": 2}


@dataclass(frozen=True, slots=True)
class Outline:
    """A graph as a prompt shows it: labels with their properties, and types as lines ``Drug -[treats]-> Cancer``."""

    labels: Mapping[str, Sequence[str]]
    types: Sequence[str]


@dataclass(frozen=True, slots=True)
class Analysis:
    """The kind of a question, the names in it, and the label or property that it asks for."""

    kind: Kind
    heads: tuple[str, ...]
    tail: str = ""
    attribute: str = ""


class Analyst(Protocol):
    """Analyses questions."""

    def analyse(self, question: str, outline: Outline) -> Reply[Analysis]:
        """The analysis of a question; raises ModelError."""


class PromptedAnalyst:
    """A language model that analyses questions (KGT, Feng et al. 2025, step A).

    After an unknown name, it is called once more, with the known names.
    """

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    def analyse(self, question: str, outline: Outline) -> Reply[Analysis]:
        """The analysis of a question."""
        labels = "\n".join(f"- {label}: {', '.join(properties)}" for label, properties in outline.labels.items())
        types = "\n".join(f"- {line}" for line in outline.types)
        prompt = fill("analysis", labels=labels, types=types, question=question)
        return self._chat.ask(prompt, parse=lambda text: parse_analysis(text, outline))


def parse_analysis(text: str, outline: Outline) -> Analysis:
    """The analysis in a reply, its names checked against the graph; case does not matter.

    Raises:
        ValueError: there is no such object, or a kind, label or property is unknown; the message lists the known ones.

    Example:
        >>> outline = Outline({"Drug": ["name"], "Cancer": ["name"]}, ["Drug -[treats]-> Cancer"])
        >>> parse_analysis('{"type": "one-hop", "heads": ["alectinib"], "tail": "cancer"}', outline)
        Analysis(kind='one-hop', heads=('alectinib',), tail='Cancer', attribute='')
    """
    fields = find_object(text, "type")
    kind = str(fields.get("type", "")).strip().casefold().replace(" ", "-").replace("_", "-")
    if kind not in KINDS:
        raise ValueError(f'"type" is {kind!r}: it must be one of {", ".join(KINDS)}')
    names = fields.get("heads", [])
    heads = tuple(str(name).strip() for name in (names if isinstance(names, list) else [names]) if str(name).strip())
    if len(heads) < NEEDED.get(kind, 1):
        raise ValueError(f'"heads" has {len(heads)} names: a question of type {kind} has {NEEDED.get(kind, 1)}')
    properties = {name: None for names in outline.labels.values() for name in names}
    tail = _known(fields.get("tail"), list(outline.labels), "tail", needed=kind not in ("attribute", "relation"))
    attribute = _known(fields.get("attribute"), list(properties), "attribute", needed=False)
    return Analysis(kind, heads, tail, attribute)  # type: ignore[arg-type]


def _known(value: object, names: Sequence[str], key: str, *, needed: bool) -> str:
    text = str(value or "").strip()
    match = next((name for name in names if name.casefold() == text.casefold()), "")
    if (text and not match) or (needed and not match):
        raise ValueError(f'"{key}" is {text!r}, which the graph does not have; it has {", ".join(names)}')
    return match
