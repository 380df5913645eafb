"""What others do on the same graph, each at its best."""
