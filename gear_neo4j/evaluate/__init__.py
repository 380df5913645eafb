"""Measures retrieval on data sets with gold passages, and on your own questions."""

from gear_neo4j.evaluate.datasets import EvaluationQuery
from gear_neo4j.evaluate.evaluation import Evaluation, evaluate

__all__ = ["Evaluation", "EvaluationQuery", "evaluate"]
