"""Walks over the graph: beam search, PageRank, and paths between nodes."""
