"""Pattern searches over values in memory, with the packaged embedding model."""

from collections.abc import Iterable, Iterator, Set

from gear_neo4j.domain import entity_key
from gear_neo4j.graph.read.graph_schema import GraphSchema, Owner, PropertyRef
from gear_neo4j.models.embeddings import SentenceTransformerEmbedder
from gear_neo4j.retrieval.patterns.condition import Condition, Operator
from gear_neo4j.retrieval.patterns.likeness import Likenesses
from gear_neo4j.retrieval.patterns.question_reader import QuestionReader
from gear_neo4j.retrieval.patterns.search import PatternSearch
from gear_neo4j.retrieval.patterns.vocabulary import Vocabulary

MATCHES = {"contains": str.__contains__, "starts": str.startswith, "ends": str.endswith}


class ValuesInMemory:
    """All values of a graph, without a database."""

    def __init__(self, values: Iterable[tuple[PropertyRef, str]]) -> None:
        self._pairs = list(values)
        self._vocabulary = Vocabulary(self._pairs)

    def within(self, *texts: str) -> Vocabulary:
        """All values, whatever the texts."""
        assert texts
        return self._vocabulary

    def of(self, wanted: Set[PropertyRef]) -> Iterator[Condition]:
        """One condition for each value of some properties."""
        return self._vocabulary.of(wanted)

    def parts(self, text: str, operator: Operator) -> list[Condition]:
        """One condition for each property with a value that has the part."""
        matches, part = MATCHES[operator], entity_key(text)
        refs = dict.fromkeys(ref for ref, value in self._pairs if matches(entity_key(value), part))
        return [Condition(ref.owner, ref.property, operator, (text,)) for ref in refs]


def search_over(schema: GraphSchema, values: Iterable[tuple[str, str, str]]) -> PatternSearch:
    """The search; a value is its label, its property and its text."""
    known = ValuesInMemory((PropertyRef(Owner("label", label), name), value) for label, name, value in values)
    return PatternSearch(QuestionReader(schema, known), Likenesses(schema, SentenceTransformerEmbedder()))
