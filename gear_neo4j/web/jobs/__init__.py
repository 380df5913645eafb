"""Documents that the service has accepted: their files, the queue on disk, and the thread that ingests them."""
