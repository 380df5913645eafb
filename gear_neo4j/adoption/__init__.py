"""Adopts existing graphs: imports them from files, surveys them, overlays them with triples, and releases them."""
