"""Patterns over a user's own graph: a question is linked to its schema and values, and answered by one MATCH."""
