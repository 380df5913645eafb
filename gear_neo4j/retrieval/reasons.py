"""Why a passage was found, in words: the rankings that contain it, its similarity, and words of the question."""

from gear_neo4j.domain import Hit, Passage
from gear_neo4j.retrieval.names import split_words
from gear_neo4j.retrieval.patterns.language import stem, stop_words
from gear_neo4j.text.wording import ordinal

MOST_WORDS = 8
# What the rankings are called, also in web/static/hits.js; one that is not here, such as a retriever, keeps its name.
RANKINGS = {
    "bm25": "word search",
    "fulltext": "full-text search",
    "sbert": "vector search",
    "hybrid": "hybrid search",
    "weighted": "hybrid search",
    "graph": "the graph",
    "pagerank": "the graph",
    "subgraph": "the graph",
    "triples": "its triples",
    "entities": "its entity",
    "community": "its community",
}


def shared_words(question: str, passage: Passage) -> tuple[str, ...]:
    """The first words of a question whose stems the passage has, too; at most eight, and no stop words.

    Example:
        >>> shared_words("Who founded the three observatories?", Passage("p", "Salter", "He founded an observatory."))
        ('founded', 'observatories')
    """
    words = dict.fromkeys(word for word in split_words(question) if word.casefold() not in stop_words())
    stems = {stem(word) for word in split_words(passage.content)} if words else set()
    return tuple(word for word in words if stem(word) in stems)[:MOST_WORDS]


def found_by(hit: Hit, *, question: str) -> str:
    """The rankings that contain a hit, each once, in words, with the similarity and the words that were found.

    Example:
        >>> from gear_neo4j.domain import FoundBy
        >>> sources = FoundBy("pagerank", 1), FoundBy("sbert", 12), FoundBy("bm25", 3)
        >>> hit = Hit(Passage("p1", "Salter", "He founded it."), 0.5, 1, sources, similarity=0.61)
        >>> found_by(hit, question="Who founded Sigma?")
        '1st by the graph, 12th by vector search (0.61), 3rd by word search (founded)'
    """
    first: dict[str, int] = {}
    for source in hit.sources:
        first.setdefault(RANKINGS.get(source.name, source.name), source.rank)
    details = {RANKINGS["sbert"]: "" if hit.similarity is None else f"{hit.similarity:.2f}"}
    if not details.keys() >= first.keys():
        words = ", ".join(shared_words(question, hit.passage))
        details |= {RANKINGS["bm25"]: words, RANKINGS["fulltext"]: words}
    return ", ".join(f"{ordinal(rank)} by {name}{_in_brackets(details.get(name, ''))}" for name, rank in first.items())


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""
