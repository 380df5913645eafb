"""A scope on a database: the conditions that become part of each query, and how much they admit."""
