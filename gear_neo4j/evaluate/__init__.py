"""Retrieval measured on data sets with gold passages."""
