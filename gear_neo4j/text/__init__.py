"""Text that comes in and goes out: addresses, files, wording, what is safe to print."""
