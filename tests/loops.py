"""A scripted model for agents that judge and plan: a function for each role, which gets the role's prompt."""

import json
from collections import Counter
from contextlib import contextmanager

from langchain_openai import ChatOpenAI

from gear_neo4j.models.chat import Chat
from tests.graphs import opened
from tests.scripted_server import ScriptedServer

ROLES = {
    "You grade how": "grade",
    "You turn a question": "keywords",
    "You judge whether looking": "retrieve",
    "You judge an answer": "reflect",
    "You judge, for each": "support",
    "You answer a question from what": "recall",
    "You answer a question from one": "revise",
    "You answer a question from numbered": "answer",
    "You answer a question about": "conclude",
    "You write a long": "segment",
    "You write a report": "report",
    "You are shown reports": "points",
    "You plan how": "plan",
    "You take a text": "statements",
    "A question could not": "rewrite",
}


def role_of(messages):
    """The role of a conversation, by the first words of its system prompt."""
    return next(role for words, role in ROLES.items() if messages[0]["content"].startswith(words))


class Script:
    """For each role, a function of its prompt, or a fixed reply; ``played`` counts the roles."""

    def __init__(self, **roles):
        self.roles, self.played = roles, Counter()

    def __call__(self, messages):
        role = role_of(messages)
        self.played[role] += 1
        said = self.roles[role]
        reply = said(messages[1]["content"]) if callable(said) else said
        return reply if isinstance(reply, str) else json.dumps(reply)


@contextmanager
def asked(server, embedder, script, *, fault=lambda number, messages: None, patience=5.0, alternatives=None):
    """A Gear whose chat model is a scripted server; with alternatives, it requests log-probabilities."""
    with ScriptedServer(script, fault=fault, retry_after="0", slow=1.5, alternatives=alternatives) as model:
        client = ChatOpenAI(model="toy", api_key="none", base_url=model.url, temperature=0, max_retries=0, timeout=0.75)
        chat = Chat(client, patience=patience, sleep=lambda _seconds: None, logprobs=5 if alternatives else 0)
        with opened(server, embedder, chat=chat) as gear:
            yield gear


def scores_of(texts, score):
    """A grader's reply, computed by a function of each text."""
    shown = [part.partition("\n")[2].strip() for part in texts.split("Text [")[1:]]
    shown[-1] = shown[-1].removesuffix("Reply:").strip()
    return {"scores": [{"number": number, "score": score(one)} for number, one in enumerate(shown, start=1)]}
