"""The HTTP service: an application over one ``Gear``, with keys, limits, metrics and OpenAI's chat protocol."""
