"""The connection to one database: sessions, retries, time limits, and the cost of queries."""
