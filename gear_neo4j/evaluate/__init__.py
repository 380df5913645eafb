"""Retrieval measured on data sets with gold passages, and on questions of one's own."""

from gear_neo4j.evaluate.datasets import Query
from gear_neo4j.evaluate.evaluation import Evaluation, evaluate

__all__ = ["Evaluation", "Query", "evaluate"]
