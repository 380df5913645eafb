"""Untrusted Cypher: what it may do, how much of it is planned, and which rows are kept."""
