"""The connection to one database: sessions, retries, time limits, and what each query costs."""
