"""Extracts triples from passages: by rules, with the chat model, or with a user's own extractor."""
