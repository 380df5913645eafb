"""Questions to passages: base retrievers, rank fusion, and the expansion by diverse triple beam search."""
