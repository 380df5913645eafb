"""The routes of the service, one module for one subject."""
