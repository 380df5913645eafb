"""Graphs that others made: brought in from files, looked at, overlaid with triples, and released again."""
