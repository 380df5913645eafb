"""The templates of a graph's owner that answer a question: by their words, with values linked in the question."""
