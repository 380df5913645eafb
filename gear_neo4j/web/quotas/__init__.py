"""Quotas: how many requests and tokens of the language model a key or a person may use in a day and a month."""
