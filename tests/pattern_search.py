"""A pattern search over a schema and some of its values, with the packaged embedding model."""

from collections.abc import Iterable

from gear_neo4j.graph.read.graph_schema import GraphSchema, Owner
from gear_neo4j.models.embeddings import SentenceTransformerEmbedder
from gear_neo4j.retrieval.dictionary import Dictionary
from gear_neo4j.retrieval.patterns.likeness import Likenesses
from gear_neo4j.retrieval.patterns.question_reader import QuestionReader
from gear_neo4j.retrieval.patterns.search import PatternSearch
from gear_neo4j.retrieval.patterns.vocabulary import PropertyRef, Vocabulary


def search_over(schema: GraphSchema, values: Iterable[tuple[str, str, str]]) -> PatternSearch:
    """The search; a value is its label, its property and its text."""
    vocabulary = Vocabulary([(PropertyRef(Owner("label", label), name), value) for label, name, value in values])
    reader = QuestionReader(schema, vocabulary, Dictionary(vocabulary.named()))
    return PatternSearch(reader, Likenesses(schema, SentenceTransformerEmbedder()))
