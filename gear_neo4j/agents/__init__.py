"""Agents: loops over the retrievers that read, remember, judge and ask again; all return one ``Answer``."""
