"""Rankings of passages without the graph, and their fusion."""
