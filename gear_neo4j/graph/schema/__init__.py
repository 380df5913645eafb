"""Constraints, indexes and migrations, and the database's record of itself."""
