"""Queries that read, by area."""
