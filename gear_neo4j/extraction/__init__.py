"""Triples from passages: by rules, by the chat model, or by an extractor of the user's own."""
