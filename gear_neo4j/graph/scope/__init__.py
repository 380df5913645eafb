"""A scope on a database: the conditions that are added to each query, and how much they admit."""
