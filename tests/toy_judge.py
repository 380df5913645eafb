"""A literal judge for the scripted server: a statement is supported if it appears word for word."""

import json
import re


def between(text, start, end):
    """The text between two marks."""
    return text.split(start, 1)[1].rsplit(end, 1)[0].strip()


def numbered(block):
    """The statements of a numbered list."""
    return [line.split(". ", 1)[1] for line in block.splitlines()]


def verdicts(judged):
    """Verdicts in the format that the prompts request."""
    return [
        {"number": number, "why": "by the letter", "verdict": "yes" if one else "no"}
        for number, one in enumerate(judged, start=1)
    ]


class ToyJudge:
    """Plays the judge's four prompts, and counts them."""

    ROLES = (
        ("You take a text", "statements"),
        ("You judge, for each", "support"),
        ("You compare", "overlap"),
        ("You judge whether", "useful"),
    )

    def __init__(self):
        self.played = []

    def __call__(self, messages):
        """The reply to a conversation; to a repair, the same as before."""
        role = next(role for words, role in self.ROLES if messages[0]["content"].startswith(words))
        self.played.append(role)
        return getattr(self, role)(messages[1]["content"])

    def statements(self, asked):
        text = between(asked, "\nText: ", "\nReply:")
        found = [one.strip() for one in re.split(r"(?<=\.)\s", text) if one.strip() and "not know" not in one]
        return json.dumps({"statements": found})

    def support(self, asked):
        passages, rest = asked.split("\n\nQuestion: ", 1)
        return json.dumps(
            {"verdicts": verdicts(one in passages for one in numbered(between(rest, "Statements:\n", "\nReply:")))}
        )

    def overlap(self, asked):
        answer = numbered(between(asked, "Answer:\n", "\n\nReference:"))
        reference = numbered(between(asked, "Reference:\n", "\nReply:"))
        return json.dumps(
            {
                "answer": verdicts(one in reference for one in answer),
                "reference": verdicts(one in answer for one in reference),
            }
        )

    def useful(self, asked):
        answer, passage = between(asked, "Answer: ", "\n\nPassage:"), between(asked, "Passage:\n", "\nReply:")
        useful = any(sentence in passage for sentence in re.split(r"(?<=\.)\s", answer))
        return json.dumps({"why": "by the letter", "verdict": "yes" if useful else "no"})
