"""A model for the scripted server that knows four facts and plays all of GeAR's roles, by reading its prompt."""

import json
import re

PASSAGES = {
    "prize": "The 2024 physics prize went to Hinton.",
    "study": "Hinton wrote a thesis at Edinburgh.",
    "other": "A recipe for bread and butter.",
    "town": "Edinburgh lies in Scotland.",
}
TRIPLES = {
    "prize": [["physics prize 2024", "went to", "Hinton"]],
    "study": [["Hinton", "wrote a thesis at", "Edinburgh"]],
    "other": [["bread", "goes with", "butter"]],
    "town": [["Edinburgh", "lies in", "Scotland"]],
}
FACTS = [(passage, *triple) for passage, triples in TRIPLES.items() for triple in triples]
CHAIN = ("prize", "study", "town")
QUESTION = "In which country did the 2024 physics laureate write his thesis?"
NEXT = {"prize": "2024 physics prize", "study": "Hinton thesis", "town": "Edinburgh lies in?"}
ROLES = {
    "You turn a passage": "extraction",
    'You read passages and note the facts in them that help to answer a question, as triples ["subject", '
    '"predicate", "object"]. Some': "gist",
    "You read passages and note": "reader",
    "You judge": "reason",
    "A question could not": "rewrite",
    "You answer": "answer",
    "You choose": "select",
    "You rewrite the last": "follow_up",
    "### Task": "task",
}


def role_of(messages):
    """The role of a conversation, by the first words of its system prompt."""
    return next(role for words, role in ROLES.items() if messages[0]["content"].startswith(words))


def said(triple):
    """A triple as written in prompts."""
    return f"{triple[0]} —{triple[1]}→ {triple[2]}"


class ToyModel:
    """Answers only from its prompt: it reads facts from passages, and knows nothing else."""

    def __call__(self, messages):
        """The reply to a conversation; to a repair, the same as before."""
        return getattr(self, role_of(messages))(messages[:2][-1]["content"])

    def extraction(self, asked):
        triples = [fact for id, facts in TRIPLES.items() for fact in facts if PASSAGES[id] in asked]
        return json.dumps({"entities": [], "triples": triples})

    def reader(self, asked):
        return json.dumps({"facts": [TRIPLES[id][0] for id in CHAIN if PASSAGES[id] in asked]})

    def gist(self, asked):
        new = [id for id in CHAIN if PASSAGES[id] in asked and said(TRIPLES[id][0]) not in asked]
        return json.dumps({"facts": [TRIPLES[id][0] for id in new]})

    def reason(self, asked):
        missing = self.missing(asked)
        return f"Answerable: No\nWhy: {NEXT[missing[0]]}" if missing else "Answerable: Yes\nAnswer: Scotland"

    def rewrite(self, asked):
        missing = self.missing(asked)
        return f"Next question: {NEXT[missing[0]] if missing else ''}"

    def answer(self, asked):
        index = re.search(r"Passage \[(\d+)\] [^\n]*\n" + re.escape(PASSAGES["town"]), asked)
        return f"Answer: Scotland [{index[1]}] [F1]." if index else "Answer: The passages do not say."

    def select(self, asked):
        shown = {id: re.search(r"Passage \[(\d+)\] [^\n]*\n" + re.escape(PASSAGES[id]), asked) for id in CHAIN}
        return json.dumps([int(index[1]) for index in reversed(list(shown.values())) if index])

    def follow_up(self, asked):
        return f"Question: {QUESTION}" if "2024" in asked else "Question: Who bakes bread?"

    def task(self, asked):
        return json.dumps({"title": "Physics"})

    def missing(self, asked):
        return [id for id in CHAIN if said(TRIPLES[id][0]) not in asked]
