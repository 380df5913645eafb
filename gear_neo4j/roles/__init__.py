"""The roles of a language model: for each a prompt, a parser of its replies, and a protocol."""
