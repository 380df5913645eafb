"""The audit record of the service: who saw and changed what, in chains of entries that show later changes."""
