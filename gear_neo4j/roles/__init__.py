"""The roles of a language model, each with a prompt, a parser of its replies, and a protocol."""
