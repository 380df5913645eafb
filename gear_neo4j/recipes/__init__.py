"""The options of retrievers, agents and extractors, and the registry of their names."""
