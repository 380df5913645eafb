"""The commands that faults are tested with: what each needs in the database and in files, and its expected result."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.toy_model import PASSAGES, QUESTION, TRIPLES, ToyModel

PEOPLE = 12
FORGOTTEN = "old.md"
REPORT = {"title": "A group", "summary": "They work together.", "rank": 5, "findings": ["One finding."]}
PROFILE = """name = "people"

[entities.Person]
names = ["name"]

[entities.Company]
names = ["name"]
"""
Needs = Literal["nothing", "schema", "corpus", "graph"]


@dataclass(frozen=True)
class Command:
    """A command: its arguments, the initial content of the database, and which parts of it faults can reach.

    ``{folder}`` and ``{out}`` in the arguments are the folder of the data and an output file. ``done`` holds the exit
    codes of the command if everything is done already; one that only ``reads`` leaves the database unchanged.
    """

    name: str
    arguments: tuple[str, ...]
    needs: Needs
    model: bool = False
    reads: bool = False
    done: tuple[int, ...] = (0,)

    def in_folder(self, folder: Path, out: Path) -> list[str]:
        """The arguments for a folder."""
        return [argument.format(folder=folder, out=out) for argument in self.arguments]


COMMANDS = {
    command.name: command
    for command in (
        Command("search", ("search", QUESTION, "--retriever", "sync", "--json"), "corpus", model=True, reads=True),
        Command("ask", ("ask", QUESTION, "--trace", "{out}"), "corpus", model=True, reads=True),
        Command("ingest", ("ingest", "{folder}"), "schema"),
        Command("extract", ("ingest", "{folder}/corpus.jsonl", "--extract", "model"), "schema", model=True),
        Command("adopt", ("adopt", "--profile", "{folder}/profile.toml"), "graph"),
        # Both refuse to run again once they are done.
        Command("import", ("import", "{folder}/nodes.csv", "{folder}/relationships.csv"), "schema", done=(0, 2)),
        Command("forget", ("forget", FORGOTTEN), "corpus", done=(0, 1)),
        Command("communities", ("communities", "build", "--report", "--size", "3"), "corpus", model=True),
        Command(
            "evaluate",
            ("evaluate", "{folder}", "--retriever", "sync", "--ks", "2", "--json", "{out}"),
            "schema",
            model=True,
        ),
        Command("migrate", ("migrate",), "nothing"),
    )
}


class Model(ToyModel):
    """The toy model, which also extracts who works where, and reports on communities."""

    def __call__(self, messages):
        """The reply to a conversation."""
        if messages[0]["content"].startswith("You write a report"):
            return json.dumps(REPORT)
        return super().__call__(messages)

    def extraction(self, asked):
        """The facts of a passage, in other words than the rules, which may have found them already."""
        known = [fact for id, facts in TRIPLES.items() for fact in facts if PASSAGES[id] in asked]
        works = [
            [one[0], "is employed by", one[1]] for one in re.findall(r"(Person \d+) works at (Company \d+)", asked)
        ]
        return json.dumps({"entities": [], "triples": known + works})


def write_data(folder: Path) -> None:
    """The files of all commands: a data set, a small graph as CSV, and its profile."""
    texts = PASSAGES | {f"p{n:02}": f"Person {n} works at Company {n % 3}. They like it." for n in range(PEOPLE)}
    facts = TRIPLES | {f"p{n:02}": [[f"Person {n}", "works at", f"Company {n % 3}"]] for n in range(PEOPLE)}
    corpus = [
        {
            "id": id,
            "title": f"title {id}",
            "text": text,
            "source": FORGOTTEN if "p05" < id < "p99" else "new.md",
        }
        for id, text in texts.items()
    ]
    queries = [
        {"id": "q1", "question": QUESTION, "gold": ["prize", "study"]},
        {"id": "q2", "question": "Where does Person 3 work?", "gold": ["p03"]},
    ]
    triples = [{"id": id, "triples": some} for id, some in facts.items()]
    for name, rows in (("corpus", corpus), ("triples", triples), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    people = "".join(f"i{n},Imported {n},Author\n" for n in range(PEOPLE))
    (folder / "nodes.csv").write_text("id:ID,name,:LABEL\n" + people)
    knows = "".join(f"i{n},i{(n + 1) % PEOPLE},KNEW\n" for n in range(PEOPLE))
    (folder / "relationships.csv").write_text(":START_ID,:END_ID,:TYPE\n" + knows)
    (folder / "profile.toml").write_text(PROFILE)


def prompt_of(messages) -> tuple[str, ...]:
    """The part of a request that identifies it."""
    return tuple(message["content"] for message in messages)
