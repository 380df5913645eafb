"""Untrusted Cypher: what it may do, how much planning it may need, and which rows are returned."""
