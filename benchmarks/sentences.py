"""Answers without a language model: ``python -m benchmarks.sentences DATASET_DIR [--foreign DIR]``; docs/choosing.md.

Whether the sentences of the agent ``search`` contain an answer of the question, their words, and how often there is no
answer. Beside it, two simpler answers: the first passage, and the first sentences of the first three passages. With
``--foreign``, questions of another data set, which should have no answer here. Then the sentences that support an
answer without citations: for the right answer, whether the first one is from a gold passage; for the answer of another
question, whether there is none. Choices are made on the even questions and reported on the odd ones.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median

from rich.progress import track

from gear_neo4j import Embedder, Gear, Hits, SentenceTransformerEmbedder, Settings
from gear_neo4j.agents.search import SearchAgent
from gear_neo4j.agents.sentences import sentences_of
from gear_neo4j.agents.supporting import supporting
from gear_neo4j.domain import entity_key
from gear_neo4j.evaluate import datasets, runs
from gear_neo4j.roles.citations import without_markers

Answers = Callable[[Gear, str], tuple[str, float]]


def extractive(gear: Gear, question: str) -> tuple[str, float]:
    """The sentences of the agent, without the path, and the seconds."""
    answer = gear.ask(question, agent=SearchAgent())
    return without_markers(answer.text.partition("\n\nPath: ")[0]), answer.seconds


def first_passage(gear: Gear, question: str) -> tuple[str, float]:
    """The text of the first passage."""
    hits = gear.search(question, k=1)
    return hits[0].passage.text if hits else "", _seconds(hits)


def first_sentences(gear: Gear, question: str) -> tuple[str, float]:
    """The first sentence of each of the first three passages."""
    hits = gear.search(question, k=3)
    texts = [sentence for hit in hits for sentence in sentences_of(hit.passage)[:1]]
    return " ".join(texts), _seconds(hits)


SYSTEMS: dict[str, Answers] = {
    "search": extractive,
    "first passage": first_passage,
    "first sentences of three": first_sentences,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sentences", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DATASET_DIR")
    parser.add_argument("--foreign", type=Path, metavar="DIR", help="a data set whose questions have no answer here")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print the first N odd answers")
    options = parser.parse_args()
    dataset = datasets.load(options.folder, triples="rules")
    foreign = datasets.load(options.foreign, triples="rules").queries if options.foreign else []
    with Gear.connect(replace(Settings.load(), uri=None, name=f"evaluate-{dataset.name}-rules")) as gear:
        runs.provide(gear, dataset, synonyms=True)
        for name, answer in SYSTEMS.items():
            rows = [(query, *answer(gear, query.question)) for query in track(dataset.queries, name)]
            for half in (0, 1):
                print(f"{name}, {('even', 'odd')[half]}: {_figures(rows[half::2])}")
            if name == "search":
                for query, text, _ in rows[1 : 2 * options.show : 2]:
                    print(f"  {query.question} ({', '.join(query.answers)})\n    {text}")
        embedder = SentenceTransformerEmbedder(home=Settings.load().home)
        others = [query.answers[0] for query in (*dataset.queries[7:], *dataset.queries[:7])]
        supports = [
            _supported(gear, query, other, embedder=embedder)
            for query, other in zip(dataset.queries, others, strict=True)
        ]
        for half in (0, 1):
            right, wrong, flagged = map(fmean, zip(*supports[half::2], strict=True))
            print(
                f"support, {('even', 'odd')[half]}: from a gold passage {right:.0%}, from another {wrong:.0%}; "
                f"an answer of another question without support {flagged:.0%}"
            )
        answered = [bool(extractive(gear, query.question)[0]) for query in track(foreign, "foreign")]
        if answered:
            print(f"foreign questions answered: even {fmean(answered[0::2]):.0%}, odd {fmean(answered[1::2]):.0%}")


def _supported(
    gear: Gear, query: datasets.EvaluationQuery, other: str, *, embedder: Embedder
) -> tuple[bool, bool, bool]:
    """Whether the right answer is supported by a gold passage, or by another; whether another answer is by none."""
    passages = [hit.passage for hit in gear.search(query.question, k=10)]
    found = supporting(query.question, query.answers[0], passages, embedder=lambda: embedder)
    gold = bool(found) and passages[found[0].passage].id in query.gold
    return gold, bool(found) and not gold, not supporting(query.question, other, passages, embedder=lambda: embedder)


def _figures(rows: Sequence[tuple[datasets.EvaluationQuery, str, float]]) -> str:
    contained = fmean(any(entity_key(answer) in _key(text) for answer in query.answers) for query, text, _ in rows)
    words = fmean(len(text.split()) for _, text, _ in rows)
    without = fmean(not text for _, text, _ in rows)
    seconds = median(seconds for *_, seconds in rows)
    return f"answer contained {contained:.1%}, words {words:.0f}, no answer {without:.0%}, median {seconds:.2f} s"


def _key(text: str) -> str:
    # A key is shortened: each word is folded by itself.
    return " ".join(entity_key(word) for word in text.split())


def _seconds(hits: Hits) -> float:
    return sum(hits.milliseconds.values()) / 1_000


if __name__ == "__main__":
    main()
