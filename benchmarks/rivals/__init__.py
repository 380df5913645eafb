"""The alternatives on the same graph, each at its best."""
