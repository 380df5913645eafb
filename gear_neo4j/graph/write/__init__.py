"""Queries that write, by area."""
