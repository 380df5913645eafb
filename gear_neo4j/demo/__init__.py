"""The bundled corpus: forty short passages around the 2024 Nobel prizes, their triples, and ten questions."""
