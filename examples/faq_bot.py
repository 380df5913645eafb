"""A bot that answers from a folder of Markdown: ``python faq_bot.py FOLDER``, then a question a line.

At each start the folder is read again, and only what has changed is written. With GEAR_CHAT_MODEL the answers are
sentences with citations. Without a model the bot shows the best passages.
"""

import sys

from gear_neo4j import Gear
from gear_neo4j.errors import GearError, ModelError
from gear_neo4j.types import Problem

COLLECTION = "faq"


def main() -> None:
    """Read the folder, then answer until the input ends."""
    if len(sys.argv) != 2:
        sys.exit("usage: python faq_bot.py FOLDER")
    try:
        with Gear.connect() as gear:
            report = gear.ingest([sys.argv[1]], collection=COLLECTION, on_problem=warn)
            print(f"{report.documents_read} documents, {report.passages_written} new passages. Ask.")
            bot = gear.scoped(collections=[COLLECTION])
            for line in sys.stdin:
                if question := line.strip():
                    print(reply(bot, question), flush=True)
    except GearError as error:
        sys.exit(f"faq_bot: {error}")


def warn(problem: Problem) -> None:
    """Say what could not be read; the rest of the folder is."""
    print(f"{problem.file}:{problem.line}: {problem.reason}", file=sys.stderr)


def reply(bot: Gear, question: str) -> str:
    """An answer with its sources; without a model, the passages that it would be made from."""
    try:
        answer = bot.ask(question)
    except ModelError:
        hits = bot.search(question, k=3)
        return "\n\n".join(f"{hit.rank}. {hit.passage.content}" for hit in hits) or "The folder says nothing of that."
    return "\n".join([answer.text, *map(str, answer.citations)])


if __name__ == "__main__":
    main()
