"""Corpora with collections, readers and metadata, scopes over them, and the admitted passages, without a database."""

import json
import re
from dataclasses import dataclass, replace
from hashlib import blake2b

from hypothesis import strategies as st

from gear_neo4j.domain import Passage, make_triple
from gear_neo4j.filters import All, AnyOf, Condition, Not, parse_filter
from gear_neo4j.ingestion.membership import CollectionAccess

NAMES = ("Ada", "ADA", "Bo Lund", "bo lund", "Cem", "Dora Elm", "Elbe", "Ferro", "ferro", "Gale", "Hanse")
PREDICATES = ("knows", "lives in", "wrote to")
WORDS = ("harbour", "letter", "bridge", "winter", "market", "silver", "garden", "paper", "island", "clock")
COLLECTIONS = ("default", "legal", "hr")
PRINCIPALS = ("user:x", "group:y")
FILTERS = (
    "year >= 2020",
    "year < 2021 and not draft exists",
    'team in ["red", "blue"]',
    "not (year = 2019 or team = 'red')",
    "draft = true or year exists",
    "score > 0.5 and team != 'blue'",
    "year >= '2020'",
)


@dataclass(frozen=True)
class Corpus:
    """Passages by id, with the triples that each states."""

    passages: tuple
    triples: tuple

    def within(self, scope):
        """The passages that a scope admits, and their triples."""
        kept = tuple(passage for passage in self.passages if admits(scope, passage))
        ids = {passage.id for passage in kept}
        return Corpus(kept, tuple(triple for triple in self.triples if triple.passage_id in ids))


def admits(scope, passage):
    """Whether a scope admits a passage, as described in access.md."""
    return (
        (scope.collections is None or passage.collection in scope.collections)
        and (scope.principals is None or not passage.readers or bool(scope.principals & set(passage.readers)))
        and (scope.where is None or fulfils(scope.where, passage))
    )


def fulfils(filter, passage):
    """Whether the metadata of a passage match a filter."""
    match filter:
        case All(parts):
            return all(fulfils(part, passage) for part in parts)
        case AnyOf(parts):
            return any(fulfils(part, passage) for part in parts)
        case Not(part):
            return not fulfils(part, passage)
        case Condition(field, operator, values):
            held = passage.metadata.get(field, [])
            return any(compares(item, operator, values) for item in (held if isinstance(held, list) else [held]))


def compares(item, operator, values):
    """Whether a value has a relation to others; values of different kinds have none."""
    alike = [value for value in values if kind(value) == kind(item)]
    match operator:
        case "exists":
            return True
        case "in":
            return item in alike
        case "gt":
            return any(item > value for value in alike)
        case "gte":
            return any(item >= value for value in alike)
        case "lt":
            return any(item < value for value in alike)
        case _:
            return any(item <= value for value in alike)


def kind(value):
    """Texts, truth values and numbers are different kinds; Python considers True equal to 1."""
    return "truth" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


METADATA = st.fixed_dictionaries(
    {},
    optional={
        "year": st.integers(2018, 2023),
        "team": st.sampled_from(["red", "blue", ["red", "green"], ["blue"]]),
        "draft": st.booleans(),
        "score": st.sampled_from([0.25, 0.75, 1]),
    },
)


@st.composite
def corpora(draw, *, numbers=(3, 9), facts=(0, 3), within=COLLECTIONS):
    """A corpus of three to nine passages, each with its own word and up to three triples."""
    passages, triples = [], []
    for number in range(draw(st.integers(*numbers))):
        words = draw(st.lists(st.sampled_from(WORDS), min_size=2, max_size=5))
        names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3))
        collection = draw(st.sampled_from(within))
        readers = draw(st.sampled_from([None, None, (), ("user:x",), ("group:y",), PRINCIPALS]))
        text = f"{' and '.join(names)} at the {' '.join(words)}, taint{number}."
        passage = CollectionAccess(collection).passage(
            Passage(f"p{number}", f"{names[0]} {words[0]}", text, f"source{number % 3}", metadata=draw(METADATA))
        )
        passages.append(replace(passage, readers=readers))
        for _ in range(draw(st.integers(*facts))):
            parts = draw(st.sampled_from(NAMES)), draw(st.sampled_from(PREDICATES)), draw(st.sampled_from(NAMES))
            triples.append(make_triple(passage.id, *parts))
    return Corpus(tuple(passages), tuple(dict.fromkeys(triples)))


SCOPES = st.fixed_dictionaries(
    {
        "collections": st.sampled_from([None, ("default",), ("legal",), ("legal", "hr"), ("nosuch",)]),
        "principals": st.sampled_from([None, (), ("user:x",), ("group:y",), PRINCIPALS]),
        "where": st.sampled_from([None, None, *FILTERS]).map(lambda text: text and parse_filter(text)),
    }
)
QUESTIONS = st.builds(
    lambda name, other, word: f"Where did {name} meet {other} by the {word}?",
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.sampled_from(WORDS),
)


def mind(messages):
    """A reply per role that depends on every letter of the prompt: different prompts lead to different runs."""
    system, user = (message["content"] for message in messages[:2])
    chance = int.from_bytes(blake2b((system + user).encode(), digest_size=4).digest(), "big")
    name, other, word = NAMES[chance % len(NAMES)], NAMES[chance // 7 % len(NAMES)], WORDS[chance // 77 % len(WORDS)]
    replies = {
        "You read passages": {"facts": [[name, "knows", other]]},
        "You judge whether a question": f"Answerable: No\nWhy: {word}",
        "A question could not": f"Next question: Where is {name} by the {word}?",
        "You reason step by step": f"{name} knows {other}.",
        "You answer a question": f"Answer: {name}, as is said [1].",
        "You grade": {"scores": [(chance >> index & 3) / 3 for index in range(len(re.findall(r"(?m)^Text \[", user)))]},
        "You judge whether looking": {"retrieve": "yes"},
        "You judge an answer": {"relevant": "yes", "support": "fully", "use": 1 + chance % 5},
        "You plan how": {"steps": []}
        if "- step 1," in user
        else {"steps": [{"id": "1", "question": f"Where is {name}?", "tool": ("auto", "base", "paths")[chance % 3]}]},
        "You take a text": {"statements": [f"{name} knows {other}."]},
        "You judge, for each": {"verdicts": [{"number": 1, "verdict": "yes"}]},
        "You write a report": {
            "title": word,
            "summary": f"{name} and {other}.",
            "rank": chance % 7,
            "findings": [word],
        },
        "You are shown reports": {"points": [{"text": f"{name} {word}", "score": 1 + chance % 99, "reports": [1]}]},
        "You answer a question about": f"Answer: {name} [1].",
        "You note the names": {"entities": [name]},
        "You are shown a question and numbered facts": "[1]",
        "You choose": "[1]",
    }
    reply = next(reply for words, reply in replies.items() if system.startswith(words))
    return reply if isinstance(reply, str) else json.dumps(reply)
